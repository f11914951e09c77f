"""The oldest torch of today's kind: what is told of it is what is told of the newest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

# A function that came later: without it the engine itself is intercepted. And torch.compile, which refused Python 3.11 then.
NOT_THERE = "_engine_run_backward-backward or compiled_code"


def test_the_tests_of_torch_pass_on_it(env: Callable[[str], str], root: Path) -> None:
    env("torch-old")
    environ = {**os.environ, "TENURE_TEST_ENVS": "torch=torch-old"}
    command = [sys.executable, "-m", "pytest", "tests/torch", "-q", "-k", f"not ({NOT_THERE})"]
    done = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]


def test_no_part_of_the_adapter_is_off(
    env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text("import torch\nprint(torch.__version__)\n")
    run = run_tenure(["run", "--", env("torch-old"), "program.py"])
    assert run.stdout.startswith("2.0.")
    assert run.adapters_off == {}


def test_doctor_has_nothing_against_it(
    env: Callable[[str], str], run_tenure: Callable[..., Any]
) -> None:
    said = run_tenure(["doctor", "--python", env("torch-old")]).stdout
    (line,) = [line for line in said.splitlines() if " torch " in line]
    assert line.split()[0] == "ok"
    assert "2.0." in line
