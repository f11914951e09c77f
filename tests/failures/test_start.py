"""What cannot be run is told in one line with the shell's code; what cannot be seen runs unharmed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HELLO = '#include <stdio.h>\n#include <stdlib.h>\nint main() { free(malloc(99999)); puts("ran"); return 5; }\n'


def one_line(outcome, code: int) -> str:
    assert outcome.returncode == code
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("tenure: ")
    assert outcome.stderr.count("\n") == 1
    return outcome.stderr


@pytest.mark.parametrize(
    "name", ["no-such-program", "./no-such-program", "/no/such/program", "no.py"]
)
def test_a_missing_program(run_tenure, tmp_path, name):
    assert "there is no such" in one_line(run_tenure(["run", name]), 127)
    assert not list(tmp_path.glob("*.tenure"))


@pytest.mark.parametrize("name", ["folder", "folder.py"])
def test_a_directory(run_tenure, tmp_path, name):
    (tmp_path / name).mkdir()
    assert "it is a directory" in one_line(run_tenure(["run", f"./{name}"]), 126)


def test_a_file_that_is_not_executable(run_tenure, tmp_path):
    (tmp_path / "data").write_text("no program")
    assert "not executable; try chmod +x" in one_line(run_tenure(["run", "./data"]), 126)


def test_a_file_that_is_neither_program_nor_script(run_tenure, tmp_path):
    (tmp_path / "data").write_text("no program")
    (tmp_path / "data").chmod(0o755)
    assert "#! line" in one_line(run_tenure(["run", "./data"]), 126)
    assert not list(tmp_path.glob("*.tenure"))


def test_a_name_that_is_only_here_and_not_on_the_path(run_tenure, tmp_path):
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    (tmp_path / "tool").chmod(0o755)
    assert "say ./tool" in one_line(run_tenure(["run", "tool"]), 127)


def test_a_missing_interpreter_of_a_script(run_tenure, tmp_path):
    (tmp_path / "tool").write_text("#!/no/such/interpreter\n")
    (tmp_path / "tool").chmod(0o755)
    one_line(run_tenure(["run", "./tool"]), 127)


def test_a_script_that_does_not_parse(run_tenure, tmp_path):
    (tmp_path / "broken.py").write_text("def f(:\n")
    plain = subprocess.run([sys.executable, "broken.py"], cwd=tmp_path, capture_output=True)
    outcome = run_tenure(["run", "--", sys.executable, "broken.py"])
    assert outcome.returncode == plain.returncode == 1
    assert outcome.stderr.encode().startswith(plain.stderr)
    assert outcome.findings["verdict"] == "unknown"
    assert "does not parse" in outcome.findings["reason"]


def test_a_static_program_runs_unharmed_and_unseen(run_tenure, tmp_path):
    (tmp_path / "hello.c").write_text(HELLO)
    done = subprocess.run(
        ["gcc", "-static", "-o", "hello", "hello.c"], cwd=tmp_path, capture_output=True
    )
    if done.returncode != 0:
        pytest.skip("no static libc to link with")
    outcome = run_tenure(["run", "./hello"])
    assert (outcome.returncode, outcome.stdout) == (5, "ran\n")
    assert outcome.findings["verdict"] == "unknown"
    assert "static program" in outcome.findings["reason"]
    assert "static program" in outcome.stderr


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["run"],
        ["run", "--"],
        ["run", "-o"],
        ["run", "--json"],
        ["run", "--no-such-option", "/bin/true"],
        ["run", "-x", "--", "/bin/true"],
        ["show"],
        ["show", "a", "b"],
        ["show", "--no-such-option", "a"],
        ["no-such-verb"],
        ["--no-such-option"],
    ],
)
def test_wrong_words_end_with_2_and_one_line(run_tenure, words):
    one_line(run_tenure(words), 2)


def test_help_and_version_are_asked_for(run_tenure):
    assert run_tenure(["--version"]).returncode == 0
    assert "run" in run_tenure(["--help"]).stdout
    assert "--json" in run_tenure(["run", "--help"]).stdout


def test_options_behind_the_program_are_its_own(run_tenure):
    outcome = run_tenure(["run", "/bin/echo", "--json", "x", "-o", "y", "--", "z"])
    assert outcome.stdout == "--json x -o y -- z\n"
    outcome = run_tenure(["run", "--", "/bin/echo", "--", "--help"])
    assert outcome.stdout == "-- --help\n"


@pytest.mark.parametrize("verb", ["frob", "runs", "Run"])
def test_an_unknown_verb_names_the_verbs(run_tenure, verb):
    said = one_line(run_tenure([verb, "program.py"]), 2)
    assert said.startswith(f"tenure: there is no verb `{verb}`; there are run, show")
    assert said.endswith(". Try: tenure --help\n")


def test_no_verb_at_all_names_the_verbs(run_tenure):
    assert "no verb was given; there are run, show" in one_line(run_tenure([]), 2)
