"""The wheel: what it is, and that it works where pip has put it, on the oldest and the newest Python."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Callable, Iterator, List, Tuple

import pytest
import wheels

OUTSIDE = Path(__file__).resolve().parent.parent / "cpp" / "outside"


@pytest.fixture(scope="session")
def wheel() -> Path:
    return wheels.built_wheel()


@pytest.fixture(scope="session", params=["oldest", "newest"])
def installed(
    request: pytest.FixtureRequest,
    wheel: Path,
    pythons: List[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> wheels.Environment:
    python = pythons[0 if request.param == "oldest" else -1]
    environment = wheels.Environment(python, tmp_path_factory.mktemp(request.param) / "venv")
    environment.pip("install", "--no-index", str(wheel))
    return environment


def check(root: Path, wheel: Path) -> Tuple[int, str]:
    command = [sys.executable, str(root / "packaging" / "check_wheel.py"), str(wheel)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def run(command: List[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env=wheels.clean_environ(), capture_output=True, text=True
    )


def verdict(program: List[str], source: str, folder: Path) -> Tuple[str, str]:
    """The verdict of the run, and what the program printed."""
    (folder / "leaky.py").write_text(source, encoding="utf-8")
    done = run(
        [*program[:-1], "run", "--json", "findings.json", "--", program[-1], "leaky.py"], folder
    )
    assert done.returncode == 0, done.stderr
    findings = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    return findings["verdict"], done.stdout


# ---- what it is ----


def test_it_runs_where_its_tag_says(wheel: Path, root: Path) -> None:
    code, said = check(root, wheel)
    print(said)
    assert code == 0
    assert ".manylinux_2_17_x86_64, needs glibc 2." in said


@pytest.fixture
def with_file(wheel: Path, tmp_path: Path) -> Iterator[Callable[[Path], Path]]:
    """The wheel with one more file in it."""

    def make(file: Path) -> Path:
        other = tmp_path / wheel.name
        other.write_bytes(wheel.read_bytes())
        with zipfile.ZipFile(other, "a") as archive:
            archive.write(file, f"tenure/{file.name}")
        return other

    yield make


def test_the_check_refuses_what_this_machine_s_compiler_made(
    with_file: Callable[[Path], Path],
    compile_program: Callable[..., str],
    root: Path,
    tmp_path: Path,
) -> None:
    source = tmp_path / "planted.cpp"
    source.write_text("#include <iostream>\nint main() { std::cout << 1; }\n")
    code, said = check(root, with_file(Path(compile_program(source, "-g", name="planted"))))
    assert code == 1
    assert "tenure/planted needs glibc 2." in said  # g++ links for the glibc it finds
    assert "tenure/planted needs libstdc++.so.6" in said
    assert "tenure/planted is not stripped" in said
    assert "tenure/planted does not say which file has its debug sections" in said


def test_the_check_refuses_a_path_of_the_build(
    with_file: Callable[[Path], Path], root: Path, tmp_path: Path
) -> None:
    (tmp_path / "planted.py").write_text(f"made_in = {str(root)!r}\n")
    code, said = check(root, with_file(tmp_path / "planted.py"))
    assert code == 1 and f"tenure/planted.py holds the path {root}" in said


def test_its_debug_files_lie_apart(wheel: Path, tmp_path: Path) -> None:
    """Each with what was stripped, found by the name that the program or library says."""
    (debug,) = wheel.parent.glob(f"{'-'.join(wheel.name.split('-')[:2])}-*-debug.zip")
    with zipfile.ZipFile(debug) as archive, zipfile.ZipFile(wheel) as stripped:
        names = archive.namelist()
        assert [name.rsplit(".debug")[0] in stripped.namelist() for name in names] == [True, True]
        for name in names:
            file = archive.extract(name, tmp_path)
            words = ["readelf", "-S", "-W", file]
            sections = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            assert ".debug_info" in sections and ".symtab" in sections


# ---- where pip has put it ----


def test_it_finds_the_leak(installed: wheels.Environment, tmp_path: Path) -> None:
    script = str(installed.folder / "bin" / "tenure")
    assert verdict([script, installed.python], wheels.LEAKY, tmp_path) == ("leak", "kept 200\n")


def test_it_is_a_module_too(installed: wheels.Environment, tmp_path: Path) -> None:
    module = [installed.python, "-m", "tenure"]
    assert verdict([*module, installed.python], wheels.LEAKY, tmp_path)[0] == "leak"
    done = run([*module, "--version"], tmp_path)
    assert "glibc 2.17" in done.stdout


def test_its_python_package_does_nothing_alone(
    installed: wheels.Environment, tmp_path: Path
) -> None:
    words = "import tenure\ntenure.step()\nwith tenure.scope('a'):\n  print(tenure.is_running())\n"
    done = run([installed.python, "-c", words], tmp_path)
    assert (done.stdout, done.stderr) == ("False\n", "")


def test_its_python_package_counts_steps_under_run(
    installed: wheels.Environment, tmp_path: Path
) -> None:
    source = "import tenure\n" + wheels.LEAKY.replace(
        "work()\nprint", "work(); tenure.step('mine')\nprint"
    )
    script = str(installed.folder / "bin" / "tenure")
    assert verdict([script, installed.python], source, tmp_path)[0] == "leak"
    assert "mine" in (tmp_path / "findings.json").read_text(encoding="utf-8")


def test_pytest_finds_its_plugin(installed: wheels.Environment, tmp_path: Path) -> None:
    installed.pip("install", "pytest")
    (tmp_path / "test_it.py").write_text(
        "import pytest, tenure\nkept = []\n\n@pytest.mark.tenure()\ndef test_leak():\n"
        "    assert tenure.is_running()\n    kept.append(bytearray(50_000))\n    sum(range(20_000))\n"
    )
    done = run([installed.python, "-m", "pytest", "--tenure", "-q", "test_it.py"], tmp_path)
    assert "kept by  global list `kept` of test_it (20 items)" in done.stdout
    assert "1 failed" in done.stdout
    installed.pip("uninstall", "-y", "pytest")


def test_cmake_finds_its_cpp_library(installed: wheels.Environment, tmp_path: Path) -> None:
    prefix = f"-DCMAKE_PREFIX_PATH={installed.folder}"
    for command in (["cmake", "-S", str(OUTSIDE), "-B", "b", prefix], ["cmake", "--build", "b"]):
        done = run(command, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "buffer `logits` was ended before this use" in run(["b/outside"], tmp_path).stdout


def test_nothing_is_left_of_it(wheel: Path, pythons: List[str], tmp_path: Path) -> None:
    environment = wheels.Environment(pythons[0], tmp_path / "venv")
    before = environment.files()
    environment.pip("install", "--no-index", str(wheel))
    run(
        [str(environment.folder / "bin" / "tenure"), "run", "--", environment.python, "-c", "1"],
        tmp_path,
    )
    assert environment.files() != before
    environment.pip("uninstall", "-y", "tenure")
    assert environment.files() == before
