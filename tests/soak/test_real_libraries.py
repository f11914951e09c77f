"""All programs of tests/real at two lengths, and with one planted leak each; `make test` runs the lightest of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Callable, List, Tuple

import pytest

# The fixtures of tests/real, which is no package.
_place = Path(__file__).parent.parent / "real" / "conftest.py"
_spec = importlib.util.spec_from_file_location("real_fixtures", _place)
assert _spec and _spec.loader
_real = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_real)
summary, golden = _real.summary, _real.golden

PROGRAMS: List[Tuple[str, str, int]] = [
    ("numpy-apps", "sklearn_fits", 20),
    ("torch-apps", "torchvision_train", 20),
    ("torch-apps", "timm_train", 20),
    ("torch-apps", "transformers_trainer", 40),
    ("torch-apps", "bert_eval", 20),
    ("jax-apps", "flax_train", 8),
    ("jax-apps", "nnx_train", 80),
    ("tf2", "keras_application", 40),
]
NAMES = [row[1] for row in PROGRAMS]


@pytest.mark.parametrize("times", [1, 4], ids=["short", "long"])
@pytest.mark.parametrize("env_name, program, steps", PROGRAMS, ids=NAMES)
def test_nothing_is_said_of_a_library_that_works_well(
    env_name: str,
    program: str,
    steps: int,
    times: int,
    summary: Callable[..., Any],
    golden: Callable[[str], Any],
) -> None:
    assert summary(env_name, program, steps * times) == golden(program)["clean"]


@pytest.mark.parametrize("env_name, program, steps", PROGRAMS, ids=NAMES)
def test_a_planted_leak_is_told_with_its_line_and_holder(
    env_name: str,
    program: str,
    steps: int,
    summary: Callable[..., Any],
    golden: Callable[[str], Any],
) -> None:
    assert summary(env_name, program, steps, "leak") == golden(program)["leak"]
