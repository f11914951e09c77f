"""The Python stack reader on every CPython of this machine: each frame against traceback, each loop
against dis and the source.

The cases are functions of driver.py and loops_driver.py; each runs in a process of the interpreter
under test, with the probe preloaded. More interpreters: tools/extra_pythons.py, or name them in
TENURE_PYTHONS (separated by colons).
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SUPPORTED = [(3, minor) for minor in range(7, 16)]

ASK = """
import json, platform, sys, sysconfig
jit = getattr(sys, "_jit", None)
free_threaded = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
print(json.dumps([platform.python_implementation(), sys.version_info[:3], sys.executable,
                  free_threaded, bool(jit and jit.is_available())]))
"""


class Python(NamedTuple):
    path: str
    version: List[int]
    is_free_threaded: bool
    has_jit: bool

    @property
    def minor(self) -> tuple:
        return tuple(self.version[:2])

    def __str__(self) -> str:
        number = ".".join(map(str, self.version))
        return f"{number}{'t' if self.is_free_threaded else ''}-{self.origin}"

    @property
    def origin(self) -> str:
        for origin in ("pyenv", "tenure", "uv"):
            if f"{origin}/" in self.path:
                return origin
        return "system" if self.path.startswith("/usr/bin/") else "other"


def candidates() -> Iterator[Path]:
    for name in filter(None, os.environ.get("TENURE_PYTHONS", "").split(":")):
        yield Path(name)
    yield Path("/usr/bin/python3")
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from sorted(pyenv.glob("versions/3.*/bin/python"))
    cache = Path(os.environ.get("TENURE_CACHE") or Path.home() / ".cache" / "tenure")
    yield from sorted(cache.glob("pythons/3.*/usr/bin/python3.*"))
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    uv = Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or data / "uv" / "python")
    yield from sorted(uv.glob("cpython-3.*/bin/python3"))
    for major, minor in SUPPORTED:
        on_path = shutil.which(f"python{major}.{minor}")
        if on_path:
            yield Path(on_path)


def ask(candidate: Path) -> Optional[Python]:
    try:
        answer = subprocess.run([str(candidate), "-c", ASK], capture_output=True, timeout=60)
        implementation, version, executable, is_free_threaded, has_jit = json.loads(answer.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    if implementation != "CPython":
        return None
    return Python(os.path.realpath(executable), version, is_free_threaded, has_jit)


def all_pythons() -> List[Python]:
    found = {python.path: python for python in map(ask, candidates()) if python}
    return sorted(found.values(), key=lambda python: (python.version, python.path))


PYTHONS = all_pythons()
READABLE = [p for p in PYTHONS if p.minor in SUPPORTED and not p.is_free_threaded]
UNREADABLE = [p for p in PYTHONS if p not in READABLE]


def cases_of(driver: str) -> List[str]:
    tree = ast.parse((HERE / driver).read_text(encoding="utf-8"))
    names = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name[len("case_") :] for name in names if name.startswith("case_")]


@pytest.fixture(scope="session")
def probe() -> str:
    name = "libpython_frames_probe.so"
    chosen = os.environ.get("TENURE_FRAMES_PROBE")
    for path in (
        [Path(chosen)]
        if chosen
        else [ROOT / "build" / "dev" / "lib" / name, ROOT / "build" / "lib" / name]
    ):
        if path.exists():
            return str(path)
    pytest.fail(f"{name} is not built: run `make dev`, or set TENURE_FRAMES_PROBE")


def run_case(python: Python, probe: str, driver: str, case: str, **environ: str) -> Dict[str, Any]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [python.path, str(HERE / driver), case],
        env={
            **clean,
            "LD_PRELOAD": probe,
            "PYTHONDONTWRITEBYTECODE": "1",
            "LC_ALL": "C.UTF-8",
            **environ,
        },
        cwd=HERE,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
    )
    assert done.returncode == 0, (
        f"{python.path} {case}: {done.returncode}\n{done.stdout}{done.stderr}"
    )
    result: Dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def check_case(
    python: Python, probe: str, driver: str, case: str, **environ: str
) -> Dict[str, Any]:
    result = run_case(python, probe, driver, case, **environ)
    assert result["state"] == "on"
    assert result["reader"] == result["version"]
    assert result["failures"] == [], f"{result['failed']} of {result['checks']} checks"
    return result


@pytest.mark.parametrize("case", cases_of("driver.py"))
@pytest.mark.parametrize("python", READABLE, ids=str)
def test_frames(python: Python, case: str, probe: str) -> None:
    check_case(python, probe, "driver.py", case)


@pytest.mark.parametrize("case", cases_of("loops_driver.py"))
@pytest.mark.parametrize("python", READABLE, ids=str)
def test_loops(python: Python, case: str, probe: str) -> None:
    check_case(python, probe, "loops_driver.py", case)


@pytest.mark.parametrize("case", ["methods", "generators", "asyncio", "specialised"])
@pytest.mark.parametrize("python", [p for p in READABLE if p.has_jit], ids=str)
def test_frames_with_jit(python: Python, case: str, probe: str) -> None:
    check_case(python, probe, "driver.py", case, PYTHON_JIT="1")


@pytest.mark.parametrize("python", [p for p in READABLE if p.has_jit], ids=str)
def test_loops_with_jit(python: Python, probe: str) -> None:
    result = check_case(python, probe, "loops_driver.py", "while_compiled", PYTHON_JIT="1")
    assert result["executors"] > 0


@pytest.mark.parametrize("python", UNREADABLE, ids=str)
def test_unreadable_builds_are_left_alone(python: Python, probe: str) -> None:
    result = run_case(python, probe, "driver.py", "state")
    assert result["state"] == ("free_threaded" if python.is_free_threaded else "unknown_version")


def test_every_supported_version_was_tested() -> None:
    tested = {python.minor for python in READABLE}
    missing = ["%d.%d" % version for version in SUPPORTED if version not in tested]
    if missing:
        hint = "run tools/extra_pythons.py or set TENURE_PYTHONS"
        reason = f"CPython {', '.join(missing)} not found: {hint}"
        if os.environ.get("TENURE_REQUIRE_ALL"):
            pytest.fail(reason)
        pytest.skip(reason)
