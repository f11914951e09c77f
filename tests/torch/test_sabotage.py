"""A torch that is not as expected switches the part that needs it off, alone, and never harms the program."""

from __future__ import annotations

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
    run_sabotaged: Callable[..., Any],
) -> None:
    run = run_sabotaged("torch", [(module, path)], "odd", PROGRAM)
    assert (run.returncode, run.stdout) == (0, "[2.0, 2.0, 2.0]\n"), run.stderr
    assert list(run.adapters_off) == ["adapter.torch." + part]
    assert run.findings["verdict"] == "clean"
