"""Why backward() failed: its graph had been freed, or a tensor it needs was changed in place.

Torch says which operation noticed. We say who freed or changed it, and what the user calls it. Runs in Tenure's private
namespace; `native`, `interceptors`, `statements`, `torch_calls` (_torch.py) and `graphs` (_torch_nodes.py) are given.
"""

import dis
import re
import sys

FREED = "through the graph a second time"
SHAPE = re.compile(r"\[torch\.[\w.]+ \[([\d, ]*)\]\]")
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
    line = interceptors["line_of"](call.places) if call else sentence("torch.earlier_call")
    places = [
        (PlaceRole.USED, torch_calls["user_places"](interceptors["caller"]())),
        (PlaceRole.ENDED, call.places if call else []),
        (PlaceRole.CREATED, graphs["places_of"](node)),
    ]
    kept = sentence("torch.freed_graph.kept", name=name) if name else ""
    holder = "torch.freed_graph.holder" if name else "torch.freed_graph.node"
    native["lifetime_error"](
        Kind.FREED_GRAPH,
        Severity.ERROR,
        sentence("torch.freed_graph.title"),
        sentence("torch.freed_graph.why", line=line, kept=kept),
        sentence("torch.freed_graph.fix"),
        type(error).__name__,
        interceptors["text_of"](error),
        sentence(holder, name=name, node=node.name()),
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
        return interceptors["shown"](
            interceptors["names_of"](outputs[0], interceptors["caller"]()), ""
        )
    numbers = [graphs["number_of"](node) for node in nodes]
    known = [n for n in numbers if call and n in call.names and n >= graphs["number_of"](freed)]
    return "`%s`" % call.names[min(known)] if known else ""


# ---- a tensor that was changed


def tell_changed(error, roots):
    nodes = graphs["walk"](roots)
    savers = [node for node in nodes if has_changed(node)]
    change = find_change(nodes, savers, shape_in(str(error)))
    saver = change.saver
    by = saver.name() if saver is not None else sentence("torch.an_operation")
    saved = graphs["places_of"](saver) if saver is not None else []
    name = change.name or sentence("torch.a_tensor")
    native["lifetime_error"](
        Kind.INPLACE_MODIFIED,
        Severity.ERROR,
        sentence("torch.inplace_modified.title"),
        why_changed(name, by, saved, change.places),
        sentence("torch.inplace_modified.fix"),
        type(error).__name__,
        interceptors["text_of"](error),
        sentence("torch.inplace_modified.holder", name=name, node=by),
        told(
            [
                (PlaceRole.USED, torch_calls["user_places"](interceptors["caller"]())),
                (PlaceRole.ENDED, change.places),
                (PlaceRole.CREATED, saved),
            ]
        ),
    )


def why_changed(name, node, saved, changed):
    at = sentence("at", line=interceptors["line_of"](saved)) if saved else ""
    line = interceptors["line_of"](changed) if changed else ""
    changed = sentence("torch.inplace_modified.changed", line=line) if changed else ""
    return sentence("torch.inplace_modified.why", node=node, name=name, at=at, changed=changed)


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
    """A tensor's producer is followed by whoever saved it and by whoever changed it. Some producers save it themselves."""
    of_leaf = None
    for saver, producer in [(s, m) for s in savers for m in producers_below(s)] + [
        (s, s) for s in savers
    ]:
        leaf = leaf_below(producer)
        if leaf is not None and leaf._version > 0 and shape in (None, sorted(leaf.shape)):
            change = Change(saver, *stepped_where(leaf))
            if change.places:
                return change
            of_leaf = of_leaf or change
            continue
        for node in readers_after(saver, producer, nodes):
            places = graphs["places_of"](node) or item_places(node, saver)
            name = changed_name(places, node) if is_later(node, savers) else None
            if name is not None:
                return Change(saver, places, name)
    if of_leaf is not None and of_leaf.name:
        return of_leaf
    return Change(savers[0] if savers else None, *changed_silently(shape))


def producers_below(saver):
    """Those of what it got, and of what that is a view of: who changes one changes the other."""
    producers = []
    for node, _ in saver.next_functions:
        while node is not None:
            producers.append(node)
            is_view = VIEWS.match(node.name()) and len(node.next_functions) == 1
            node = node.next_functions[0][0] if is_view else None
    return producers


def is_later(node, savers):
    """What changes a tensor in place is no reader of it; pieces that are put in may themselves have saved one."""
    return node not in savers or node.name().endswith("CopySlices")


def readers_after(saver, producer, nodes):
    """Nodes that got the producer's output after the saver had, the first one first."""
    number_of = graphs["number_of"]
    readers = [node for node in nodes if leads_to(node, producer)] + other_graphs(producer)
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


def leads_to(node, producer):
    return any(following is producer for following, _ in node.next_functions)


def other_graphs(producer):
    """Nodes of tensors that live but take no part in this backward()."""
    tensors = native["instances"](sys.modules["torch"].Tensor)
    found = [t.grad_fn for t in tensors if not t.is_leaf and t.grad_fn is not None]
    return [node for node in found if leads_to(node, producer)]


def changed_name(places, node):
    """ "`gate`" of `gate.clamp_(min=0.05)` if the line changes something in place by this node's operation, else None."""
    place = interceptors["users"](places)
    statement = statements["statement_at"](place[0], place[2]) if place else None
    if statement is None:
        return sentence("torch.its_argument") if is_changed_by_library(node) else None
    base = re.sub(r"Backward\d*$", "", node.name().rpartition(":")[2])
    name = changed_by_operation(statement, base)
    if name:
        return "`%s`" % name
    is_asked = statements["has_argument"](statement, "inplace", True)
    if not is_asked and not changing_calls(statement) and not is_changed_by_library(node):
        return None
    given = [statements["dotted"](argument) for argument in first_arguments(statement)]
    return next(("`%s`" % name for name in given if name), sentence("torch.its_argument"))


def changing_calls(statement):
    return statements["changing_calls"](statement)


def first_arguments(statement):
    return [call.args[0] for call in statements["calls_in"](statement) if call.args]


def changed_by_operation(statement, base):
    """ "gate" of `gate.clamp_()`, `gate += 1` and `gate[0] = 1`, if that is this operation of torch's; else None."""
    for call in changing_calls(statement):
        if statements["called_name"](call).replace("_", "") == base.lower():
            name = statements["dotted"](getattr(call.func, "value", None))
            if name:
                return name
    targets = statements["targets_of"](statement)
    if SIGNS.get(base) and statements["sign_of"](statement) == SIGNS[base]:
        return statements["dotted"](statements["without_items"](targets[0]))
    return statements["item_target"](statement) if base == "CopySlices" else None


def is_changed_by_library(node):
    """nn.ReLU(inplace=True): the line that calls the module does not show it, but that of torch's which calls relu_()."""
    innermost = graphs["innermost_of"](node)
    if innermost is None or not interceptors["is_library"](innermost[0]):
        return False
    statement = statements["statement_at"](*innermost)
    return statement is not None and bool(changing_calls(statement))


def item_places(node, saver):
    """Torch remembers no line for `x[0] = y`: the only such line of the function behind what saved x, if there is one, or
    the very line that saved it, in a loop."""
    saved = interceptors["users"](graphs["places_of"](saver))
    if not node.name().endswith("CopySlices") or saved is None:
        return []
    file, function, line = saved
    own = statements["statement_at"](file, line)
    behind = statements["statements_behind"](file, line)
    stores = [s for s in [own, *behind] if s is not None and statements["item_target"](s)]
    return [(file, function, stores[0].lineno)] if len(stores) == 1 else []


# ---- a tensor without gradients that was changed: no graph knows of it


def changed_silently(shape):
    """(where, name) of the only tensor without gradients in reach that has this shape and was changed."""
    found = {}
    for frame in list(interceptors["user_frames"](interceptors["caller"]()))[:3]:
        for name, value in interceptors["peek"](frame).items():
            if is_changed(value, shape):
                found.setdefault(id(value), (name, frame.f_code.co_filename))
            for path, module in torch_calls["modules_in"](name, value):
                fields = interceptors["fields_of"](module)
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
    word = name.rpartition(".")[2]
    lines = set()
    for statement in statements["simple_statements"](source) if source else []:
        changed = statements["changed_in_place"](statement)
        if any(name.rpartition(".")[2] == word for name in changed):
            lines.add(statement.lineno)
    return [(source, statements["function_name"](source, n), n) for n in lines][: len(lines) == 1]


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
    for frame in list(interceptors["user_frames"](interceptors["caller"]()))[:3]:
        steps = []
        for name, optimizer in optimizers_in(frame):
            if has_parameter(optimizer, leaf):
                unseen = unseen or parameter_name(frame, leaf) or parameter_of(name)
                line = line_before(frame, name + ".step")
                steps.append((0 < line < frame.f_lineno, line, name))
        _, line, name = max(steps, default=(False, 0, ""))
        if line:
            place = (frame.f_code.co_filename, frame.f_code.co_name, line)
            return [place], parameter_name(frame, leaf) or parameter_of(name)
    return [], unseen


def parameter_of(optimizer):
    return sentence("torch.parameter_of", optimizer=optimizer)


def optimizers_in(frame):
    """[("self.optimizer", it), ...] of what the frame's variables are, or have."""
    optimizer_type = sys.modules["torch"].optim.Optimizer
    found = []
    for name, value in interceptors["peek"](frame).items():
        fields = {} if torch_calls["is_tensor"](value) else interceptors["fields_of"](value)
        inside = [("%s.%s" % (name, field), thing) for field, thing in fields.items()]
        found += [(n, v) for n, v in [(name, value), *inside] if isinstance(v, optimizer_type)]
    return found


def has_parameter(optimizer, leaf):
    return any(p is leaf for group in optimizer.param_groups for p in group["params"])


def line_before(frame, callee):
    """The last line of the function that calls it, before the one that runs; or behind it, in a loop."""
    code = frame.f_code
    lines = {line for _, line in dis.findlinestarts(code)}
    matching = sorted(
        statement.lineno
        for statement in statements["simple_statements"](code.co_filename)
        for call in statements["calls_in"](statement)
        if statement.lineno in lines and statements["dotted"](call.func) == callee
    )
    before = [n for n in matching if n < frame.f_lineno]
    return (before or matching or [0])[-1]


def parameter_name(frame, leaf):
    for name, value in interceptors["peek"](frame).items():
        for path, module in torch_calls["modules_in"](name, value):
            for field, parameter in (
                interceptors["fields_of"](module).get("_parameters") or {}
            ).items():
                if parameter is leaf:
                    return "`%s.%s`" % (path, field)
    return ""
