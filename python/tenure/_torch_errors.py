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
CHANGES = re.compile(r"[a-z0-9]_\(")
VIEWS = re.compile(
    r"^(T|NumpyT|Transpose|Select|Slice|Narrow|View|UnsafeView|ReshapeAlias|Permute|Movedim|Expand|Unsqueeze|Squeeze"
    r"|AsStrided|Alias|Diagonal|Unfold|Unbind|Split|SplitWithSizes|Unflatten)Backward\d*$"
)
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
    of_leaf = None
    for saver, maker in [(s, m) for s in savers for m in makers_below(s)] + [
        (s, s) for s in savers
    ]:
        leaf = leaf_below(maker)
        if leaf is not None and leaf._version > 0 and shape in (None, sorted(leaf.shape)):
            change = Change(saver, *stepped_where(leaf))
            if change.places:
                return change
            of_leaf = of_leaf or change
            continue
        for node in readers_after(saver, maker, nodes):
            places = graphs["places_of"](node) or item_places(node, saver)
            name = changed_name(places, node) if is_later(node, savers) else None
            if name is not None:
                return Change(saver, places, name)
    if of_leaf is not None and of_leaf.name:
        return of_leaf
    return Change(savers[0] if savers else None, *changed_silently(shape))


def makers_below(saver):
    """Those of what it got, and of what that is a view of: who changes one changes the other."""
    makers = []
    for node, _ in saver.next_functions:
        while node is not None:
            makers.append(node)
            is_view = VIEWS.match(node.name()) and len(node.next_functions) == 1
            node = node.next_functions[0][0] if is_view else None
    return makers


def is_later(node, savers):
    """What changes a tensor in place is no reader of it; pieces that are put in may themselves have saved one."""
    return node not in savers or node.name().endswith("CopySlices")


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


def changed_name(places, node):
    """ "`gate`" of `gate.clamp_(min=0.05)` if the line changes something in place by this node's operation, else None."""
    place = taps["users"](places)
    text = linecache.getline(place[0], place[2]) if place else ""
    base = re.sub(r"Backward\d*$", "", node.name().rpartition(":")[2])
    method = re.search(r"([A-Za-z_][\w.]*)\.(\w+)_\(", text)
    if method and method.group(2).replace("_", "") == base.lower():
        return "`%s`" % method.group(1)
    sign = SIGNS.get(base)
    assigned = re.match(r"\s*([A-Za-z_][\w.]*)", text)
    if sign and sign in text and assigned:
        return "`%s`" % assigned.group(1)
    if assigned and base == "CopySlices" and "]" in text and "=" in text:
        return "`%s`" % assigned.group(1)
    if "inplace=True" not in text and not CHANGES.search(text) and not is_changed_by_library(node):
        return None
    given = re.search(r"\w\(\s*([A-Za-z_][\w.]*)\s*[,)]", text)
    return "`%s`" % given.group(1) if given else "its argument"


def is_changed_by_library(node):
    """nn.ReLU(inplace=True): the line that calls the module does not show it, but that of torch's which calls relu_()."""
    innermost = graphs["innermost_of"](node)
    is_librarys = innermost is not None and taps["is_library"](innermost[0])
    return is_librarys and CHANGES.search(linecache.getline(*innermost)) is not None


def item_places(node, saver):
    """Torch remembers no line for `x[0] = y`: the only such line of the function behind what saved x, if there is one, or
    the very line that saved it, in a loop."""
    saved = taps["users"](graphs["places_of"](saver))
    if not node.name().endswith("CopySlices") or saved is None:
        return []
    here = [saved] if ITEM.search(linecache.getline(saved[0], saved[2])) else []
    found = here + taps["lines_behind"](saved, ITEM)
    return found if len(found) == 1 else []


# ---- a tensor without gradients that was changed: no graph knows of it


def changed_silently(shape):
    """(where, name) of the only tensor without gradients in reach that has this shape and was changed."""
    found = {}
    for frame in list(taps["user_frames"](taps["caller"]()))[:3]:
        for name, value in taps["peek"](frame).items():
            if is_changed(value, shape):
                found.setdefault(id(value), (name, frame.f_code.co_filename))
            for path, module in torch_calls["modules_in"](name, value):
                fields = taps["fields_of"](module)
                source = getattr(sys.modules.get(type(module).__module__), "__file__", None)
                for field, inside in [*fields.items(), *(fields.get("_buffers") or {}).items()]:
                    if is_changed(inside, shape):
                        found.setdefault(id(inside), ("%s.%s" % (path, field), source))
    if shape is None or len(found) != 1:
        return [], ""
    name, source = next(iter(found.values()))
    return line_that_changes(name, source), "`%s`" % name


def is_changed(value, shape):
    is_plain = torch_calls["is_tensor"](value) and not value.requires_grad
    return is_plain and value._version > 0 and sorted(value.shape) == shape


def line_that_changes(name, source):
    """The only line of the file that changes something of this name in place, as a list of places."""
    word = r"%s\b(?:\[[^=]*\])?\s*" % re.escape(name.rpartition(".")[2])
    pattern = re.compile(r"(?<!\w)%s(?:(?:[-+*/]|\*\*)=[^=]|\.\w*[a-z0-9]_\()" % word)
    items = re.compile(r"^\s*(?:\w+\.)*%s=[^=]" % word.replace(")?", ")"))
    lines = linecache.getlines(source) if source else []
    found = [n for n, text in enumerate(lines, 1) if pattern.search(text) or items.search(text)]
    return [(source, function_around(lines, found[0]), found[0])] if len(found) == 1 else []


def function_around(lines, number):
    """The name in the `def` that the line stands below."""
    indent = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    for text in reversed(lines[: number - 1]):
        match = re.match(r"(\s*)(?:async )?def (\w+)", text)
        if match and len(match.group(1)) < indent:
            return match.group(2)
    return "<module>"


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
    unseen = ""
    for frame in list(taps["user_frames"](taps["caller"]()))[:3]:
        steps = []
        for name, optimizer in optimizers_in(frame):
            if has_parameter(optimizer, leaf):
                unseen = unseen or parameter_name(frame, leaf) or "a parameter of `%s`" % name
                line = line_before(frame, re.compile(r"(?<![\w.])%s\.step\(" % re.escape(name)))
                steps.append((0 < line < frame.f_lineno, line, name))
        _, line, name = max(steps, default=(False, 0, ""))
        if line:
            place = (frame.f_code.co_filename, frame.f_code.co_name, line)
            return [place], parameter_name(frame, leaf) or "a parameter of `%s`" % name
    return [], unseen


def optimizers_in(frame):
    """[("self.optimizer", it), ...] of what the frame's variables are, or have."""
    optimizer_type = sys.modules["torch"].optim.Optimizer
    found = []
    for name, value in taps["peek"](frame).items():
        fields = {} if torch_calls["is_tensor"](value) else taps["fields_of"](value)
        inside = [("%s.%s" % (name, field), thing) for field, thing in fields.items()]
        found += [(n, v) for n, v in [(name, value), *inside] if isinstance(v, optimizer_type)]
    return found


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
    for name, value in taps["peek"](frame).items():
        for path, module in torch_calls["modules_in"](name, value):
            for field, parameter in (taps["fields_of"](module).get("_parameters") or {}).items():
                if parameter is leaf:
                    return "`%s.%s`" % (path, field)
    return ""
