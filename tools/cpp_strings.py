"""String literals and calls in C++ sources, for the gates that look at them."""

from __future__ import annotations

import ast
import re
from typing import Iterator, List, NamedTuple

from cpp_text import SKIPPED, blank

STRING = r'"(?:[^"\\\n]|\\.)*"'


class Literal(NamedTuple):
    line: int
    text: str


class Call(NamedTuple):
    line: int
    arguments: str


def without_comments(source: str) -> str:
    """The same lines, and spaces where comments and characters were."""
    return SKIPPED.sub(lambda found: found[0] if found[0][0] in '"R' else blank(found), source)


def literals_in(source: str) -> Iterator[Literal]:
    """Strings that stand side by side are one."""
    code = without_comments(source)
    for found in re.finditer(rf"{STRING}(?:\s*{STRING})*", code):
        parts = [ast.literal_eval(part) for part in re.findall(STRING, found[0])]
        yield Literal(code.count("\n", 0, found.start()) + 1, "".join(parts))


def calls_in(source: str, function: str) -> Iterator[Call]:
    """Calls by that name, with all between their parentheses; one within another is a call as well."""
    code = without_comments(source)
    for found in re.finditer(rf"(?<![\w.>]){function}\(", code):
        depth, end = 1, found.end()
        for token in re.finditer(rf"{STRING}|[()]", code[found.end() :]):
            depth += {"(": 1, ")": -1}.get(token[0], 0)
            end = found.end() + token.start()
            if depth == 0:
                break
        yield Call(code.count("\n", 0, found.start()) + 1, code[found.end() : end])


def split_arguments(arguments: str) -> List[str]:
    """At the commas that stand in no parentheses, brackets, braces or strings."""
    parts, depth, start = [], 0, 0
    for token in re.finditer(rf"{STRING}|[(\[{{)\]}},]", arguments):
        if token[0] == "," and depth == 0:
            parts.append(arguments[start : token.start()])
            start = token.end()
        elif token[0] != "," and not token[0].startswith('"'):
            depth += 1 if token[0] in "([{" else -1
    last = arguments[start:]
    return [part.strip() for part in [*parts, last] if part.strip()]
