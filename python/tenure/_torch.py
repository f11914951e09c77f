"""What torch does with gradient graphs: each backward() with its line, and why one failed.

Runs in Tenure's private namespace; `native` and `interceptors` are given.
"""

import collections
import sys

MOST_CALLS = 64
MOST_READ = 200  # calls whose graph is read: a graph that is used twice is so in the first steps
LARGEST_READ = 300  # nodes
MOST_FIELDS = 40  # of an object, and modules of a model
MOST_ITEMS = 8

calls: collections.deque = collections.deque(maxlen=MOST_CALLS)
reads = [0]


class Call:
    """One backward() that worked: where it was, what it freed, and what the user called the tensors of that graph."""

    names: dict = {}
    numbers = None

    def __init__(self, outputs, keeps_graph):
        """As cheap as can be: backward() of a small graph takes microseconds."""
        self.keeps_graph = keeps_graph
        self.where = native["here"]()
        self.last = 0
        for root in roots_of(outputs):
            self.last = max(self.last, graphs["number_of"](root))

    @property
    def places(self):
        """The user's own frames, outermost first."""
        return users_of(reversed(native["stack_numbered"](self.where)))

    def read(self, outputs, frame):
        self.names = names_of_graphs(frame)
        seen = graphs["walk"](roots_of(outputs), LARGEST_READ)
        if len(seen) < LARGEST_READ:
            self.numbers = {graphs["number_of"](node) for node in seen}

    def went_through(self, number):
        return number in self.numbers if self.numbers is not None else number <= self.last


def roots_of(outputs):
    nodes = []
    for tensor in outputs:
        node = getattr(tensor, "grad_fn", None)
        if node is None:
            node = getattr(tensor, "node", None)
        if node is not None:
            nodes.append(node)
    return nodes


def users_of(frames):
    return [p for p in frames if not interceptors["is_library"](p[0])]


def user_places(frame):
    """The user's own frames, outermost first."""
    return users_of(interceptors["frames_from"](frame))


def names_of_graphs(frame):
    """{number of a node: what the user calls the tensor it made}, for the two innermost functions of the user's."""
    names = {}
    for user in list(interceptors["user_frames"](frame))[:2]:
        for name, value in interceptors["peek"](user).items():
            note_names(names, name, value)
            fields = {} if is_tensor(value) else interceptors["fields_of"](value)
            for field, inside in list(fields.items())[:MOST_FIELDS]:
                note_names(names, "%s.%s" % (name, field), inside)
            for path, module in modules_in(name, value):
                for field, inside in list(interceptors["fields_of"](module).items())[:MOST_FIELDS]:
                    note_names(names, "%s.%s" % (path, field), inside)
    return names


def modules_in(name, value):
    """[("self.model", its module), ...]: modules that a variable is or has, with the modules in them."""
    waiting = [(name, value)]
    if not is_module(value):
        fields = {} if is_tensor(value) else interceptors["fields_of"](value)
        waiting = [
            ("%s.%s" % (name, field), inside)
            for field, inside in list(fields.items())[:MOST_FIELDS]
            if is_module(inside)
        ]
    found = []
    while waiting and is_module(waiting[0][1]) and len(found) < MOST_FIELDS:
        path, module = waiting.pop(0)
        found.append((path, module))
        children = interceptors["fields_of"](module).get("_modules") or {}
        waiting += [("%s.%s" % (path, n), m) for n, m in children.items() if is_module(m)]
    return found


def note_names(names, name, value, depth=2):
    if is_tensor(value):
        if value.grad_fn is not None:
            names.setdefault(graphs["number_of"](value.grad_fn), name)
    elif depth and type(value) in (tuple, list) and len(value) <= MOST_ITEMS:
        for item in value:
            note_names(names, name, item, depth - 1)
    elif depth and type(value) is dict and len(value) <= MOST_ITEMS:
        for key, item in list(value.items()):
            if isinstance(key, (str, int)):
                note_names(names, "%s[%.40r]" % (name, key), item, depth - 1)


def is_module(value):
    return isinstance(value, sys.modules["torch"].nn.Module)


def is_tensor(value):
    return isinstance(value, sys.modules["torch"].Tensor)


def before_backward(*_args, **_kwargs):
    graphs["pause"]()


def after_backward(_result, args, _kwargs):
    native["framework_step"]("call of backward()")
    graphs["resume"]()
    with graphs["Careful"]():
        note_backward(args)


def note_backward(args):
    roles["after_backward"]()
    call = Call(args[0], len(args) > 2 and bool(args[2]))
    calls.append(call)
    if reads[0] < MOST_READ:
        reads[0] += 1
        call.read(args[0], interceptors["caller"]())
    if len(args) > 3 and args[3]:
        growth["on_graph_kept"](roots_of(args[0]), interceptors["caller"]())


def on_error(error, _traceback, args, _kwargs):
    native["node_left"]()
    graphs["resume"]()
    with graphs["Careful"]():
        if isinstance(error, RuntimeError):
            errors["explain"](error, roots_of(args[0]), args[0])


def way_of_backward():
    """What holds the function that every backward() goes through, and its name."""
    autograd = interceptors["found"]("torch.autograd")
    if hasattr(autograd, "_engine_run_backward"):
        return autograd, "_engine_run_backward"
    return open_engine(interceptors["found"]("torch.autograd.variable:Variable")), "run_backward"


def open_engine(variable):
    """Older torch has only the engine itself, which takes no attributes: here one of its kind that does."""
    engine = getattr(variable, "_execution_engine", None)
    if engine is None:
        return None
    kind = type(engine)
    variable._execution_engine = type(kind.__name__, (kind,), {"__module__": kind.__module__})()
    return variable._execution_engine


def start():
    global graphs, errors, growth, roles
    graphs = load("_torch_nodes")
    errors = load(
        "_torch_errors",
        torch_calls=globals(),
        graphs=graphs,
        statements=load("_statements"),
    )
    roles = load("_torch_roles")
    causes = load("_causes")
    growth = load("_torch_growth", causes=causes, torch_calls=globals(), graphs=graphs)
    part = interceptors["Part"]("adapter.torch.backward")
    part.intercept(
        *way_of_backward(),
        before=before_backward,
        after=after_backward,
        error=on_error,
    )
    nodes = graphs["made_nodes"]()
    if not graphs["learn_numbers"](nodes):
        native["fact"](part.name, "off: nodes tell no numbers")
    elif part.is_set():
        graphs["start"]()
        graphs["follow"](nodes)


start()
