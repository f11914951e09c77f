"""What tensors are to a model, steps of a trainer that a package brings, and memory that torch does not allocate itself."""

from __future__ import annotations

import json
import subprocess
import textwrap
from pathlib import Path
from typing import Any, Callable, Tuple

TRAINER = """
import torch


class Trainer:
    def __init__(self, model, on_step):
        self.model, self.on_step = model, on_step
        self.optimizer = torch.optim.Adam(model.parameters())

    def fit(self, make_batch, steps):
        while steps > 0:
            batch = make_batch()
            self.optimizer.zero_grad()
            loss = self.model(batch).pow(2).mean()
            loss.backward()
            self.optimizer.step()
            self.on_step(batch)
            steps -= 1
"""
TRAINED = """
import torch
from tinytrainer import Trainer

model = torch.nn.Sequential(
    torch.nn.Linear(512, 512, bias=False), torch.nn.ReLU(), torch.nn.Linear(512, 128, bias=False)
)
seen = []


def make_batch():
    return torch.randn(256, 512)  # made


Trainer(model, seen.append).fit(make_batch, 40)
"""
PARAMETERS = (512 * 512 + 512 * 128) * 4

GROUPS = """
import torch
from torch import nn

base = nn.Linear(512, 128)
optimizer = torch.optim.Adam(base.parameters(), lr=1e-3)


def learn_task():
    adapter = nn.Linear(128, 512)
    optimizer.add_param_group({"params": adapter.parameters()})
    for _ in range(2):
        x = torch.randn(16, 512)
        loss = (adapter(base(x)) - x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


for task in range(40):
    learn_task()
"""

LENT = """
import os
import numpy as np
import torch

N = 1 << 20
array = np.ones(N, np.float32)  # heap
lent = torch.from_numpy(array)
shared = torch.ones(N).share_memory_()  # shared
array.tofile("numbers")
mapped = torch.from_file("numbers", shared=True, size=N)  # file
opaque = torch.randn(1024, 1024).to_mkldnn()  # tensor
own = torch.zeros(N)  # tensor
os._exit(0)
"""


def program_in(folder: Path, text: str) -> str:
    (folder / "program.py").write_text(textwrap.dedent(text), encoding="utf-8")
    return "program.py"


def test_calls_of_backward_are_the_steps_of_a_trainer_in_a_package(env, run_tenure, tmp_path):
    package = tmp_path / "site-packages"
    package.mkdir()
    (package / "tinytrainer.py").write_text(TRAINER, encoding="utf-8")
    program = program_in(tmp_path, TRAINED)
    done = run_tenure(["run", "--", env("torch"), program], environ={"PYTHONPATH": str(package)})
    [leak] = [f for f in done.findings["findings"] if f["severity"] == "leak"]
    assert leak["per"] == "call of backward()", leak
    assert leak["steps"] == 40
    assert 0.9 < leak["bytes_per_step"] / (256 * 512 * 4) < 1.1
    made = [n for n, line in enumerate(TRAINED.splitlines(), 1) if "# made" in line]
    assert leak["where"][0]["line"] == made[0]
    assert leak["op"] == "randn"
    at_peak = done.findings["memory"]["at_peak"]
    assert at_peak["parameters"] == PARAMETERS
    assert at_peak["optimizer state"] == 2 * PARAMETERS
    assert 0 < at_peak["gradients"] <= PARAMETERS


def test_parameters_that_pile_up_in_an_optimizer_are_one_leak(env, run_tenure, tmp_path):
    done = run_tenure(["run", "--", env("torch"), program_in(tmp_path, GROUPS)])
    [leak] = [f for f in done.findings["findings"] if f["severity"] == "leak"]
    assert leak["kind"] == "retained-python"
    assert "Adam" in leak["holder"]["text"]


def test_memory_from_elsewhere_is_told_where_it_was_made(
    env: Callable[[str], str], figures_of: Callable[..., Tuple[Any, Any]], tmp_path: Path
) -> None:
    _, figures = figures_of([env("torch"), program_in(tmp_path, LENT)])
    lines = LENT.splitlines()
    wanted = {n: line.partition("#")[2].strip() for n, line in enumerate(lines, 1) if "#" in line}
    disk = subprocess.run(["stat", "-f", "-c", "%T", str(tmp_path)], capture_output=True, text=True)
    if disk.stdout.strip() == "tmpfs":  # such a file is memory
        wanted = {n: "shared" if kind == "file" else kind for n, kind in wanted.items()}
    live = [s for s in figures["sites"] if s["live_bytes"] >= 4 << 20 and s["line"] > 5]
    assert {s["line"]: s["kind"] for s in live} == wanted, json.dumps(live)
