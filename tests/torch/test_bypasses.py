"""Tensors whose memory torch does not allocate itself, or has no storage for: each has its line and its owner."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, Callable, Dict, Tuple

import pytest

# What each round makes, at a line that ends with `# made`; it is kept in `kept`.
MAKERS: Dict[str, Tuple[str, str]] = {
    "from_numpy": (
        "retained-python",
        """
        array = np.full((64, 1024), i, np.float32)  # made
        return torch.from_numpy(array)
        """,
    ),
    "frombuffer": (
        "retained-python",
        """
        raw = bytearray(262_144)  # made
        return torch.frombuffer(raw, dtype=torch.uint8)
        """,
    ),
    "share_memory": (
        "shared-memory",
        """
        tensor = torch.full((64, 1024), float(i))
        return tensor.share_memory_()  # made
        """,
    ),
    "mkldnn": (
        "retained-python",
        """
        tensor = torch.rand(64, 1024)
        return tensor.to_mkldnn()  # made
        """,
    ),
    "sparse": (
        "retained-python",
        """
        where = torch.randint(0, 4096, (2, 16_384))  # made
        return torch.sparse_coo_tensor(where, torch.ones(16_384), (4096, 4096))
        """,
    ),
}

PROGRAM = """
import numpy as np
import torch

kept = []


def make(i):
{body}

for i in range(60):
    kept.append(make(i))
print(len(kept))
"""


@pytest.mark.parametrize("name", MAKERS)
def test_it_is_told_at_its_line_with_its_owner(
    name: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    kind, body = MAKERS[name]
    text = PROGRAM.format(body=textwrap.indent(textwrap.dedent(body).strip(), "    ") + "\n")
    (tmp_path / "program.py").write_text(text)
    run = run_tenure(["run", "--", env("torch"), "program.py"])
    (leak,) = [f for f in run.findings["findings"] if f["severity"] == "leak"]
    made = 1 + text[: text.index("# made")].count("\n")
    assert (leak["kind"], leak["where"][0]["line"]) == (kind, made)
    assert "`kept`" in leak["holder"]["text"]
    assert leak["bytes_per_step"] == pytest.approx(262_144, rel=0.6)


COMPILED = """
import torch


@torch.compile
def score(x, w):
    hidden = torch.nn.functional.gelu(x @ w)
    return hidden * 2 + torch.sin(hidden)


w = torch.rand(256, 1024)
scores = []
for i in range(60):
    scores.append(score(torch.rand(64, 256), w))
"""


def test_buffers_of_compiled_code_are_told_in_the_users_file(
    env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(COMPILED)
    run = run_tenure(["run", "--", env("torch"), "program.py"])
    (leak,) = [f for f in run.findings["findings"] if f["severity"] == "leak"]
    assert Path(leak["where"][0]["file"]).name == "program.py"
    assert {place["line"] for place in leak["where"]} & {14}
    assert "`scores`" in leak["holder"]["text"]
