"""Wherever the record cannot be written, the program runs unharmed and one sentence says so."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from .conftest import PROGRAM

RUN = ["--", sys.executable, "-c", PROGRAM]


def ran_unharmed(outcome) -> str:
    """Tenure's words, in one line."""
    assert outcome.returncode == 0
    assert outcome.stdout == "ran\n"
    return " ".join(outcome.stderr.split())


def test_a_full_disk(run_tenure, mounted):
    disk = mounted("size=64k")
    (disk / "filler").write_bytes(b"x" * 60000)
    words = ran_unharmed(run_tenure(["run", "-o", str(disk / "r"), *RUN]))
    assert "No space left on device" in words
    assert words.count("No space left") == 1
    assert "tenure: clean." in words  # the findings come from memory


def test_a_limit_of_file_size(tenure, tmp_path):
    command = f'ulimit -f 0; exec {tenure} run -o {tmp_path / "r"} -- {sys.executable} -c "$1"'
    done = subprocess.run(
        ["/bin/bash", "-c", command, "bash", PROGRAM], capture_output=True, encoding="utf-8"
    )
    words = ran_unharmed(done)
    assert "File too large" in words
    assert "ulimit -f" in words


def test_a_folder_that_cannot_be_written(run_tenure, mounted, tmp_path):
    folder, temporary = mounted("ro"), tmp_path / "temporary"
    temporary.mkdir()
    outcome = run_tenure(["run", *RUN], cwd=folder, environ={"TMPDIR": str(temporary)})
    words = ran_unharmed(outcome)
    assert f"the record went to {temporary}/tenure-" in words
    assert len(list(temporary.glob("tenure-*/ledger.*"))) == 1


def test_a_folder_that_is_gone(tenure, tmp_path):
    command = f"mkdir gone; cd gone; rmdir ../gone; {tenure} run /bin/echo ran"
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, env=environ, capture_output=True, encoding="utf-8"
    )
    ran_unharmed(done)


@pytest.mark.parametrize("name", ["file/r", "/proc/r", "/dev/null/r"])
def test_a_record_that_cannot_be_made(run_tenure, tmp_path, name):
    (tmp_path / "file").write_text("")
    outcome = run_tenure(["run", "-o", name, *RUN])
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert outcome.stderr.startswith(f"tenure: cannot make the record {name}: ")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["/dev/full", "/no/such/folder/x.json", "."])
def test_findings_that_cannot_be_written(tenure, tmp_path, name):
    command = [tenure, "run", "--json", name, "-o", str(tmp_path / "r"), *RUN]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    words = ran_unharmed(done)
    assert f"tenure: cannot write {name}: " in words
    assert "tenure: clean." in words
    show = [tenure, "show", "--json", name, str(tmp_path / "r")]
    done = subprocess.run(show, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.returncode == 2
    assert done.stderr.startswith(f"tenure: cannot write {name}: ")
    assert done.stderr.count("\n") == 1


def test_no_descriptors_to_watch_with(tenure, tmp_path):
    command = f"ulimit -n 5; exec {tenure} run -o {tmp_path / 'r'} -- /bin/echo ran"
    done = subprocess.run(["/bin/bash", "-c", command], capture_output=True, encoding="utf-8")
    assert "runs without Tenure" in ran_unharmed(done)
