"""The same program in other words: what it does stays, how it is written changes.

Each function takes the text of a program and gives another one that allocates, keeps and prints the same. `Statements`
tells which statement a line of a text belongs to, so that places in two texts can be compared.
"""

from __future__ import annotations

import ast
import builtins
import io
import tokenize
from typing import Dict, Iterator, List, Set, Tuple

OPENING, CLOSING = "([{", ")]}"


def definitions_in(body: List[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield statement.name


def names_of_interfaces(tree: ast.Module) -> Set[str]:
    """Names that others rely on: imported ones, classes, methods and other attributes, arguments passed by name."""
    names: Set[str] = set(dir(builtins)) | {"self", "cls", "_"}
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ClassDef):
            names.add(node.name)
            names.update(definitions_in(node.body))
            names.update(name.id for name in ast.walk(node) if is_of_class_body(node, name))
        elif isinstance(node, ast.keyword) and node.arg:
            names.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)  # perhaps a key of globals(), or of getattr()
    return names


def is_of_class_body(owner: ast.ClassDef, node: ast.AST) -> bool:
    targets = [t for s in owner.body if isinstance(s, ast.Assign) for t in s.targets]
    return isinstance(node, ast.Name) and node in targets


def bound_names(tree: ast.Module) -> List[str]:
    """Variables, parameters and functions, in the order of the text."""
    names: Dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.setdefault(node.id)
        elif isinstance(node, ast.arg):
            names.setdefault(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or (
            isinstance(node, ast.ExceptHandler) and node.name
        ):
            names.setdefault(node.name)
    return list(names)


class Renamer(ast.NodeTransformer):
    """Gives each name its new one wherever it stands for a variable; attributes and keywords stay."""

    def __init__(self, names: Dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self.names.get(node.arg, node.arg)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self.names.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.name = self.names.get(node.name or "", node.name)
        return self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> ast.AST:
        node.names = [self.names.get(name, name) for name in node.names]
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        node.names = [self.names.get(name, name) for name in node.names]
        return node


def renamed(text: str) -> str:
    """Other names for variables, parameters and functions, as far as nobody else relies on them."""
    tree = ast.parse(text)
    kept = names_of_interfaces(tree)
    free = [name for name in bound_names(tree) if name not in kept and not name.startswith("__")]
    names = {name: f"word{number}" for number, name in enumerate(free)}
    assert not set(names.values()) & set(bound_names(tree))
    return ast.unparse(Renamer(names).visit(tree)) + "\n"


def reformatted(text: str) -> str:
    """As `ast` writes it: no comments, one line for each statement, other quotes and brackets."""
    return ast.unparse(ast.parse(text)) + "\n"


def first_line(statement: ast.stmt) -> int:
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def spaced(text: str) -> str:
    """Blank lines and comments before every statement."""
    starts = {first_line(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)}
    lines: List[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if number in starts:
            lines += [""] * (1 + number % 3) + [f"# here is what was line {number}: x = [x, y]"]
        lines.append(line)
    return "\n".join(lines) + "\n"


def breaks_of(text: str) -> Iterator[Tuple[int, int]]:
    """Where a line may be broken: after an opening bracket and after a comma inside of brackets."""
    depth, in_text = 0, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        in_text += (kind in ("FSTRING_START", "TSTRING_START")) - (
            kind in ("FSTRING_END", "TSTRING_END")
        )
        if kind != "OP" or in_text:
            continue
        depth += (token.string in OPENING) - (token.string in CLOSING)
        if token.string in OPENING or (token.string == "," and depth):
            yield token.end


def wrapped(text: str) -> str:
    """Every bracket over as many lines as it has parts."""
    breaks: Dict[int, List[int]] = {}
    for row, column in breaks_of(text):
        breaks.setdefault(row, []).append(column)
    lines: List[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        ends = [0, *breaks.get(number, []), len(line)]
        lines += [line[a:b] for a, b in zip(ends, ends[1:]) if line[a:b].strip() or a == 0]
    return "\n".join(lines) + "\n"


def in_other_words(text: str) -> str:
    """All of it at once."""
    return spaced(wrapped(reformatted(renamed(text))))


class Statements:
    """Numbers the statements of a text: two texts of one program number them alike."""

    def __init__(self, text: str) -> None:
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
        # Of statements around one line the one that begins last is the innermost.
        self._spans = sorted(
            (first_line(node), node.end_lineno or node.lineno, number)
            for number, node in enumerate(nodes)
        )

    def at(self, line: int) -> int:
        """The number of the innermost statement that the line belongs to."""
        return max(
            (span for span in self._spans if span[0] <= line <= span[1]), default=(0, 0, -1)
        )[2]
