"""CPython's and NumPy's own tests of what touches memory come out under Tenure as they do without it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import suites

CPYTHON = """test_array test_mmap test_memoryview test_struct test_gc test_zlib test_bytes test_json test_weakref
test_signal test_faulthandler test_fork1 test_posix test_thread test_userlist test_memoryio
test_bufio test_pickletools test_ctypes""".split()
NUMPY = [
    f"numpy._core.tests.test_{name}"
    for name in ("multiarray", "nditer", "umath", "mem_overlap", "mem_policy")
]
VERSIONS = 2


@pytest.mark.parametrize("which", range(VERSIONS))
def test_cpythons_own_tests(which, pythons, tenure, tmp_path):
    able = suites.pythons_with_tests(pythons)
    if which >= len(able):
        pytest.skip("no further Python here has its own tests")
    suite = suites.Suite(suites.cpython(able[which]), tenure, tmp_path, timeout=3600)
    assert suite.differences(CPYTHON, least=2000) == []


def test_numpys_own_tests(env, tenure, tmp_path):
    suite = suites.Suite(suites.numpy(env("numpy-suite")), tenure, tmp_path, timeout=3600)
    assert suite.differences(NUMPY, least=9000) == []
