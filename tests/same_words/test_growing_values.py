"""A value that grows in a loop: one verdict and one figure, however the line is written and whatever became of the file.

Each program is run as it is, with blank lines above, with the growing line wrapped over three lines and with that line
in a function of its own. The record of the first run is shown again after its file was moved, and after lines were added
to it.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, Tuple

import pytest
from same_words.told import NEAR

SIX_LINES = "\n" * 6


@dataclass
class Growing:
    begin: str
    line: str
    wrapped: str
    helper: str  # the growing line in a function
    call: str
    is_judged: bool = True  # False: the exam judges it, here it only has to be told in one way
    env: str = "numpy"


BYTES_PER_STEP = 40_000
WORK = "def work():\n    return sum(range(150_000)) * 0\n"

PROGRAMS: Dict[str, Growing] = {
    "concatenate": Growing(
        "import numpy as np\nlog = np.zeros(0)\n",
        "log = np.concatenate([log, np.ones(5_000 + work())])",
        "log = np.concatenate(\n        [log, np.ones(5_000 + work())]\n    )",
        "def longer(log, row):\n    return np.concatenate([log, row])\n",
        "log = longer(log, np.ones(5_000 + work()))",
    ),
    "list": Growing(
        "import numpy as np\nrows = []\n",
        "rows += [np.ones(5_000 + work())]",
        "rows += [\n        np.ones(5_000 + work())\n    ]",
        "def add(rows, count):\n    rows += [np.ones(count)]\n",
        "add(rows, 5_000 + work())",
    ),
    "str": Growing(
        'text = ""\n',
        'text += "x" * (40_000 + work())',
        'text += "x" * (\n        40_000 + work()\n    )',
        "def longer(text, piece):\n    text += piece\n    return text\n",
        'text = longer(text, "x" * (40_000 + work()))',
    ),
    "bytes": Growing(
        'data = b""\n',
        'data += b"x" * (40_000 + work())',
        'data += b"x" * (\n        40_000 + work()\n    )',
        "def longer(data, piece):\n    data += piece\n    return data\n",
        'data = longer(data, b"x" * (40_000 + work()))',
    ),
    "bytearray": Growing(
        "data = bytearray()\n",
        'data += b"x" * (40_000 + work())',
        'data += b"x" * (\n        40_000 + work()\n    )',
        "def longer(data, piece):\n    data += piece\n    return data\n",
        'data = longer(data, b"x" * (40_000 + work()))',
        is_judged=False,
    ),
    "array": Growing(
        'import array\npiece = array.array("d", [1.0]) * 5_000\nvalues = array.array("d")\n',
        "values += piece * (1 + work())",
        "values += piece * (\n        1 + work()\n    )",
        "def longer(values, more):\n    values += more\n    return values\n",
        "values = longer(values, piece * (1 + work()))",
    ),
    "torch_cat": Growing(
        "import torch\nlog = torch.zeros(0)\n",
        "log = torch.cat([log, torch.ones(10_000 + work())])",
        "log = torch.cat(\n        [log, torch.ones(10_000 + work())]\n    )",
        "def longer(log, row):\n    return torch.cat([log, row])\n",
        "log = longer(log, torch.ones(10_000 + work()))",
        env="torch",
    ),
}


def program_of(growing: Growing, line: str) -> str:
    return f"{growing.begin}{WORK}{growing.helper}for step in range(100):\n    {line}\n"


VARIANTS: Dict[str, Callable[[Growing], str]] = {
    "blank_lines_above": lambda growing: SIX_LINES + program_of(growing, growing.line),
    "wrapped": lambda growing: program_of(growing, growing.wrapped),
    "in_a_function": lambda growing: program_of(growing, growing.call),
}


def assert_told_alike(findings: Dict[str, Any], first: Dict[str, Any]) -> None:
    """One verdict, and of each finding one figure."""
    assert findings["verdict"] == first["verdict"]
    assert [words_of(f) for f in findings["findings"]] == [words_of(f) for f in first["findings"]]
    figures, expected = (
        [f["bytes_per_step"] for f in told["findings"]] for told in (findings, first)
    )
    assert figures == pytest.approx(expected, rel=NEAR)


def words_of(finding: Dict[str, Any]) -> Tuple[str, str, int]:
    return finding["severity"], finding["kind"], finding["steps"]


@pytest.fixture(scope="module")
def first_runs() -> Dict[str, Path]:
    """name -> the folder with the program and its record, of those that ran."""
    return {}


@pytest.fixture
def first_run(first_runs, env, tenure, tmp_path_factory) -> Callable[[str], Path]:
    """The program as it is, run once: program.py, record and findings.json are in the folder."""

    def run(name: str) -> Path:
        if name not in first_runs:
            folder = tmp_path_factory.mktemp(name)
            growing = PROGRAMS[name]
            (folder / "program.py").write_text(program_of(growing, growing.line))
            words = ["run", "-o", "record", "--json", "findings.json", "--"]
            subprocess.run(
                [tenure, *words, env(growing.env), "program.py"],
                cwd=folder,
                check=True,
                timeout=180,
            )
            first_runs[name] = folder
        return first_runs[name]

    return run


def findings_in(folder: Path, file: str) -> Dict[str, Any]:
    return json.loads((folder / file).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [name for name in PROGRAMS if PROGRAMS[name].is_judged])
def test_a_value_that_grows_is_a_leak(name, first_run):
    findings = findings_in(first_run(name), "findings.json")
    assert findings["verdict"] == "leak"
    (leak,) = findings["findings"]
    assert leak["steps"] == 100
    assert leak["bytes_per_step"] == pytest.approx(BYTES_PER_STEP, rel=0.05)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_written_otherwise_it_is_told_the_same(name, variant, first_run, run_on):
    growing = PROGRAMS[name]
    first = findings_in(first_run(name), "findings.json")
    outcome = run_on(growing.env, VARIANTS[variant](growing))
    assert outcome.returncode == 0, outcome.stderr
    assert_told_alike(outcome.findings, first)


@pytest.mark.parametrize("change", ["moved", "lines_added"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_record_tells_the_same_when_the_file_has_changed(name, change, first_run, run_tenure):
    folder = first_run(name)
    program = folder / "program.py"
    before = program.read_text()
    if change == "moved":
        program.unlink()
    else:
        program.write_text(SIX_LINES + before)
    shown = run_tenure(["show", "record", "--json", "again.json"], cwd=folder)
    program.write_text(before)
    assert shown.returncode == 0, shown.stderr
    assert_told_alike(findings_in(folder, "again.json"), findings_in(folder, "findings.json"))
