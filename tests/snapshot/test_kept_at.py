"""The line that fills a holder is found in the bytecode the program ran, on every Python: specialised, and without its source."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import find_python
import pytest

# Each with the line that keeps, and the function it stands in.
PROGRAMS: Dict[str, Tuple[str, int, str]] = {
    "module": (
        """\
        losses = []
        for step in range(200):
            loss = bytearray(100_000)
            losses.append(loss)
        """,
        4,
        "<module>",
    ),
    "method": (
        """\
        class Loader:
            def __init__(self):
                self.cache = {}
            def load(self, key):
                data = bytearray(100_000)
                self.cache[key] = data
                return len(self.cache)
        def main():
            loader = Loader()
            for step in range(200):
                loader.load(step)
        main()
        """,
        6,
        "Loader.load",
    ),
    "closure": (
        """\
        def install():
            held = []
            def hook(step):
                data = bytearray(100_000)
                held.append(data)
            return hook
        def main():
            hook = install()
            for step in range(200):
                hook(step)
        main()
        """,
        5,
        "install.<locals>.hook",
    ),
    "parameter": (
        """\
        def keep(log, step):
            data = bytearray(100_000)
            log.setdefault(step, []).append(data)
        def main():
            rows = {}
            for step in range(200):
                keep(rows, step)
        main()
        """,
        3,
        "keep",
    ),
    # Libraries compile thousands of functions under the names that shells give to code.
    "beside generated code": (
        """\
        generated = {}
        for n in range(6000):
            exec("def f%d(x):\\n    y = x + %d\\n    return [y, x]" % (n, n), generated)
        def main():
            rows = []
            for step in range(200):
                data = bytearray(100_000)
                rows.append(data)
                sum(range(60_000))  # time for a snapshot while main() runs
        main()
        """,
        8,
        "main",
    ),
}


def places(findings: Dict[str, Any]) -> List[Tuple[int, str]]:
    return [
        (place["line"], place["function"])
        for finding in findings["findings"][:1]  # the generated code piles up as well
        for place in finding["where"]
        if place["role"] == "kept at"
    ]


@pytest.mark.parametrize("version", find_python.SUPPORTED)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_line_that_keeps_is_told(
    name: str,
    version: str,
    run_tenure: Callable[..., Any],
    python_of: Callable[[str], str],
    tmp_path: Any,
) -> None:
    text, line, function = PROGRAMS[name]
    program = tmp_path / "train.py"
    body = "".join(row[8:] + "\n" for row in text.splitlines())
    program.write_text(body + "import os; os.remove(__file__); print('fine')\n")
    outcome = run_tenure(["run", "-o", "record", "--", python_of(version), str(program)])
    assert outcome.stdout == "fine\n", outcome.stderr[-2000:]
    assert places(outcome.findings) == [(line, function)]
