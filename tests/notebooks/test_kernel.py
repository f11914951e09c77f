"""`tenure kernel install` and `remove`: a kernel that Jupyter knows, and each reason why there is none."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import List

import pytest


@pytest.fixture
def kernel(tenure: str, jupyter, tmp_path: Path):
    """kernel("install", ...) with the interpreter that has ipykernel, below tmp_path."""

    def run(verb: str, *options: str, python: str = jupyter.python, **environment: str):
        words: List[str] = [tenure, "kernel", verb, "--python", python, *options]
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER_", "XDG_"))}
        return subprocess.run(words, capture_output=True, text=True, env={**clean, **environment})

    return run


def spec_in(folder: Path) -> dict:
    return json.loads((folder / "kernels" / "tenure" / "kernel.json").read_text(encoding="utf-8"))


def test_jupyter_lists_the_kernel(jupyter) -> None:
    list_all = "from jupyter_client.kernelspec import KernelSpecManager as M; print(*M().find_kernel_specs())"
    done = subprocess.run(
        [jupyter.python, "-c", list_all], env=jupyter.environment, capture_output=True, text=True
    )
    assert {"tenure", "hidden"} <= set(done.stdout.split())


def test_it_runs_ipykernel_under_tenure(kernel, tenure: str, jupyter, tmp_path: Path) -> None:
    done = kernel("install", "--prefix", str(tmp_path), "--display-name", "Mine")
    assert done.returncode == 0, done.stderr
    assert 'installed the kernel "Mine"' in done.stdout and "%load_ext tenure" in done.stdout
    spec = spec_in(tmp_path / "share" / "jupyter")
    assert spec["argv"][:4] == [os.path.realpath(tenure), "run", "--no-report", "--"]
    assert spec["argv"][5:] == ["-m", "ipykernel_launcher", "-f", "{connection_file}"]
    assert (spec["display_name"], spec["language"]) == ("Mine", "python")


@pytest.mark.parametrize("name", ["JUPYTER_DATA_DIR", "XDG_DATA_HOME", "HOME"])
def test_it_goes_where_jupyter_looks_for_a_users_kernels(kernel, tmp_path: Path, name: str) -> None:
    below = {"JUPYTER_DATA_DIR": ".", "XDG_DATA_HOME": "jupyter", "HOME": ".local/share/jupyter"}
    assert kernel("install", **{name: str(tmp_path)}).returncode == 0
    assert spec_in(tmp_path / below[name])["metadata"]["tenure"]
    assert kernel("remove", **{name: str(tmp_path)}).returncode == 0
    assert not list(tmp_path.rglob("kernel.json"))


def test_what_is_there_twice_is_replaced_and_what_is_not_there_is_said(kernel, tmp_path) -> None:
    place = ["--prefix", str(tmp_path)]
    for _ in range(2):
        assert kernel("install", *place).returncode == 0
    assert kernel("remove", *place).returncode == 0
    again = kernel("remove", *place)
    assert again.returncode == 2
    assert "there is no kernel tenure in" in again.stderr


def test_a_kernel_of_somebody_else_is_left_alone(kernel, tmp_path: Path) -> None:
    theirs = tmp_path / "share" / "jupyter" / "kernels" / "tenure" / "kernel.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text('{"argv": ["python"]}')
    for verb in ("install", "remove"):
        done = kernel(verb, "--prefix", str(tmp_path))
        assert done.returncode == 2
        assert "is the kernel of somebody else; choose another name with --name" in done.stderr
    assert theirs.read_text() == '{"argv": ["python"]}'


def test_without_ipykernel_it_says_how_to_get_it(kernel, env, tmp_path: Path) -> None:
    done = kernel("install", "--prefix", str(tmp_path), python=env("numpy"))
    assert done.returncode == 2
    assert "has no ipykernel" in done.stderr and "-m pip install ipykernel" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_named(kernel, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = kernel("install", "--prefix", str(tmp_path / "file"))
    assert done.returncode == 2
    assert "cannot be written: Not a directory; name another place with --prefix" in done.stderr


@pytest.mark.parametrize(
    "options, words",
    [
        (["--name", "a b"], "`a b` is no name for a kernel"),
        (["--name", "../x"], "`../x` is no name for a kernel"),
        (["--prefix", "x", "--sys-prefix"], "leave one of them out"),
    ],
)
def test_options_that_make_no_sense_are_said(kernel, options: List[str], words: str) -> None:
    done = kernel("install", *options)
    assert done.returncode == 2
    assert words in done.stderr


def test_an_interpreter_that_is_none_is_said(kernel, tenure: str) -> None:
    assert "no-such is no Python that answers" in kernel("install", python="no-such").stderr
    bare = subprocess.run([tenure, "kernel"], capture_output=True, text=True)
    assert bare.returncode == 2 and "action is required" in bare.stderr
