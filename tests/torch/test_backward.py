"""Why backward() failed, on programs that fail in the ways people meet; and silence where it works."""

from __future__ import annotations

import json
import subprocess
import textwrap
from typing import Any, Dict, List, Set, Tuple

import pytest

FREED = {
    "the same loss twice": (
        """
        w = torch.randn(8, requires_grad=True)
        loss = (w * w).sum()
        loss.backward()  # ended
        loss.backward()  # used
        """,
        "`loss`",
    ),
    "a state in an attribute": (
        """
        class Cell(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(4, 4)
                self.state = torch.zeros(4)
            def forward(self, x):
                self.state = torch.tanh(self.linear(x + self.state))
                return self.state.sum()
        def train():
            cell = Cell()
            for step in range(5):
                loss = cell(torch.ones(4))
                loss.backward()  # ended used
        train()
        """,
        "`cell.state`",
    ),
    "two losses of one trunk": (
        """
        trunk, a, b = (torch.nn.Linear(4, 4) for _ in range(3))
        def step():
            features = torch.sigmoid(trunk(torch.ones(4)))
            first = a(features).sum()
            second = b(features).sum()
            first.backward()  # ended
            second.backward()  # used
        step()
        """,
        "`features`",
    ),
}

CHANGED = {
    "an augmented assignment": (
        """
        w = torch.randn(8, requires_grad=True)
        h = torch.exp(w)
        out = h * h
        h += 1  # ended
        out.sum().backward()  # used
        """,
        "`h`",
    ),
    "an item": (
        """
        w = torch.randn(8, requires_grad=True)
        def run():
            gate = torch.sigmoid(w)
            out = (gate * gate).sum()
            gate[0] = 0  # ended
            (out + gate.sum()).backward()  # used
        run()
        """,
        "`gate`",
    ),
    "a parameter between two calls": (
        """
        def train():
            model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            first, second = model(torch.ones(2, 4)).sum(), model(torch.zeros(2, 4)).pow(2).sum()
            first.backward()
            optimizer.step()  # ended
            second.backward()  # used
        train()
        """,
        "`model.1.weight`",
    ),
}

FINE = {
    "retained": """
        w = torch.randn(8, requires_grad=True)
        loss = (w * w).sum()
        loss.backward(retain_graph=True)
        loss.backward()
        """,
    "detached": """
        state = torch.zeros(4)
        linear = torch.nn.Linear(4, 4)
        for step in range(20):
            state = torch.tanh(linear(state.detach()))
            state.sum().backward()
        """,
    "in place where nobody saved it": """
        linear = torch.nn.Linear(4, 4)
        for step in range(20):
            h = linear(torch.ones(4)) + 1
            h += 1
            h.sum().backward()
        """,
    "a mistake of another kind": """
        try:
            torch.ones(2).sum().backward()
        except RuntimeError as error:
            print(error)
        """,
    "anomaly mode of the program's own": """
        import warnings
        w = torch.randn(8, requires_grad=True)
        print(torch.is_anomaly_enabled() in (True, False))
        with torch.autograd.set_detect_anomaly(True):
            y = (w * w).sum()
            print([f for f in y.grad_fn.metadata["traceback_"] if "program.py" in f and "sum()" in f] != [])
        print(torch.is_anomaly_enabled())
        """,
}


def program_of(parts: Dict[str, str]) -> str:
    """Each part a function that is called on its own; what it raises is caught."""
    text = "import torch\n\ntorch.manual_seed(0)\n"
    for number, body in enumerate(parts.values()):
        inside = textwrap.indent(textwrap.dedent(body), "    ")
        text += f"def part_{number}():{inside}\n"
        text += f"try:\n    part_{number}()\nexcept RuntimeError:\n    print({number})\n"
    return text


def lines_with(program: str, part: int, mark: str) -> Set[int]:
    """Lines of the part whose comment has the mark."""
    lines = program.splitlines()
    first = lines.index(f"def part_{part}():") + 1
    last = lines.index(f"    part_{part}()")
    marked = range(first, last + 1)
    return {n for n in marked if mark in lines[n - 1].partition("#")[2].split()}


@pytest.fixture(scope="module")
def failures(env, tenure, tmp_path_factory) -> Tuple[str, List[Any]]:
    """The program of all failing parts, and what was found in one run of it."""
    folder = tmp_path_factory.mktemp("failures")
    program = program_of({name: body for name, (body, _) in {**FREED, **CHANGED}.items()})
    (folder / "program.py").write_text(program, encoding="utf-8")
    command = [tenure, "run", "--json", "found.json", "--", env("torch"), "program.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.stdout.split() == [str(n) for n in range(len(FREED) + len(CHANGED))], done.stderr
    found = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    return program, found["findings"]


@pytest.mark.parametrize("name", [*FREED, *CHANGED])
def test_the_finding_names_the_lines_and_the_tensor(name, failures):
    program, findings = failures
    part = [*FREED, *CHANGED].index(name)
    used = lines_with(program, part, "used")
    found = [f for f in findings if used & lines_as(f, "used")]
    assert len(found) == 1, findings
    assert found[0]["kind"] == ("freed-graph" if name in FREED else "inplace-modified")
    assert lines_with(program, part, "ended") & lines_as(found[0], "ended"), found[0]
    assert {**FREED, **CHANGED}[name][1] in found[0]["holder"]["text"]


def lines_as(finding: Any, role: str) -> Set[int]:
    return {place["line"] for place in finding["where"] if place["role"] == role}


def test_what_is_fine_is_not_told(env, run_tenure, tmp_path):
    (tmp_path / "program.py").write_text(program_of(FINE), encoding="utf-8")
    command = [env("torch"), "program.py"]
    done = run_tenure(["run", "--", *command])
    plain = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.findings["findings"] == []
    assert done.stdout == plain.stdout
    assert plain.returncode == done.returncode == 0
