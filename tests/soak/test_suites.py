"""The long form of tests/transparency/test_suites.py: all modules of both suites."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import List

import pytest

TRANSPARENCY = Path(__file__).resolve().parent.parent / "transparency"
sys.path.insert(0, str(TRANSPARENCY))

import suites  # noqa: E402

VERSIONS = 2
PIECES = 24  # so that a difference costs one piece again and not all

# Why a module cannot tell anything here.
LEFT_OUT = {
    "test_gdb": "a debugger of the program and Tenure see different libraries by design",
    "test_regrtest": "runs this very suite inside itself",
}

# Each part of NumPy that has tests, and how many of them pass at least. Not `f2py`: it builds Fortran with Meson.
NUMPY_PARTS = {
    "_core": 30000,  # its tests are no package
    "distutils.tests": 1,
    "fft.tests": 140,
    "lib.tests": 4000,
    "linalg.tests": 400,
    "ma.tests": 4000,
    "matrixlib.tests": 200,
    "polynomial.tests": 500,
    "random.tests": 1200,
    "testing.tests": 100,
    "tests": 40,
    "typing.tests": 1,
}


def modules_of(python: str) -> List[str]:
    listed = subprocess.run([python, "-m", "test", "--list-tests"], capture_output=True, text=True)
    return [name for name in listed.stdout.split() if name not in LEFT_OUT]


@pytest.mark.parametrize("piece", range(PIECES))
@pytest.mark.parametrize("which", range(VERSIONS))
def test_all_of_cpythons_own_tests(which, piece, pythons, tenure, tmp_path):
    able = suites.pythons_with_tests(pythons)
    if which >= len(able):
        pytest.skip("no further Python here has its own tests")
    modules = modules_of(able[which])[piece::PIECES]
    suite = suites.Suite(suites.cpython(able[which]), tenure, tmp_path, timeout=3600)
    assert suite.differences(modules, least=len(modules)) == []


@pytest.mark.parametrize("part", NUMPY_PARTS)
def test_all_of_numpys_own_tests(env, tenure, tmp_path, part):
    suite = suites.Suite(suites.numpy(env("numpy-suite")), tenure, tmp_path, timeout=3600)
    assert suite.differences([f"numpy.{part}"], least=NUMPY_PARTS[part]) == []
