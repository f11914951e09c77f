"""Interrupts, restarts, idle and killed kernels, and what a record has of cells."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import List

from .conftest import LOAD

WAITS = """%%tenure
import time
kept.append(make(1_000_000))
print("begun", flush=True)
while True:
    time.sleep(0.01)"""


def since(tenure: str, record: Path, cell: str) -> dict:
    command = [tenure, "show", str(record), "--since", cell, "--json", "-"]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def records(folder: Path) -> List[Path]:
    return sorted(folder.glob("*.tenure*"))


def test_an_interrupted_cell_is_told(session) -> None:
    kernel = session()
    assert kernel.run(LOAD) == ""
    text = kernel.run(WAITS, interrupt="begun")
    assert "KeyboardInterrupt" in text
    assert "In[2] left 7.6 MiB behind" in text
    assert "kept by global list `kept` of the notebook (1 items)" in text
    assert kernel.run("%%tenure\nbig = make(2_000_000)").startswith("In[3] left 15.3 MiB behind")


def test_after_a_restart_nothing_of_the_old_kernel_is_told(session, tenure: str) -> None:
    kernel = session()
    kernel.run(LOAD)
    kernel.run("kept.append(make(5_000_000))")
    kernel.ask(restart=1)
    kernel.run(LOAD)
    assert kernel.run("%%tenure\nbig = make(1_000_000)").startswith("In[2] left 7.6 MiB behind")
    assert "no growth" not in kernel.run("%tenure")


def test_the_record_of_a_killed_kernel_tells_its_cells(session, tenure: str) -> None:
    kernel = session()
    kernel.run(LOAD)
    kernel.run("kept.append(make(5_000_000))")
    kernel.run("import tenure; tenure.snapshot()")
    kernel.ask(kill=1)
    assert len(records(kernel.folder)) == 1
    told = since(tenure, records(kernel.folder)[0], "In[2]")
    assert told["sentence"].startswith("In[2] left 38.1 MiB behind, in 1 block.")
    line = told["lines"][0]
    assert (line["at"], line["source"]) == ("In[2], line 1", "kept.append(make(5_000_000))")
    assert line["kept_by"] == "global list `kept` of the notebook (1 items)"


def test_an_idle_notebook_and_hidden_cells_change_nothing(session) -> None:
    kernel = session()
    kernel.run(LOAD)
    kernel.run("first = make(1_000_000)")
    for _ in range(20):  # as front ends ask for names while nobody runs anything
        kernel.run("sorted(globals())[0]", hidden=True)
    assert kernel.run("%%tenure\nbig = make(2_000_000)").startswith("In[3] left 15.3 MiB behind")
    text = kernel.run("%tenure")
    assert "tenure: clean so far" in text


def test_a_cell_that_runs_another_is_one(session) -> None:
    kernel = session()
    kernel.run(LOAD)
    outer = "%%tenure\nget_ipython().run_cell('inner = make(1_000_000)')\nouter = make(2_000_000)"
    text = kernel.run(outer)
    assert "In[2] left 22.9 MiB behind, in 2 blocks." in text
    assert "global ndarray `inner`" in text and "global ndarray `outer`" in text


def test_growth_over_runs_of_a_cell_is_counted_in_them(session) -> None:
    kernel = session()
    kernel.run(LOAD)
    for _ in range(40):
        kernel.run("kept.append(make(100_000)); sum(range(200_000))")
    text = kernel.run("%tenure")
    assert "LEAK" in text and "30.5 MiB now" in text
    assert "A step is one run of a cell." in text
    assert "In[41], line 1" in text  # the last run of the cell


def test_without_source_no_text_of_a_cell_is_in_the_record(session, tenure: str) -> None:
    kernel = session("hidden")
    kernel.run(LOAD)
    kernel.run("kept.append(make(1_234_567)) # secret words")
    kernel.run("import tenure; tenure.snapshot()")
    kernel.ask(kill=1)
    (record,) = records(kernel.folder)
    told = since(tenure, record, "In[2]")
    assert (told["lines"][0]["at"], told["lines"][0]["source"]) == ("In[2], line 1", "")
    files = [file for file in record.rglob("*") if file.is_file()]
    assert files and not any(b"secret words" in file.read_bytes() for file in files)


def test_a_mark_that_is_none_is_said(session, tenure: str) -> None:
    kernel = session()
    kernel.run(LOAD)
    kernel.ask(kill=1)
    command = [tenure, "show", str(records(kernel.folder)[0]), "--since", "In[9]"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "tenure: nothing was marked In[9]\n")
