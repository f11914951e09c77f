"""An outside project finds the library by its package alone, and sees the history of a detached buffer."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
MAIN = HERE / "outside" / "main.cpp"


def line_of(text: str) -> int:
    lines = MAIN.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def assert_tells_the_history(program: Path) -> None:
    done = subprocess.run([program], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    *story, data = done.stdout.splitlines()
    assert story[0] == "buffer `logits` was ended before this use"
    roles = {line.split()[0]: line for line in story[1:]}
    assert f"main.cpp:{line_of('logits(request')} in answer()" in roles["born"]
    assert f"main.cpp:{line_of('request.close()')} in answer()" in roles["ended"]
    assert "by closing request `r1`" in roles["ended"]
    assert f"main.cpp:{line_of('logits.values()')} in main()" in roles["used"]
    history = json.loads(data)
    assert history["state"] == "ended" and history["bytes"] == 4000
    assert history["scope"] == "session serving / request r1"


def test_find_package_is_enough(prefix: Path, tmp_path: Path) -> None:
    shutil.copytree(MAIN.parent, tmp_path / "outside")
    configure = ["cmake", "-S", tmp_path / "outside", "-B", tmp_path / "b"]
    subprocess.run([*configure, f"-DCMAKE_PREFIX_PATH={prefix}"], check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path / "b"], check=True, capture_output=True)
    assert_tells_the_history(tmp_path / "b" / "outside")


def test_pkg_config_is_enough(prefix: Path, tmp_path: Path) -> None:
    if not shutil.which("pkg-config"):
        pytest.skip("no pkg-config here")
    found = next(prefix.glob("lib*/**/tenure.pc"))
    environ = {**os.environ, "PKG_CONFIG_PATH": str(found.parent)}
    words = ["pkg-config", "--cflags", "--libs", "tenure"]
    flags = subprocess.run(words, env=environ, stdout=subprocess.PIPE, check=True, encoding="utf-8")
    program = tmp_path / "outside"
    command = ["g++", "-std=c++20", str(MAIN), *shlex.split(flags.stdout), "-o", str(program)]
    subprocess.run(command, check=True)
    assert_tells_the_history(program)
