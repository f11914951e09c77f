"""What Tenure is told by the environment may be anything: the program runs as it does without Tenure, and is recorded."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Dict

import pytest

from .conftest import PROGRAM

NAMES = ["TENURE_SOCKET", "TENURE_MAIN_PID", "TENURE_HEAP", "TENURE_ARRAYS", "TENURE_TEXT"]
ODD = [b"", b"0", b"-1", b"1", b"9" * 40, b"x" * 107, b"x" * 108, b"x" * 100_000, b"\xff\x01" * 9]
ODD += [
    b"territory",
    b"libc",
    b"all",
    b"/dev/null",
    b"%s%n%s",
    b"tenure-",
    b"../../etc/passwd",
    b"\n",
]


def odd_environment(seed: int) -> Dict[bytes, bytes]:
    """Some of the names, with values that nobody meant; random bytes among them."""
    dice = random.Random(seed)
    noise = bytes(dice.randrange(1, 256) for _ in range(dice.randrange(1, 200)))
    chosen = dice.sample(NAMES, dice.randrange(1, len(NAMES) + 1))
    return {**os.environb, **{name.encode(): dice.choice([*ODD, noise]) for name in chosen}}


def ran(command, environ: Dict[bytes, bytes]) -> subprocess.CompletedProcess:
    done = subprocess.run(command, env=environ, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"ran\n"), done.stderr
    return done


def test_the_library_without_a_supervisor(tenure):
    library = Path(tenure).resolve().parent.parent / "lib" / "libtenure.so"
    assert library.exists()
    for seed in range(60):
        environ = {**odd_environment(seed), b"LD_PRELOAD": bytes(library)}
        assert ran([sys.executable, "-c", PROGRAM], environ).stderr == b""


@pytest.mark.parametrize("seed", range(12))
def test_the_supervisor(tenure, tmp_path, seed):
    run = [tenure, "run", "-o", str(tmp_path / "r"), "--", sys.executable, "-c", PROGRAM]
    assert b"tenure: clean" in ran(run, odd_environment(1000 + seed)).stderr
    shown = subprocess.run([tenure, "show", str(tmp_path / "r")], capture_output=True)
    assert shown.returncode == 0, shown.stderr


# ---- what a project and a shell ask of `tenure run` ----


def settings_told(outcome) -> Dict[str, str]:
    """{setting: its value and who asked for it}, as `tenure doctor` tells them."""
    lines = outcome.stdout.split("settings of `tenure run` in this folder\n")[1].splitlines()
    rows = [line.split(maxsplit=2) for line in lines if line.startswith("  ok  ")]
    return {name: " ".join(rest.split()) for _, name, rest in rows[:8]}


def test_doctor_tells_each_setting_and_who_asks_for_it(run_tenure, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[project]\nname = 'x'\n\n[tool.tenure]\nquiet = true\nsteps = 'epoch'\nobserve = true\n"
    )
    folder = tmp_path / "inner"
    folder.mkdir()
    environ = {"TENURE_OBSERVE": "0", "TENURE_QUEIT": "1"}
    outcome = run_tenure(["doctor", "--python", sys.executable], environ=environ, cwd=folder)
    told = settings_told(outcome)
    file = tmp_path / "pyproject.toml"
    assert told["quiet"] == f"true {file}, line 5"
    assert told["steps"] == f'"epoch" {file}, line 6'
    assert told["observe"] == "false TENURE_OBSERVE"
    assert told["report"] == "false default"
    assert "TENURE_QUEIT" in outcome.stdout and "did you mean `TENURE_QUIET`?" in outcome.stdout


def test_doctor_tells_what_is_wrong_and_goes_on(run_tenure, tmp_path):
    (tmp_path / "tenure.toml").write_text("obsreve = true\n")
    outcome = run_tenure(["doctor", "--python", sys.executable])
    assert outcome.returncode == 1
    assert "line 1: Tenure knows no `obsreve`; did you mean `observe`?" in outcome.stdout
    assert f"Python: {sys.executable}" in outcome.stdout


def options_of(folder: Path) -> Dict[str, object]:
    import json

    return json.loads((folder / "run.json").read_text(encoding="utf-8"))["options"]


def test_command_line_counts_before_environment_and_this_before_the_file(run_tenure, tmp_path):
    (tmp_path / "tenure.toml").write_text("observe = true\nsteps = 'file'\nno-source = true\n")
    program = ["--", "/bin/true"]
    environ = {"TENURE_STEPS": "shell"}
    for name, options, wanted in (
        ("a", [], ("shell", True)),
        ("b", ["--steps", "typed", "--observe=false"], ("typed", False)),
    ):
        done = run_tenure(["run", "-o", name, *options, *program], environ=environ)
        assert done.returncode == 0, done.stderr
        asked = options_of(tmp_path / name)
        assert (asked["steps"], asked["observe"]) == wanted
        assert asked["source"] is False


def test_a_wrong_variable_is_told_in_one_sentence(run_tenure):
    done = run_tenure(["run", "--", "/bin/echo", "x"], environ={"TENURE_QUIET": "perhaps"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "tenure: the variable TENURE_QUIET is `perhaps`; set it to 1 or 0\n"
