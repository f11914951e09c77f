"""CPython's own tests of what touches memory come out under Tenure as they do without it."""

from __future__ import annotations

import re
import subprocess
from typing import List

import pytest

QUICK = ["test_array", "test_mmap", "test_memoryview", "test_struct", "test_gc", "test_zlib"]
VERSIONS = 2


def has_tests(python: str) -> bool:
    look = [python, "-c", "import test.test_array, test.test_mmap"]
    return subprocess.run(look, capture_output=True).returncode == 0


def summary(output: str) -> List[str]:
    """What does not depend on the time it took; older versions say less."""
    wanted = re.compile(
        r"All \d+ tests OK|tests? failed|Total tests: .*|Result: .*|SUCCESS|FAILURE"
    )
    return wanted.findall(output)


@pytest.mark.parametrize("which", range(VERSIONS))
def test_modules_that_touch_memory(which, pythons, tenure, tmp_path):
    able = [python for python in reversed(pythons) if has_tests(python)]
    if which >= len(able):
        pytest.skip("no further Python here has its own tests")
    words = [able[which], "-m", "test", *QUICK]
    run = [tenure, "run", "--quiet", "-o", str(tmp_path / "record"), "--"]
    plain, traced = (
        subprocess.run([*way, *words], capture_output=True, text=True, timeout=600, cwd=tmp_path)
        for way in ([], run)
    )
    assert summary(plain.stdout), plain.stdout
    assert summary(traced.stdout) == summary(plain.stdout), traced.stdout[-2000:]
    assert traced.returncode == plain.returncode
