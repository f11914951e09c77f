"""What `%%tenure` tells of cells of one real notebook."""

from __future__ import annotations

from typing import Dict, List

import pytest

from .conftest import LOAD, Cell

REPEATED = "%%tenure\nbig = make(2_000_000)"
FAILS = "%%tenure\ndef fail():\n    local = make(3_000_000)\n    raise ValueError('x')\nfail()"
CELLS = {
    "load": LOAD,
    "output": "%%tenure\nmake(1_000_000)",
    "lines": "%%tenure\nmore = make(2_000_000)\nfor i in range(50):\n    kept.append(make(30_000))",
    "once": REPEATED,
    "twice": REPEATED,
    "fails": FAILS,
    "next": "since = 1",
    "nothing": "%%tenure\nmake(10);",
    "shown": "%%tenure\nx = [make(100_000) for i in range(10)]\nx",
    "timed": "%%tenure\n%%time\nz = make(800_000)",
    "passed": "%%tenure\nfrom __future__ import annotations\nmake(900_000);",
    "syntax": "%%tenure\nmake(1",
    "grows": "for i in range(200):\n    kept.append(bytearray(50_000)); sum(range(20_000))",
    "all": "%tenure",
    "wrong": "%tenure foo",
    "on": "%tenure on",
    "unasked": "w = make(600_000)",
    "small": "v = make(10)",
    "off": "%tenure off",
    "unloaded": "%unload_ext tenure\n%reload_ext tenure",
}


@pytest.fixture(scope="module")
def cells(run_notebook, tmp_path_factory: pytest.TempPathFactory) -> Dict[str, Cell]:
    done: List[Cell] = run_notebook(tmp_path_factory.mktemp("cells"), list(CELLS.values()))
    return dict(zip(CELLS, done))


def test_a_result_is_kept_by_its_number(cells: Dict[str, Cell]) -> None:
    cell = cells["output"]
    assert cell.sentence.startswith("In[2] left 7.")
    assert "In[2], line 2   make(1_000_000)" in cell.shown
    assert "made at In[1], line 4 in make()" in cell.shown
    assert "kept by ndarray Out[2] of the notebook" in cell.shown
    assert "`%reset -f out`" in cell.shown and "semicolon" in cell.shown


def test_each_line_has_what_it_left_and_who_keeps_it(cells: Dict[str, Cell]) -> None:
    text = cells["lines"].shown
    assert cells["lines"].sentence.startswith("In[3] left 26.7 MiB behind, in 51 blocks.")
    assert "15.3 MiB         1  In[3], line 2   more = make(2_000_000)" in text
    assert "kept by global ndarray `more` of the notebook" in text
    assert "11.4 MiB        50  In[3], line 4   kept.append(make(30_000))" in text
    assert "kept by global list `kept` of the notebook (50 items)" in text
    assert "fix:" not in text  # what a variable keeps is no mistake


def test_html_says_the_same_and_runs_nothing(cells: Dict[str, Cell]) -> None:
    html = cells["lines"].html
    for words in ("In[3] left 26.7 MiB behind", "In[3], line 4", "kept.append(make(30_000))"):
        assert words in html
    assert "<script" not in html and "<style" not in html


def test_a_cell_that_ran_twice_replaces_what_it_left(cells: Dict[str, Cell]) -> None:
    assert cells["once"].sentence.startswith("In[4] left 15.3 MiB behind, in 1 block. ")
    assert cells["twice"].sentence.startswith(
        "In[5] left 15.3 MiB behind, in 1 block; it freed 15.3 MiB made before it."
    )


def test_a_cell_that_fails_fails_and_is_told(cells: Dict[str, Cell]) -> None:
    cell = cells["fails"]
    assert cell.error == "ValueError"
    assert cell.sentence.startswith("In[6] left 22.9 MiB behind")
    assert "kept by the traceback of the last error, local `local` of fail()" in cell.shown
    assert "the next error takes its place" in cell.shown


def test_a_cell_that_leaves_nothing_says_so(cells: Dict[str, Cell]) -> None:
    assert cells["nothing"].sentence.startswith("In[8] left nothing behind.")
    assert cells["passed"].sentence.startswith("In[11] left nothing behind. Its peak was 6.9 MiB")
    assert not cells["passed"].error


def test_a_result_that_has_a_name_has_both(cells: Dict[str, Cell]) -> None:
    assert "kept by global list `x` and Out[9] of the notebook (10 items)" in cells["shown"].shown
    assert "`del x` and then `%reset -f out` let go of it" in " ".join(cells["shown"].shown.split())


def test_other_magics_work_below(cells: Dict[str, Cell]) -> None:
    assert "Wall time" in cells["timed"].printed
    assert "kept by global ndarray `z` of the notebook" in cells["timed"].shown


def test_a_cell_with_an_error_of_syntax_is_not_judged(cells: Dict[str, Cell]) -> None:
    assert cells["syntax"].error and not cells["syntax"].shown


def test_the_whole_notebook_is_judged_by_growth(cells: Dict[str, Cell]) -> None:
    cell = cells["all"]
    assert " in 200 steps so far. " in cell.shown and "LEAK" in cell.shown
    assert "made at  In[13], line 2" in cell.shown
    assert "kept by  global list `kept` of the notebook" in cell.shown
    assert "In[13], line 2" in cell.html


def test_a_word_that_is_none_is_said(cells: Dict[str, Cell]) -> None:
    assert (
        "%tenure foo: there is no such word; there are `on`, `off` and none"
        in cells["wrong"].printed
    )


def test_every_cell_that_leaves_much_is_told_where_asked(cells: Dict[str, Cell]) -> None:
    assert cells["unasked"].sentence.startswith("In[17] left 4.6 MiB behind")
    assert not cells["small"].outputs and not cells["off"].outputs and not cells["on"].outputs


def test_it_is_unloaded_and_loaded_again(cells: Dict[str, Cell]) -> None:
    assert not cells["unloaded"].error and not cells["load"].outputs


def test_a_kernel_without_tenure_says_what_to_do(run_notebook, tmp_path) -> None:
    cells = [LOAD, "%%tenure\nx = make(1_000_000)\nx.sum()", "%tenure", "%tenure on", "y = 2"]
    loaded, judged, asked, on, other = run_notebook(tmp_path, cells, kernel="python3")
    problem = "this kernel does not run under Tenure"
    assert problem in loaded.printed and "`tenure kernel install`" in loaded.printed
    assert judged.outputs[0]["data"]["text/plain"].endswith("1000000.0)")  # the cell ran
    assert problem in judged.shown and "left" not in judged.shown
    assert problem in asked.shown and problem in on.printed
    assert not other.outputs
