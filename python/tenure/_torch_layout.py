"""Where torch's C++ objects keep what a snapshot follows: found in the running program, by what torch tells of its tensors.

An offset holds if it gives the right answer for every tensor that was asked. Runs in Tenure's private namespace.
"""

import itertools

MOST_SAMPLES = 12  # tensors and nodes that are asked
MOST_LOOKED_AT = 256  # tensors, for some that are fit
IMPL_WORDS, META_WORDS, NODE_WORDS = 16, 14, 32
ITEMS_WORDS = 24  # of a TensorImpl: its shape stands before the number of its items
TYPES_WITH_SIZE = 16  # that TorchLayout has room for
COUNT_AT = 8  # in a C++ object that counts its references, behind its table
NODE_AT = 16  # in a Python object, behind its head
UNKNOWN = 2**64 - 1
OWN_TYPES = (("torch", "Tensor"), ("torch.nn.parameter", "Parameter"))
# As in TorchLayout of the snapshots.
FIELDS = """
    is_known object_impl impl_object impl_storage storage_data storage_object impl_meta meta_node
    object_node node_object node_edges edge_bytes impl_count impl_table node_type impl_items item_bytes
""".split()
STORAGES = "object_impl impl_object impl_storage storage_data storage_object impl_table".split()
GRAPHS = "impl_meta meta_node node_object node_edges".split()


class Layout:
    """What is known so far. What no tensor of the program shows yet stays open until the next snapshot."""

    def __init__(self, native):
        self.words = native["words"]
        self.tell = native["torch_layout"]
        self.known = {}
        self.refusal = ""  # what the samples contradicted

    def is_complete(self):
        """Nothing is left to be learnt: no tensor has to be shown any more."""
        return not self.refusal and len(self.known) == len(FIELDS)

    def learn(self, tensors):
        """True: snapshots can follow these tensors by themselves."""
        if self.refusal or self.is_complete():
            return not self.refusal
        plain = some(tensors, has_plain_storage)
        results = some(tensors, is_result_of_cpp)
        self.learn_storages(plain)
        self.learn_items(some(either_end(tensors), is_table), plain)
        if results:
            self.learn_meta(results)
            self.learn_nodes(nodes_from(results))
        return self.is_enough(bool(plain), bool(results))

    def is_enough(self, has_storages, has_graphs):
        needed = STORAGES * has_storages + GRAPHS * has_graphs
        if self.refusal or not all(field in self.known for field in needed):
            self.tell([0] * len(FIELDS))
            return False
        self.known["is_known"] = 1
        self.tell([self.known.get(field, UNKNOWN) for field in FIELDS])
        return True

    # ---- memory

    def word(self, address, offset):
        found = self.words(address + offset, 1)
        return found[0] if found else 0

    def offsets(self, address, count, value):
        """Where among the words at the address the value is. The lowest bit may say who owns it."""
        if not address or not value:
            return set()
        return {8 * i for i, word in enumerate(self.words(address, count)) if word & ~1 == value}

    def settle(self, fields, answers):
        """The first answer that is right for every sample: one offset, or one for each of the fields."""
        if not answers or fields[0] in self.known:
            return
        common = set.intersection(*answers)
        if not common:
            self.refusal = self.refusal or fields[0]
            return
        answer = min(common)
        self.known.update(zip(fields, answer if isinstance(answer, tuple) else (answer,)))

    # ---- tensors

    def learn_storages(self, tensors):
        samples = [(tensor, tensor._cdata, tensor.untyped_storage()) for tensor in tensors]
        if any(tensor.untyped_storage() is not storage for tensor, _, storage in samples):
            self.known["storage_object"] = UNKNOWN  # older torch makes a new one for each who asks
        for field, find in (
            ("object_impl", lambda t, impl, s: self.offsets(id(t), IMPL_WORDS, impl)),
            ("impl_object", lambda t, impl, s: self.offsets(impl, IMPL_WORDS, id(t))),
            ("impl_storage", lambda t, impl, s: self.offsets(impl, IMPL_WORDS, s._cdata)),
            ("storage_data", lambda t, impl, s: self.offsets(s._cdata, IMPL_WORDS, s.data_ptr())),
            ("storage_object", lambda t, impl, s: self.offsets(s._cdata, IMPL_WORDS, id(s))),
        ):
            self.settle([field], [find(*sample) for sample in samples])
        tables = {self.word(impl, 0) for _, impl, _ in samples}
        if len(tables) == 1:
            self.known["impl_table"] = tables.pop()
        if samples and all(self.has_count_of(t) for t, _, _ in samples):
            self.known["impl_count"] = COUNT_AT

    def learn_items(self, tables, others):
        """Where a tensor has the number of its items, and behind it that of their type; the sizes of the types seen."""
        if not tables:
            return
        common = set.intersection(*(self.places_of(t._cdata, t.numel()) for t in tables))
        if len(common) != 1:
            return
        [at] = common
        types = [(self.word(t._cdata, at + 8) & 0xFFFF, t.element_size()) for t in tables + others]
        sizes = dict(types)
        if all(sizes[number] == size for number, size in types):
            self.known["impl_items"] = at
            self.known["item_bytes"] = sum(
                size.bit_length() << 4 * number
                for number, size in sizes.items()
                if number < TYPES_WITH_SIZE
            )

    def places_of(self, address, value):
        return {8 * i for i, word in enumerate(self.words(address, ITEMS_WORDS)) if word == value}

    def has_count_of(self, tensor):
        """Older torch does not tell the number of references."""
        count = self.word(tensor._cdata, COUNT_AT) & 0xFFFFFFFF
        return hasattr(tensor, "_use_count") and count == tensor._use_count()

    def learn_meta(self, tensors):
        """The two offsets by which a TensorImpl leads to its grad_fn."""
        answers = []
        for tensor in tensors:
            node = self.node_of(tensor.grad_fn)
            metas = enumerate(self.words(tensor._cdata, IMPL_WORDS))
            answers.append(
                {(8 * i, at) for i, meta in metas for at in self.offsets(meta, META_WORDS, node)}
            )
        self.settle(["impl_meta", "meta_node"], answers)

    # ---- nodes

    def node_of(self, grad_fn):
        return self.word(id(grad_fn), NODE_AT) if grad_fn is not None else 0

    def learn_nodes(self, nodes):
        self.settle(
            ["node_object"], [self.offsets(self.node_of(f), NODE_WORDS, id(f)) for f in nodes]
        )
        self.settle(["node_edges", "edge_bytes"], [self.edge_vectors(f) for f in nodes])
        if nodes:
            self.known["object_node"] = NODE_AT
            self.known["node_type"] = id(type(nodes[0]))

    def edge_vectors(self, grad_fn):
        """Offset, and size of an edge, of every vector in the node that has just the nodes that follow."""
        following = [self.node_of(after) for after, _ in grad_fn.next_functions]
        words, found = self.words(self.node_of(grad_fn), NODE_WORDS), set()
        for i, (begin, end) in enumerate(zip(words, words[1:])):
            for size in (16, 24):
                if end - begin != size * len(following):
                    continue
                if [self.word(begin, size * k) for k in range(len(following))] == following:
                    found.add((8 * i, size))
        return found


# ---- samples


def some(tensors, is_fit):
    """The first few that are fit; only of torch's own two types, which answer without any of the program's code."""
    plain = (t for t in tensors if (type(t).__module__, type(t).__name__) in OWN_TYPES)
    return list(itertools.islice(filter(is_fit, plain), MOST_SAMPLES))


def has_plain_storage(tensor):
    is_strided = str(tensor.layout) == "torch.strided" and tensor.device.type != "meta"
    return is_strided and tensor.data_ptr() != 0


def is_table(tensor):
    """The length of a line, or a stride, is not to be taken for the number of its items."""
    return has_plain_storage(tensor) and tensor.numel() not in (
        0,
        1,
        *tensor.shape,
        *tensor.stride(),
    )


def either_end(tensors):
    """Young tensors come first: a program that keeps its losses has its parameters behind them."""
    return tensors[:MOST_LOOKED_AT] + tensors[-MOST_LOOKED_AT:]


def is_made_in_cpp(grad_fn):
    return type(grad_fn).__mro__[1:] == (object,)


def is_result_of_cpp(tensor):
    grad_fn = tensor.grad_fn
    return grad_fn is not None and is_made_in_cpp(grad_fn) and has_plain_storage(tensor)


def nodes_from(tensors):
    """Some nodes of their graphs that lead only to nodes made in C++."""
    waiting, found = [tensor.grad_fn for tensor in tensors], []
    for grad_fn in waiting:
        if len(found) == MOST_SAMPLES or len(waiting) > 8 * MOST_SAMPLES:
            break
        following = [after for after, _ in grad_fn.next_functions if after is not None]
        if following and all(map(is_made_in_cpp, following)):
            found.append(grad_fn)
        waiting += filter(is_made_in_cpp, following[:2])
    return found
