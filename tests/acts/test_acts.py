"""The act against memory that is kept in a known way is told as the fix, and when it is done nothing is left to tell."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest
from act_programs import HEAD, NOT_ALWAYS_SEEN, PROGRAMS, Program

ROOT = Path(__file__).resolve().parents[2]
ACTS = json.loads((ROOT / "src/report/texts/acts.json").read_text(encoding="utf-8"))["acts"]
TEXTS = {act["name"]: act["text"] for act in ACTS}


def compile_here(folder: Path, compiler: str, file: str, source: str, *words: str) -> None:
    (folder / file).write_text(source, encoding="utf-8")
    subprocess.run([compiler, "-g", "-O1", *words, file], cwd=folder, check=True)


def headers_of(python: str) -> str:
    ask = "import sysconfig; print(sysconfig.get_paths()['include'])"
    return subprocess.run([python, "-c", ask], capture_output=True, text=True).stdout.strip()


@pytest.fixture
def run_source(env: Any, run_on: Callable[..., Any], run_tenure: Any, tmp_path: Path) -> Any:
    """run_source(program, source): in its environment; native code is compiled first."""

    def run(program: Program, source: str) -> Any:
        if program.env == "cpp":
            compile_here(tmp_path, "g++", "program.cpp", source, "-o", "program")
            return run_tenure(["run", "--", str(tmp_path / "program")])
        if not program.caller:
            return run_on(program.env, source)
        headers = headers_of(env(program.env))
        if not (Path(headers) / "Python.h").exists():
            pytest.skip("the interpreter has no headers")
        words = ["-shared", "-fPIC", "-I", headers, "-o", "parser.so"]
        compile_here(tmp_path, "gcc", "parser.c", source, *words)
        return run_on(program.env, HEAD + program.caller)

    return run


def test_every_act_has_a_program() -> None:
    assert set(TEXTS) == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_act_is_the_fix(name: str, run_source: Callable[..., Any]) -> None:
    program = PROGRAMS[name]
    done = run_source(program, program.leaking())
    assert done.returncode == 0, done.stderr
    told = [f for f in done.findings["findings"] if f["severity"] == program.severity]
    assert told, done.stderr
    if name in NOT_ALWAYS_SEEN and not told[0]["fix"]:
        pytest.xfail("who holds it was not seen")
    assert told[0]["fix"] == TEXTS[name], done.stderr
    assert told[0]["kind"] == program.kind
    assert program.says in TEXTS[name]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_act_mends_it(name: str, run_source: Callable[..., Any]) -> None:
    program = PROGRAMS[name]
    done = run_source(program, program.mended())
    assert done.returncode == 0, done.stderr
    assert done.findings["verdict"] == "clean", done.stderr
    assert not [f for f in done.findings["findings"] if f["severity"] in ("leak", "error")]
