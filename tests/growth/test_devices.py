"""Memory of a device is not seen: a program that has one is never called clean."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Callable

LOADS = """
import ctypes
driver = ctypes.CDLL("./{name}")
for step in range(50):
    np.ones(2_000 + work())
"""


def build(folder: Path, name: str, symbol: str) -> None:
    (folder / "driver.c").write_text(f"int {symbol}(unsigned flags) {{ return (int)flags; }}\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", name, "driver.c"], cwd=folder, check=True)


def test_a_program_that_loads_a_driver_is_unknown(
    run_text: Callable[..., Any], tmp_path: Path
) -> None:
    build(tmp_path, "libcuda.so.1", "cuInit")
    _, findings = run_text(LOADS.format(name="libcuda.so.1"))
    assert findings["verdict"] == "unknown"
    assert findings["reason"] == "memory of the device (cuda) is not seen"
    assert findings["losses"]["device"] == "memory of the device (cuda)"


def test_a_library_of_another_name_is_no_driver(
    run_text: Callable[..., Any], tmp_path: Path
) -> None:
    build(tmp_path, "libcudart_like.so", "cuInit")
    _, findings = run_text(LOADS.format(name="libcudart_like.so"))
    assert findings["verdict"] == "clean"
    assert "device" not in findings["losses"]
