"""Under pytest the unit is a test, in a notebook a run of a cell, and cells have the names that people see."""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = """
import pytest
kept = []
def work():
    return sum(range(20_000)) * 0
def remember():
    kept.append(bytearray(100_000 + work()))
@pytest.mark.parametrize("n", range(30))
def test_parse(n):
    remember()
@pytest.mark.parametrize("n", range(30))
def test_write(n):
    remember()
"""

NOTEBOOK = """
import nbformat, sys
from nbclient import NotebookClient
cells = ["kept = []", "def work():\\n    return sum(range(20_000)) * 0", *sys.stdin.read().split("%%")]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
NotebookClient(book, kernel_name="python3").execute()
print(book.cells[-1].outputs[0].text)
"""

LOOP = "import sys\n\nfor n in range(120):\n    kept.append(bytearray(200_000 + work()))%%print(len(kept))"


def test_a_test_is_a_step(env, run_tenure, tmp_path: Path) -> None:
    (tmp_path / "test_leaky.py").write_text(TESTS)
    command = [env("web"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_leaky.py"]
    outcome = run_tenure(["run", "--", *command])
    assert outcome.returncode == 0, outcome.stdout
    leak = outcome.findings["findings"][0]
    assert leak["severity"] == "leak"
    assert (leak["per"], leak["steps"]) == ("test", 60)
    assert leak["bytes_per_step"] == pytest.approx(100_000, rel=0.1)


def run_notebook(cells: str, env, run_tenure, tmp_path: Path):
    (tmp_path / "book.py").write_text(NOTEBOOK)
    outcome = run_tenure(["run", "--", env("web"), "book.py"], stdin=cells)
    assert outcome.returncode == 0, outcome.stderr
    return outcome


def test_a_cell_has_its_number_and_its_text(env, run_tenure, tmp_path: Path) -> None:
    outcome = run_notebook(LOOP, env, run_tenure, tmp_path)
    kept = next(f for f in outcome.findings["findings"] if f["bytes"] > 20_000_000)
    place = kept["where"][0]
    assert (place["file"], place["line"]) == ("In[3]", 4)
    assert "kept.append(bytearray(200_000" in place["source"]
    assert "In[3], line 4" in outcome.stderr
    assert "book.py" not in kept["holder"]["text"]
