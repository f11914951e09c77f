"""The adapter for JAX stays out of sight: same output, same errors, and a part that is not as expected is off alone."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest

EXAM = Path(__file__).resolve().parent.parent / "exam"

PROGRAM = """
import jax
import jax.numpy as jnp
step = jax.jit(lambda x: x * 2, donate_argnums=0)
x = step(jnp.ones(3))
y = x + 1
x.delete()
print(float(y.sum()))
"""
POINTS = [
    ("array", "ArrayImpl.traceback", "lines"),
    ("array", "ArrayImpl.delete", "deleted_arrays"),
    ("array", "ArrayImpl._check_if_deleted", "deleted_arrays"),
    ("array", "ArrayImpl.block_until_ready", "waits"),
    ("pjit", "_trace_for_jit", "functions"),
    ("pjit", "_cpp_pjit", "donation functions"),
    ("stages", "Compiled.__call__", "donation"),
    ("dispatch", "_batched_device_put_impl", "aliases"),
    ("core", "escaped_tracer_error", "tracers"),
    ("core", "leaked_tracer_error", "tracers"),
    ("core", "Trace.__init__", "tracers"),
    ("errors", "TracerArrayConversionError.__init__", "tracer_values"),
]


@pytest.mark.parametrize("case", ["JXD-02", "JXT-02"])
def test_an_error_is_told_as_without_tenure(
    case: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    command = [env("jax"), str(EXAM / case / "program.py")]
    plain = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    run = run_tenure(["run", "--", *command])
    assert (run.returncode, run.stdout) == (plain.returncode, plain.stdout)
    assert run.stderr.split("\ntenure: ")[0].strip() == plain.stderr.strip()
    assert run.findings["verdict"] == "lifetime-error"


@pytest.mark.parametrize("module,path,parts", POINTS)
def test_a_point_that_looks_different_switches_its_part_off(
    module: str,
    path: str,
    parts: str,
    run_sabotaged: Callable[..., Any],
) -> None:
    way = "gone" if path == "ArrayImpl.traceback" else "odd"  # it is no function
    run = run_sabotaged("jax", [("jax._src." + module, path)], way, PROGRAM)
    assert (run.returncode, run.stdout) == (0, "9.0\n"), run.stderr
    off = run.adapters_off
    assert sorted(off) == ["adapter.jax." + part for part in parts.split()], off
    assert all(text.startswith("off: ") for text in off.values()), off
    assert run.findings["verdict"] == "clean"
