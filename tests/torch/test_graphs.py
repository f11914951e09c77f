"""Who keeps a gradient graph, however long it is; and what is said when torch's C++ objects are not as expected."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

RUNNING_SUM = """
import torch
weight = torch.randn(256, 256, requires_grad=True)
total = 0.0
for _ in range(80):
    total = total + (torch.randn(256, 256) @ weight).tanh().mean()
print(weight.grad)
"""
# Every step adds thousands of nodes: to ask for each in Python would stop the program for long.
LONG_CHAIN = """
import tenure
import torch


class Tagger(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.GRUCell(16, 256)

    def forward(self, frames, state):
        for frame in frames:
            state = self.cell(frame, state)
        return state


def stream(model):
    state = torch.zeros(4, 256)
    for _ in range(60):
        state = model(torch.randn(30, 4, 16), state)
    tenure.snapshot()
    return float(state.detach().mean())


print(stream(Tagger()) < 2)
"""
NO_ADDRESSES = "import torch\ntorch.Tensor._cdata = 0\n"


def run_of(
    program: str, env: Callable[[str], str], run_tenure: Callable[..., Any], folder: Path
) -> Any:
    file = folder / "program.py"
    file.write_text(program)
    run = run_tenure(["run", "--", env("torch"), str(file)])
    assert run.returncode == 0, run.stderr
    return run


def test_a_running_sum_keeps_all_its_graphs(
    env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    run = run_of(RUNNING_SUM, env, run_tenure, tmp_path)
    assert run.stdout == "None\n"
    (finding,) = run.findings["findings"]
    assert finding["kind"] == "retained-autograd"
    assert "gradient graph (grad_fn) of global Tensor `total`" in finding["holder"]["text"]
    assert "adapter.torch.layout" not in run.findings["losses"]


def test_a_state_carried_on_keeps_a_graph_of_a_hundred_thousand_nodes(
    env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    run = run_of(LONG_CHAIN, env, run_tenure, tmp_path)
    assert run.stdout == "True\n"
    finding = run.findings["findings"][0]
    assert finding["kind"] == "retained-autograd"
    assert "`state`" in finding["holder"]["text"]


def test_without_addresses_the_graphs_are_asked_for_instead(
    env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    run = run_of(NO_ADDRESSES + RUNNING_SUM, env, run_tenure, tmp_path)
    assert run.stdout == "None\n"
    (finding,) = run.findings["findings"]
    assert finding["kind"] == "retained-autograd"
    assert "`total`" in finding["holder"]["text"]
    assert run.findings["losses"]["adapter.torch.layout"] == "off: object_impl"
