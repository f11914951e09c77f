"""The adapter for TensorFlow stays out of sight: same output, same tracebacks, and a part that is not as expected is off alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Callable, List

import pytest

EXAM = Path(__file__).resolve().parent.parent / "exam"
LIFETIME = sorted(
    case.parent.name
    for case in EXAM.glob("*/case.json")
    if json.loads(case.read_text())["expect"]["verdict"] == "lifetime-error"
    and (case.parent.name.startswith("BUF") or '"env": "tf' in case.read_text())
)


def masked(text: str) -> List[str]:
    """Without what differs from run to run: addresses, ids, times, names of temporary files."""
    text = re.split(r"\n(?=tenure: )", "\n" + text)[0]
    text = re.sub(r"0x[0-9a-f]+|\d{5,}|tmp\w+|\d\d:\d\d:\d\d[.\d]*|__autograph\w+", "#", text)
    return [line for line in text.strip().splitlines() if not re.match(r"[WIE]\d{4} ", line)]


def words_of(lines: List[str]) -> List[str]:
    return sorted(" ".join(lines).split())


@pytest.mark.parametrize("case", LIFETIME)
def test_an_error_is_told_as_without_tenure(
    case: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    python = env(json.loads((EXAM / case / "case.json").read_text())["env"])
    command = [python, str(EXAM / case / "program.py")]
    plain = subprocess.run(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=quiet()
    )
    run = run_tenure(["run", "--", *command], environ=quiet())
    assert run.returncode == plain.returncode
    assert masked(run.stdout) == masked(plain.stdout.decode())
    told, expected = masked(run.stderr), masked(plain.stderr.decode())
    if "threading" in (EXAM / case / "program.py").read_text():  # two errors, told at the same time
        told, expected = words_of(told), words_of(expected)
    assert told == expected
    assert run.findings["verdict"] == "lifetime-error"


def quiet() -> dict:
    return dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
