"""What the tests of the C++ library share: it is installed once into a folder of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Callable

import pytest

FLAGS = ["-std=c++20", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"]


@pytest.fixture(scope="session")
def prefix(root: Path) -> Path:
    """Where the library is installed, as a user would have it. Kept, so that only changes are built anew."""
    if not (root / "build" / "libtenure_cpp.a").exists():
        pytest.fail("build/libtenure_cpp.a does not exist: run `make build`")
    folder = root / "build" / "cpp-tests" / "installed"
    command = ["cmake", "--install", root / "build", "--component", "cpp", "--prefix", folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def build_cpp(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """build_cpp(source, *more) -> the program, or with shared=True a library for ctypes."""
    folder = tmp_path_factory.mktemp("programs")
    library = next(prefix.glob("lib*/**/libtenure_cpp.a"))

    def build(*sources: Path, shared: bool = False) -> Path:
        target = folder / (sources[0].stem + (".so" if shared else ""))
        if not target.exists():
            kind = ["-shared", "-fPIC"] if shared else []
            command = ["g++", *FLAGS, *kind, f"-I{prefix}/include", *map(str, sources)]
            subprocess.run([*command, str(library), "-ldl", "-o", str(target)], check=True)
        return target

    return build
