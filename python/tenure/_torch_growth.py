"""What makes memory grow although no Python object holds it: cycles inside torch, and code that it never forgets.

Runs in Tenure's private namespace; `native`, `load`, `interceptors`, `causes`, `torch_calls` (_torch.py) and `graphs`
(_torch_nodes.py) are given.
"""

MOST_NODES = 2000
MOST_PACKED = 5000

found: dict = {}  # what was seen, by kind and name: its cause


def cause_of(key, kind, holder, why, fix):
    if key not in found:
        found[key] = [causes["Cause"](kind, holder, why, fix), {}]
    return found[key]


# ---- gradients that keep the graph that made them


def on_graph_kept(roots, frame):
    """After backward(create_graph=True): a leaf's .grad then leads to the graph, and the graph to the leaf."""
    nodes = graphs["walk"](roots, MOST_NODES)
    leaves = [node.variable for node in nodes if getattr(node, "variable", None) is not None]
    leaves = [leaf for leaf in leaves if leaf.grad is not None and leaf.grad.grad_fn is not None]
    if not leaves:
        return
    here = torch_calls["user_places"](frame)
    cause, lines = cause_of(("graph", here[-1:] and here[-1]), *words_of_kept(leaves, frame))
    for node in nodes:
        place = interceptors["users"](graphs["places_of"](node))
        if place is not None:
            lines[place] = [place]
    for leaf in leaves:
        note_birth(leaf, lines)
    cause.occurred(here)
    for places in lines.values():
        cause.occurred(places, CauseRank.AFFECTED)


def note_birth(tensor, lines):
    """The line that made the tensor's memory has its part in it too."""
    stack = native["stack_of"](tensor.untyped_storage().data_ptr())  # innermost first
    place = interceptors["users"](stack[::-1])
    if place is not None:
        lines[place] = [place]


def words_of_kept(leaves, frame):
    names = [name for leaf in leaves for name in interceptors["names_of"](leaf, frame, most=1)]
    name = names[0].strip("`") + ".grad" if names else sentence("torch.a_grad")
    return (
        Kind.RETAINED_CYCLE,
        sentence("torch.kept_graph.holder", name=name),
        sentence("torch.kept_graph.why"),
        sentence("torch.kept_graph.fix"),
    )


# ---- hooks that give a saved tensor back as it is


packed = [0]
lines_of_hook: dict = {}  # its name -> lines that made what it was given: the cycle keeps all of it


def after_hooks(_result, args, _kwargs):
    """saved_tensors_hooks(pack_hook, unpack_hook) was made: its pack hook is watched."""
    hooks = args[0]
    pack = hooks.pack_hook
    if isinstance(pack, interceptors["Interceptor"]):
        return
    name = getattr(pack, "__qualname__", type(pack).__name__)
    lines = lines_of_hook.setdefault(name, {})

    def after_pack(result, given, _kwargs):
        packed[0] += 1
        if packed[0] > MOST_PACKED or not given or result is not given[0]:
            return
        note_birth(result, lines)
        if result.grad_fn is not None:
            on_packed(name, result.grad_fn.name(), lines)

    hooks.pack_hook = interceptors["Interceptor"](pack, "adapter.torch.hooks", after=after_pack)


def on_packed(name, node, lines):
    cause, _ = cause_of(
        ("hook", name),
        Kind.RETAINED_CYCLE,
        sentence("torch.pack_hook.holder", name=name, node=node),
        sentence("torch.pack_hook.why", node=node),
        sentence("torch.pack_hook.fix"),
    )
    cause.occurred(interceptors["frames_from"](interceptors["caller"]()))
    for places in lines.values():
        cause.occurred(places, CauseRank.AFFECTED)


# ---- code that TorchScript keeps


def after_compiled(_result, _args, _kwargs):
    here = torch_calls["user_places"](interceptors["caller"]())
    cause, lines = cause_of(
        ("script", here[-1:] and here[-1]),
        Kind.CACHE_GROWTH,
        sentence("torch.script.holder"),
        sentence("torch.script.why"),
        sentence("torch.script.fix"),
    )
    cause.occurred(here, CauseRank.RESPONSIBLE_WITH_CALLEES)
    if not lines:
        lines.update(calls_of_assigned(here))
    for places in lines.values():
        cause.occurred(places, CauseRank.AFFECTED)


def calls_of_assigned(here):
    """Lines behind `fast = torch.jit.trace(...)` that call fast(): the first calls compile it."""
    name = interceptors["assigned_name"](here)
    if name is None:
        return {}
    file, function, line = here[-1]
    lines = load("_statements")["lines_that_call"](name, file, line)
    return {number: [(file, function, number)] for number in lines}


def start():
    part = interceptors["Part"]("adapter.torch.hooks")
    hooks = interceptors["found"]("torch.autograd.graph:saved_tensors_hooks")
    part.intercept(hooks, "__init__", after=after_hooks)
    part.is_set()
    part = interceptors["Part"]("adapter.torch.script")
    for name in ("trace", "script"):
        part.intercept(interceptors["found"]("torch.jit"), name, after=after_compiled)
    part.is_set()


start()
