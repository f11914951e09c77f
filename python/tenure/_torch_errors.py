"""Why backward() failed: its graph had been freed, or a tensor it needs was changed in place.

Torch says which operation noticed. We say who freed or changed it, and what the user calls it. Runs in Tenure's private
namespace; `native`, `taps`, `torch_calls` (_torch.py) and `graphs` (_torch_nodes.py) are given.
"""

import linecache
import re
import sys

FREED = "through the graph a second time"
SHAPE = re.compile(r"\[torch\.[\w.]+ \[([\d, ]*)\]\]")
ITEM = re.compile(r"^\s*[A-Za-z_][\w.]*\[[^=]*\]\s*(\*\*|[-+*/])?=[^=]")
SIGNS = {"Add": "+=", "Sub": "-=", "Mul": "*=", "Div": "/=", "Pow": "**="}


def explain(error, roots, outputs):
    text = str(error)
    if FREED in text:
        tell_freed(error, roots, outputs)
    elif "inplace operation" in text:
        tell_changed(error, roots)


def told(places):
    """Only those that lead to the user's own lines."""
    return [(role, frames) for role, frames in places if frames]


# ---- a graph that was freed


def tell_freed(error, roots, outputs):
    nodes = sorted(graphs["walk"](roots), key=graphs["number_of"], reverse=True)
    call, node = first_freed(nodes)
    name = name_of_freed(call, node, nodes, outputs)
    line = taps["line_of"](call.places) if call else "an earlier call"
    places = [
        ("used", torch_calls["user_places"](taps["caller"]())),
        ("ended", call.places if call else []),
        ("created", graphs["places_of"](node)),
    ]
    native["story"](
        "freed-graph",
        "error",
        "backward() goes through a graph that was freed",
        "backward() at %s has gone through this part of the graph and freed it, and the new one leads into it again%s"
        % (line, ": %s still has its grad_fn" % name if name else ""),
        "detach what is carried from one step to the next (state = state.detach()), add the losses and call backward() "
        "once, or pass retain_graph=True to the first call if both are wanted",
        type(error).__name__,
        taps["text_of"](error),
        (name + ", kept with its grad_fn (%s)" % node.name() if name else "node %s" % node.name())[
            :160
        ],
        told(places),
    )


def first_freed(nodes):
    """(the call that freed it, the newest node that was freed)."""
    for node in nodes:
        number = graphs["number_of"](node)
        for call in torch_calls["calls"]:
            if number and not call.keeps_graph and call.went_through(number):
                return call, node
    return None, nodes[0]


def name_of_freed(call, freed, nodes, outputs):
    """What the user called the tensor of then that leads into what was freed: the one made next to it."""
    if freed is nodes[0]:
        return taps["shown"](taps["names_of"](outputs[0], taps["caller"]()), "")
    numbers = [graphs["number_of"](node) for node in nodes]
    known = [n for n in numbers if call and n in call.names and n >= graphs["number_of"](freed)]
    return "`%s`" % call.names[min(known)] if known else ""


# ---- a tensor that was changed


def tell_changed(error, roots):
    nodes = graphs["walk"](roots)
    savers = [node for node in nodes if has_changed(node)]
    change = find_change(nodes, savers, shape_in(str(error)))
    saver = change.saver
    by = saver.name() if saver is not None else "an operation"
    saved = graphs["places_of"](saver) if saver is not None else []
    native["story"](
        "inplace-modified",
        "error",
        "backward() needs a value that was changed in place",
        "%s had saved %s%s for backward%s"
        % (
            by,
            change.name or "a tensor",
            " at " + taps["line_of"](saved) if saved else "",
            "; it was changed in place at %s after that" % taps["line_of"](change.places)
            if change.places
            else "",
        ),
        "use the operation that makes a new tensor (x = x.clamp(...) for x.clamp_(...), x = x + y for x += y), or change "
        "it after backward(); parameters: call optimizer.step() after all backward() calls that use them",
        type(error).__name__,
        taps["text_of"](error),
        ("%s, saved by %s" % (change.name or "a tensor", by))[:160],
        told(
            [
                ("used", torch_calls["user_places"](taps["caller"]())),
                ("ended", change.places),
                ("created", saved),
            ]
        ),
    )


class Change:
    """Which node had saved the tensor, where it was changed after that, and what the user calls it."""

    def __init__(self, saver, places=(), name=""):
        self.saver = saver
        self.places = list(places)
        self.name = name


def shape_in(message):
    """The numbers of "[torch.FloatTensor [32, 64]]", sorted; None: it says none."""
    match = SHAPE.search(message)
    return sorted(int(n) for n in match.group(1).split(",") if n.strip()) if match else None


def find_change(nodes, savers, shape):
    """A tensor's maker is followed by whoever saved it and by whoever changed it. Some makers save it themselves."""
    for saver, maker in [(s, m) for s in savers for m in makers_below(s)] + [
        (s, s) for s in savers
    ]:
        leaf = leaf_below(maker)
        if leaf is not None and leaf._version > 0 and shape in (None, sorted(leaf.shape)):
            return Change(saver, *stepped_where(leaf))
        for node in readers_after(saver, maker, nodes):
            places = graphs["places_of"](node) or item_places(node, saver)
            name = changed_name(places, node.name()) if node not in savers else None
            if name is not None:
                return Change(saver, places, "`%s`" % name)
    return Change(savers[0] if savers else None)


def makers_below(saver):
    return [node for node, _ in saver.next_functions if node is not None]


def readers_after(saver, maker, nodes):
    """Nodes that got the maker's output after the saver had, the first one first."""
    number_of = graphs["number_of"]
    readers = [node for node in nodes if leads_to(node, maker)] + other_graphs(maker)
    return sorted((n for n in readers if number_of(n) > number_of(saver)), key=number_of)


def has_changed(node):
    is_packed = load("_buffers")["TorchTensors"].is_packed
    for raw in [name for name in dir(type(node)) if name.startswith("_raw_saved_")]:
        try:
            if not is_packed(getattr(node, raw)):  # asking would run the program's own hook
                getattr(node, raw[4:])  # without `_raw`
        except RuntimeError as error:
            if "inplace operation" in str(error):
                return True
        except Exception:
            continue
    return False


def leads_to(node, maker):
    return any(following is maker for following, _ in node.next_functions)


def other_graphs(maker):
    """Nodes of tensors that live but take no part in this backward()."""
    tensors = native["instances"](sys.modules["torch"].Tensor)
    found = [t.grad_fn for t in tensors if not t.is_leaf and t.grad_fn is not None]
    return [node for node in found if leads_to(node, maker)]


def changed_name(places, operation):
    """`gate` of `gate.clamp_(min=0.05)` if the line changes something in place by this operation, else None."""
    place = taps["users"](places)
    text = linecache.getline(place[0], place[2]) if place else ""
    base = re.sub(r"Backward\d*$", "", operation.rpartition(":")[2])
    method = re.search(r"([A-Za-z_][\w.]*)\.(\w+)_\(", text)
    if method and method.group(2).replace("_", "") == base.lower():
        return method.group(1)
    sign = SIGNS.get(base)
    assigned = re.match(r"\s*([A-Za-z_][\w.]*)", text)
    if sign and sign in text and assigned:
        return assigned.group(1)
    if assigned and base == "CopySlices" and "]" in text and "=" in text:
        return assigned.group(1)
    return "its argument" if "inplace=True" in text or re.search(r"\w_\(", text) else None


def item_places(node, saver):
    """Torch remembers no line for `x[0] = y`: the only such line of the function behind what saved x, if there is one."""
    saved = taps["users"](graphs["places_of"](saver))
    if not node.name().endswith("CopySlices") or saved is None:
        return []
    found = taps["lines_behind"](saved, ITEM)
    return found if len(found) == 1 else []


# ---- a parameter that an optimizer has changed


def leaf_below(node):
    """The leaf that this node only looks at in another way: a weight behind its transposition."""
    for _ in range(4):
        variable = getattr(node, "variable", None)
        if variable is not None:
            return variable
        following = [n for n, _ in node.next_functions if n is not None]
        if len(following) != 1:
            return None
        node = following[0]
    return None


def stepped_where(leaf):
    """The call of step() of the optimizer that has this parameter, the last before backward()."""
    optimizer_type = sys.modules["torch"].optim.Optimizer
    for frame in list(taps["user_frames"](taps["caller"]()))[:3]:
        for name, value in taps["peek"](frame).items():
            if isinstance(value, optimizer_type) and has_parameter(value, leaf):
                line = line_before(frame, re.compile(r"\b%s\.step\(" % re.escape(name)))
                code = frame.f_code
                places = [(code.co_filename, code.co_name, line)] if line else []
                return places, parameter_name(frame, leaf) or "a parameter of `%s`" % name
    return [], ""


def has_parameter(optimizer, leaf):
    return any(p is leaf for group in optimizer.param_groups for p in group["params"])


def line_before(frame, pattern):
    """The last line of the function that matches, before the one that runs; or behind it, in a loop."""
    code = frame.f_code
    lines = [line for _, _, line in code.co_lines() if line] if hasattr(code, "co_lines") else []
    numbers = sorted(set(lines))
    matching = [n for n in numbers if pattern.search(linecache.getline(code.co_filename, n))]
    before = [n for n in matching if n < frame.f_lineno]
    return (before or matching or [0])[-1]


def parameter_name(frame, leaf):
    module_type = sys.modules["torch"].nn.Module
    for name, value in taps["peek"](frame).items():
        if isinstance(value, module_type):
            for path, parameter in value.named_parameters():
                if parameter is leaf:
                    return "`%s.%s`" % (name, path)
    return ""
