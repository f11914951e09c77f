"""A torch that is not as expected switches the part that needs it off, alone, and never harms the program."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import pytest

POINTS = [
    ("torch.autograd", "_engine_run_backward", "backward"),
    ("torch.autograd.anomaly_mode", "detect_anomaly.__init__", "lines"),
    ("torch.autograd.graph", "saved_tensors_hooks.__init__", "hooks"),
    ("torch.jit", "trace", "script"),
]
PROGRAM = """
import torch
w = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
    y = (w * w).sum()
y.backward()
print(w.grad.tolist())
"""


@pytest.mark.parametrize("module,path,part", POINTS)
def test_a_point_that_looks_different_switches_its_part_off_alone(
    module: str,
    path: str,
    part: str,
    env: Callable[[str], str],
    run_tenure: Callable[..., Any],
    sabotaged: Callable[..., str],
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.py"
    program.write_text(sabotaged([(module, path)], "odd") + PROGRAM)
    run = run_tenure(["run", "--", env("torch"), str(program)])
    assert run.returncode == 0, run.stderr
    assert run.stdout == "[2.0, 2.0, 2.0]\n"
    off = {k: v for k, v in run.findings["losses"].items() if k.startswith("adapter.")}
    assert list(off) == ["adapter.torch." + part], off
    assert run.findings["verdict"] == "clean"
