"""The walk of a block counts modules whose code ran, and no others."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import walk

PROFILE = """version: 1
fl=(1) /clone/src/inproc/hooks/libc_heap.cpp
fn=(1) malloc
131 4
fi=(2) /clone/src/base/ids.h
12 1
fe=(1)
132 2
cfi=(3) /clone/src/report/terminal.cpp
cfn=(2) print
calls=1 7
133 0
fl=(4) /usr/include/c++/12/vector
fn=(3) push_back
1 1
"""


def test_a_file_counts_when_its_code_ran_and_not_when_it_is_only_called():
    files = walk.files_run(PROFILE)
    assert "/clone/src/inproc/hooks/libc_heap.cpp" in files
    assert "/clone/src/base/ids.h" in files
    assert "/clone/src/report/terminal.cpp" not in files


def test_a_file_that_a_call_names_counts_once_it_ran():
    assert "/clone/src/report/terminal.cpp" in walk.files_run(PROFILE + "fl=(3)\nfn=(2)\n7 1\n")


def test_header_and_source_are_one_module_and_other_projects_are_none(tmp_path: Path):
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "ids.h").write_text("")
    files = ["/clone/src/base/ids.h", "/clone/src/base/ids.cpp", "/usr/src/glibc/malloc.cpp"]
    assert walk.modules_of(files, tmp_path) == {"base/ids"}


def test_the_walk_leads_from_the_hook_to_the_report(tenure: str, root: Path):
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed: tools/setup.py test")
    passed = walk.by_folder(walk.walk(tenure, root / "src"))
    assert "inproc/hooks/libc_heap" in passed["inproc"]
    assert "report/terminal" in passed["report"]
    assert passed["analyze"]
