"""What the statements of a source file assign, call and change, by the running interpreter's own parser.

Only asked when an error is told. A file that cannot be read or parsed has no statements. Runs in Tenure's private namespace.
"""

import ast
import linecache

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
CHANGING = {ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/=", ast.Pow: "**="}


def parsed(file):
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except Exception:
        return ast.parse("")


def functions_of(file):
    return [node for node in ast.walk(parsed(file)) if isinstance(node, FUNCTIONS)]


def first_line(node):
    """Decorators included."""
    decorators = getattr(node, "decorator_list", [])
    return min([node.lineno] + [decorator.lineno for decorator in decorators])


def last_line(node):
    end = getattr(node, "end_lineno", None)  # 3.8+
    return end or max([getattr(part, "lineno", 0) for part in ast.walk(node)] or [0])


def function_at(file, line):
    """The innermost function around a line; None: it stands outside of all."""
    holding = [node for node in functions_of(file) if first_line(node) <= line <= last_line(node)]
    return max(holding, key=first_line, default=None)


def function_name(file, line):
    node = function_at(file, line)
    return "<module>" if node is None else getattr(node, "name", "<lambda>")


def is_simple(node):
    """A statement that has no others inside."""
    return isinstance(node, ast.stmt) and not hasattr(node, "body")


def simple_statements(file):
    return [node for node in ast.walk(parsed(file)) if is_simple(node)]


def statement_at(file, line):
    """The one that goes over this line; None: there is none."""
    found = [n for n in simple_statements(file) if n.lineno <= line <= last_line(n)]
    return min(found, key=lambda n: last_line(n) - n.lineno, default=None)


def statements_behind(file, line):
    """Those further down in the same function or class of the module, or in the module for a line of its own."""
    end = scope_end(file, line)
    return [n for n in simple_statements(file) if line < n.lineno <= end]


def scope_end(file, line):
    """The last line of the function or class of the module that a line is in; of a line of the module itself: no line."""
    around = [n for n in parsed(file).body if first_line(n) <= line <= last_line(n)]
    is_inside = around and hasattr(around[0], "name")
    return last_line(around[0]) if is_inside else float("inf")


def lines_that_call(name, file, line):
    """Lines that call `name()` in the same scope, behind this line."""
    end = scope_end(file, line)
    calls = [call for call in calls_in(parsed(file)) if dotted(call.func) == name]
    return sorted({call.lineno for call in calls if line < call.lineno <= end})


def assigned_name(file, line):
    """ "self.gate" of `self.gate = f(x)` at this line; None: nothing with one name is assigned there."""
    statement = statement_at(file, line)
    is_plain = isinstance(statement, (ast.Assign, ast.AnnAssign))
    first = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return dotted(first[0]) if is_plain else None


# ---- blocks of `with`


def block_at(file, line):
    """The innermost `with` whose items stand at this line; None: there is none."""
    found = [n for n in ast.walk(parsed(file)) if isinstance(n, (ast.With, ast.AsyncWith))]
    found = [n for n in found if n.lineno <= line <= max(map(last_line_of_item, n.items))]
    return max(found, key=lambda n: n.lineno, default=None)


def last_line_of_item(item):
    return last_line(item.optional_vars or item.context_expr)


def block_end(file, line):
    """The last line of the `with` block that begins at this line; the line itself if none does."""
    block = block_at(file, line)
    return last_line(block) if block else line


def block_name(file, line):
    """ "f" of `with open(path) as f:` at this line, the last one of several; None: it has no name."""
    block = block_at(file, line)
    items = [] if block is None else block.items
    here = [item for item in items if item.context_expr.lineno <= line <= last_line_of_item(item)]
    named = [i.optional_vars for i in here or items if isinstance(i.optional_vars, ast.Name)]
    return named[-1].id if named else None


# ---- what one statement does


def dotted(node):
    """ "self.gate" of the expression; None: it is no name."""
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return inner and "%s.%s" % (inner, node.attr)
    return node.id if isinstance(node, ast.Name) else None


def without_items(node):
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def in_order(nodes):
    return sorted(nodes, key=lambda node: (node.lineno, node.col_offset))


def calls_in(statement):
    return in_order(node for node in ast.walk(statement) if isinstance(node, ast.Call))


def called_name(call):
    """ "clamp_" of `gate.clamp_(min=0)`, of `clamp_(gate)`."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def is_changing_name(name):
    """ "clamp_" changes in place; "_" and "__init__" do not."""
    return len(name) > 1 and name.endswith("_") and (name[-2].islower() or name[-2].isdigit())


def changing_calls(statement):
    """Of functions and methods that change their argument or object in place, as torch names them."""
    return [call for call in calls_in(statement) if is_changing_name(called_name(call))]


def has_argument(statement, name, value):
    """Whether a call is given `name=value`."""
    given = [keyword for call in calls_in(statement) for keyword in call.keywords]
    return any(k.arg == name and getattr(k.value, "value", None) is value for k in given)


def sign_of(statement):
    """ "+=" of `x += y`; None of other statements."""
    return CHANGING.get(type(statement.op)) if isinstance(statement, ast.AugAssign) else None


def targets_of(statement):
    """What it assigns, parts of tuples one by one."""
    if isinstance(statement, ast.Assign):
        return [part for target in statement.targets for part in parts_of(target)]
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        return [statement.target]
    return []


def parts_of(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return [part for item in target.elts for part in parts_of(item)]
    return [target.value if isinstance(target, ast.Starred) else target]


def item_target(statement):
    """ "self.gate" of `self.gate[0] = x` and `self.gate[0] += x`; None: it stores no item of a name."""
    first = targets_of(statement)[:1]
    is_item = first and isinstance(first[0], ast.Subscript)
    return dotted(without_items(first[0])) if is_item else None


def changed_in_place(statement):
    """The names of what it changes: `x += y`, `x[0] = y`, `x.clamp_()`, `x[0].clamp_()`."""
    targets = targets_of(statement)
    is_sign = isinstance(statement, ast.AugAssign)
    found = [t for t in targets if is_sign or isinstance(t, ast.Subscript)]
    calls = [c.func for c in changing_calls(statement) if isinstance(c.func, ast.Attribute)]
    names = [dotted(without_items(node)) for node in found + [func.value for func in calls]]
    return [name for name in names if name]
