"""The lines that made the nodes of the first gradient graphs, and walks over graphs.

Torch can remember a stack for each node: its anomaly mode asks `torch.fx.traceback.format_stack` for it. We switch that
mode on for the first MOST_NODES nodes, with a function of our own that is a hundred times as fast, and never during
backward(), so that nothing of it is ever printed. Runs in Tenure's private namespace; `native` and `interceptors` are given.
"""

import sys

MOST_NODES = 2000
MOST_PLACES = 3
DEEPEST = 40
LARGEST_WALK = 200000
FOLLOWED_FIRST = 4
LEAF = 1 << 62
NODE_AT = 16  # in a Python object, behind its head
NODE_WORDS = 16

state = {"on": False, "left": MOST_NODES, "original": None, "number_at": None}
known: dict = {}  # what made nodes: ((code, line), ...) -> the list that torch keeps for them
places_of_list: dict = {}  # id of such a list -> places
innermost_of_list: dict = {}  # id of such a list -> the very line, mostly one of a library


def remember():
    """Stands in for format_stack: the user's innermost frames, as few objects as can be."""
    state["left"] -= 1
    if state["left"] <= 0:
        stop()
    key = []
    frame = sys._getframe(1)
    innermost = (frame.f_code, frame.f_lineno)
    for _ in range(DEEPEST):
        if frame is None or len(key) == MOST_PLACES:
            break
        if not interceptors["is_library"](frame.f_code.co_filename):
            key.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    key = (innermost, *key)
    if key not in known:
        places = [(c.co_filename, c.co_name, line) for c, line in reversed(key[1:])]
        known[key] = ['  File "%s", line %d, in %s\n' % (f, line, n) for f, n, line in places]
        places_of_list[id(known[key])] = places
        innermost_of_list[id(known[key])] = (innermost[0].co_filename, innermost[1])
    return known[key]


def module():
    return sys.modules.get("torch.fx.traceback")


def set_anomaly(enabled):
    sys.modules["torch"].set_anomaly_enabled(enabled, False)


def start():
    """Not where the program thinks of the mode itself, and only if nothing has to be imported for it."""
    part = interceptors["Part"]("adapter.torch.lines")
    for name in ("detect_anomaly", "set_detect_anomaly"):
        part.intercept(
            interceptors["found"]("torch.autograd.anomaly_mode:" + name),
            "__init__",
            before=step_aside,
        )
    torch = sys.modules["torch"]
    if not hasattr(module(), "format_stack") or not hasattr(torch, "set_anomaly_enabled"):
        native["fact"](part.name, "off: no function format_stack")
        return
    if torch.is_anomaly_enabled() or not part.is_set():
        return
    state["original"] = module().format_stack
    module().format_stack = remember
    state["on"] = True
    set_anomaly(True)


def made_nodes():
    """Some nodes, made one after the other. No backward() is run for it."""
    torch = sys.modules["torch"]
    with torch.enable_grad():
        value = torch.ones(3, requires_grad=True, device="cpu", dtype=torch.float32)
        values = [value + 1]
        for _ in range(FOLLOWED_FIRST):  # so that a node's number is not its depth
            values.append(value * 2)
            values.append(values[-1] * 2)
    return [value.grad_fn for value in values[1:]]


def learn_numbers(nodes):
    """Older torch does not tell the numbers of nodes: where they are kept is seen by their counting up. False: it is not."""
    if hasattr(nodes[0], "_sequence_nr"):
        return True
    rows = [native["words"](address_of(node), NODE_WORDS) for node in nodes]
    steps = [[b - a for a, b in zip(column, column[1:])] for column in zip(*rows)]
    found = [8 * i for i, step in enumerate(steps) if set(step) == {1}]
    state["number_at"] = found[0] if len(found) == 1 else None
    return len(found) == 1


def address_of(node):
    return native["words"](id(node) + NODE_AT, 1)[0]


def number_of(node):
    """Nodes are numbered as they are made, in one thread. Leaves have the highest of all numbers: here 0."""
    if state["number_at"] is None:
        number = node._sequence_nr()
    elif type(node).__mro__[1:] == (object,):
        number = native["words"](address_of(node) + state["number_at"], 1)[0]
    else:
        number = 0  # a Function written in Python keeps its node elsewhere
    return number if number < LEAF else 0


def follow(nodes):
    """Lets native code know where nodes keep their numbers."""
    numbers = [number_of(node) for node in nodes]
    why_not = native["follow_nodes"]([id(node) for node in nodes], numbers, nodes[0].name())
    native["fact"]("adapter.torch.nodes", why_not or "on")


def stop():
    if state["on"]:
        state["on"] = False
        set_anomaly(False)
        module().format_stack = state["original"]


class Careful:
    """What fails in it switches its interceptor off: then nobody would pause the mode any more."""

    def __enter__(self):
        pass

    def __exit__(self, kind, *_error):
        if kind is not None:
            stop()


def step_aside(*_args, **_kwargs):
    stop()


def pause():
    if state["on"]:
        set_anomaly(False)


def resume():
    if state["on"]:
        set_anomaly(True)


def places_of(node):
    """Where the node was made, outermost first; empty when that was not remembered."""
    return places_of_list.get(list_of(node), [])


def innermost_of(node):
    """(file, line) that called torch for it, in a library or not; or None."""
    return innermost_of_list.get(list_of(node))


def list_of(node):
    try:
        return id(node.metadata.get("traceback_"))
    except Exception:
        return 0


def walk(roots, most=LARGEST_WALK):
    """All nodes below these, at most so many."""
    seen = {id(node): node for node in roots}
    waiting = list(seen.values())
    while waiting and len(seen) < most:
        for following, _ in waiting.pop().next_functions:
            if following is not None and id(following) not in seen:
                seen[id(following)] = following
                waiting.append(following)
    return list(seen.values())
