"""What adapters read of a statement is the same however it is laid out: python/tenure/_statements.py."""

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent / "python" / "tenure" / "_statements.py"


@pytest.fixture(scope="module")
def statements():
    namespace: dict = {}
    exec(compile(SOURCE.read_text(), str(SOURCE), "exec"), namespace)
    return namespace


@pytest.fixture
def file_of(tmp_path):
    def write(text):
        file = tmp_path / "program.py"
        file.write_text(text)
        return str(file)

    return write


ASSIGNED = [
    ("total = make(0)\n", 1, "total"),
    ("self.total: Sum = make(0)\n", 1, "self.total"),
    ("if True: total = make(0)\n", 1, "total"),
    ("total = make(\n    0,\n)\n", 2, "total"),
    ("first = second = make(0)\n", 1, "first"),
    ("first, second = make(0)\n", 1, None),
    ("total['a'] = make(0)\n", 1, None),
    ("total += make(0)\n", 1, None),
    ("total == make(0)\n", 1, None),
    ("'total = make(0)'\n", 1, None),
    ("total = (\n", 1, None),
    ("\ntotal = make(0)\n", 1, None),
]


@pytest.mark.parametrize(("text", "line", "name"), ASSIGNED)
def test_the_name_that_a_statement_assigns(statements, file_of, text, line, name):
    assert statements["assigned_name"](file_of(text), line) == name


BLOCKS = [
    ("with open(p) as f:\n    pass\n", 1, "f"),
    ("with open(p) as f: pass\n", 1, "f"),
    ("with open(p) as f, open(q) as g:\n    pass\n", 1, "g"),
    ("with open(p) as f, lock:\n    pass\n", 1, "f"),
    ("with open(p) as f, \\\n        open(q) as g:\n    pass\n", 1, "f"),
    ("with open(p) as f, \\\n        open(q) as g:\n    pass\n", 2, "g"),
    ("with open(\n    p\n) as f:\n    pass\n", 1, "f"),
    ("with open(p) as f:\n    with open(q) as g:\n        pass\n", 2, "g"),
    ("async def main():\n    async with connect(p) as f:\n        pass\n", 2, "f"),
    ("with open(p):\n    pass\n", 1, None),
    ("with open(p) as f:\n    pass\n", 2, None),
    ("'with open(p) as f:'\n", 1, None),
    ("import os as f\n", 1, None),
]


@pytest.mark.parametrize(("text", "line", "name"), BLOCKS)
def test_the_name_that_a_block_gives(statements, file_of, text, line, name):
    assert statements["block_name"](file_of(text), line) == name


@pytest.mark.parametrize(
    ("text", "line", "end"),
    [
        ("with tape:\n    a = 1\n    b = f(\n        2)\nc = 3\n", 1, 4),
        ("with tape:\n    a = 1\n\n\n    b = 2\n", 1, 5),
        ("with tape: a = 1\nb = 2\n", 1, 1),
        ("a = 1\nb = 2\n", 1, 1),
    ],
)
def test_the_last_line_of_a_block(statements, file_of, text, line, end):
    assert statements["block_end"](file_of(text), line) == end


CALLS = """\
fast = trace(slow)
fast(1)
for x in fast(2):
    print("fast(3)", other.fast(4))
def later():
    # fast(5)
    quick = trace(slow)
    quick(6)
    if quick(
        7
    ):
        pass
quick(8)
"""


@pytest.mark.parametrize(
    ("name", "line", "lines"), [("fast", 1, [2, 3]), ("quick", 7, [8, 9]), ("slow", 1, [])]
)
def test_the_lines_that_call_a_name_behind_its_own(statements, file_of, name, line, lines):
    assert statements["lines_that_call"](name, file_of(CALLS), line) == lines
