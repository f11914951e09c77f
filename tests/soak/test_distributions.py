"""The wheel as a plain user of other distributions, without a compiler: installed by their own Python's pip, and run."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any, Dict, Tuple

import distributions
import pytest
import wheels

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "wheel" / "programs"


@pytest.fixture(scope="session")
def wheel() -> Path:
    return wheels.built_wheel()


@pytest.fixture(scope="session", params=list(distributions.SUITES))
def machine(
    request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> distributions.Machine:
    root = distributions.provide(request.param)
    home = tmp_path_factory.mktemp(request.param)
    there = distributions.Machine(root, home)
    shutil.copy(wheel, home)
    shutil.copy(ROOT / "examples" / "leaky_numpy.py", home)
    for program in PROGRAMS.glob("*.py"):
        shutil.copy(program, home)
    made = there.run("python3", "-m", "venv", "--system-site-packages", "/mnt/venv")
    assert made.returncode == 0, made.stderr
    done = there.run("/mnt/venv/bin/pip", "install", "--no-index", "/mnt/" + wheel.name)
    assert done.returncode == 0, done.stdout + done.stderr
    return there


def run(machine: distributions.Machine, program: str) -> Tuple[Dict[str, Any], str]:
    """The findings of the run, and what the program printed."""
    words = [
        "/mnt/venv/bin/tenure",
        "run",
        "-o",
        f"{program}.tenure",
        "--json",
        f"{program}.json",
        "--",
    ]
    done = machine.run(*words, "/mnt/venv/bin/python", program)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    findings: Dict[str, Any] = json.loads((machine.home / f"{program}.json").read_text("utf-8"))
    return findings, done.stdout


def test_there_is_no_compiler(machine: distributions.Machine) -> None:
    assert not [name for name in ("cc", "gcc", "g++", "clang", "c++") if machine.has(name)]
    assert machine.run("id", "-u").stdout == "1000\n"


def test_the_demo_finds_its_leak(machine: distributions.Machine) -> None:
    findings, said = run(machine, "leaky_numpy.py")
    assert said.startswith("last loss")
    assert findings["verdict"] == "leak"
    assert "leaky_numpy.py:25" in json.dumps(findings).replace('", "line": ', ":") or any(
        place.get("line") == 25 for finding in findings["findings"] for place in finding["places"]
    )


def test_shared_memory_works(machine: distributions.Machine) -> None:
    findings, said = run(machine, "shared_memory.py")
    assert said == "50 segments\n"
    assert findings["verdict"] in ("clean", "leak", "unknown")


def test_shared_memory_is_counted_once(machine: distributions.Machine) -> None:
    """Given back at the end of the program only, as docs/decisions/0060 says: a leak of 50 MiB, not of 100."""
    findings = run(machine, "shared_memory.py")[0]["findings"]
    (told,) = [finding for finding in findings if finding["kind"] == "shared-memory"]
    assert 49 << 20 <= told["bytes"] <= 52 << 20


def test_threads_and_forks_work(machine: distributions.Machine) -> None:
    findings, said = run(machine, "threads_and_forks.py")
    assert said == "800 in threads, 8 children\n"
    assert findings["verdict"] == "leak"


def test_what_it_says_of_itself(machine: distributions.Machine) -> None:
    assert "glibc 2.17" in machine.run("/mnt/venv/bin/tenure", "--version").stdout
    doctor = machine.run("/mnt/venv/bin/tenure", "doctor", "--python", "/mnt/venv/bin/python")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr


def test_two_builds_are_one_hash(wheel: Path, tmp_path: Path) -> None:
    """In another folder and without ccache: no path and no time of the build is in it."""
    environ = {**wheels.clean_environ(), "CCACHE_DISABLE": "1"}
    again = wheels.build_wheel(tmp_path / "build", tmp_path / "dist", environ)
    assert again.read_bytes() == wheel.read_bytes(), sys.version
