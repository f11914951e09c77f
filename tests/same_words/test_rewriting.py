"""Programs in other words do the same, and their statements are found again."""

from __future__ import annotations

import ast
import contextlib
import io
from pathlib import Path

import pytest
from same_words import rewriting

PROGRAM = '''"""A docstring
over two lines."""
import collections

KINDS = ("a", "b")


class Shelf:
    size = 3

    def __init__(self, books, *, width=2):
        self.books = books
        self.width = width

    @property
    def total(self):
        total = 0
        for book in self.books:
            total += book * self.width
        return total


def longest(words, key=None):
    """Text with (brackets, and commas."""
    try:
        return max(words, key=key or len)
    except ValueError as error:
        print(f"none of {len(words)}, {error!s:.3}")


def count():
    global counted
    counted = [n for n in range(4) if n]
    if not counted:
        return None
    elif len(counted) > 2: print("many",
        sum(counted)); print("more")
    else:
        pass
    def inner():
        nonlocal_text = """one
(two, three
"""
        return nonlocal_text
    return inner()


counted = []
print(Shelf([1, 2], width=5).total, longest(["x", "yy"]), longest(words=[]))
print(count(), counted, Shelf.size, collections.Counter("aab")["a"], KINDS)
'''

WAYS = [
    rewriting.renamed,
    rewriting.reformatted,
    rewriting.spaced,
    rewriting.wrapped,
    rewriting.in_other_words,
]


def printed(text: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(text, "program.py", "exec"), {"__name__": "__main__"})
    return said.getvalue()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_program_in_other_words_prints_the_same(way):
    assert way(PROGRAM) != PROGRAM
    assert printed(way(PROGRAM)) == printed(PROGRAM)


def test_variables_and_functions_are_renamed_but_not_what_others_rely_on():
    before, after = (
        set(rewriting.bound_names(ast.parse(text)))
        for text in (PROGRAM, rewriting.renamed(PROGRAM))
    )
    assert {"books", "book", "longest", "count", "counted", "inner", "error", "n"} <= before - after
    assert {"total", "words", "key", "width", "size", "self"} <= after


def test_a_bracket_takes_a_line_for_each_part():
    assert rewriting.wrapped("x = f(a, [b, c])\n") == "x = f(\na,\n [\nb,\n c])\n"


def test_texts_are_not_broken():
    text = 'x = "f(a, b)"\ny = f"{max(1, 2)}, {x}"\n'
    assert rewriting.wrapped(text) == text


def test_comments_stand_before_statements_and_not_within_them():
    text = rewriting.spaced("x = f(1,\n      2)\nif x:\n    y = 1\n")
    assert [line for line in text.splitlines() if line and not line.startswith("#")] == [
        "x = f(1,",
        "      2)",
        "if x:",
        "    y = 1",
    ]
    assert text.count("#") == 3


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_statement_keeps_its_number(way):
    ours, theirs = (
        [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)]
        for text in (PROGRAM, way(PROGRAM))
    )
    assert [type(node) for node in ours] == [type(node) for node in theirs]
    before, after = rewriting.Statements(PROGRAM), rewriting.Statements(way(PROGRAM))
    for old, new in zip(ours, theirs):
        if not shares_its_line(old, ours) and not shares_its_line(new, theirs):
            assert before.at(old.lineno) == after.at(new.lineno)


def shares_its_line(node: ast.stmt, nodes: list) -> bool:
    return sum(other.lineno == node.lineno for other in nodes) > 1


def test_a_line_belongs_to_the_innermost_statement():
    statements = rewriting.Statements("for x in y:\n    z = f(\n        x)\n")
    assert statements.at(1) == 0
    assert statements.at(2) == statements.at(3) == 1


def test_every_program_of_the_exam_can_be_put_in_other_words():
    programs = sorted((Path(__file__).parent.parent / "exam").glob("*/program.py"))
    assert programs
    for program in programs:
        text = program.read_text(encoding="utf-8")
        compile(rewriting.in_other_words(text), str(program), "exec")
