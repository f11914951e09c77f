"""Runs real notebooks in real kernels of Jupyter: one that `tenure kernel install` made, or IPython's own."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs"
LOAD = "%load_ext tenure\nimport numpy as np\ndef make(n):\n    return np.ones(n)\nkept = []"


@dataclass
class Cell:
    """What one cell printed, and what was shown of it."""

    outputs: List[Dict[str, Any]]

    @property
    def printed(self) -> str:
        return "".join(o["text"] for o in self.outputs if o["output_type"] == "stream")

    @property
    def shown(self) -> str:
        """What is no result of the cell: plain text."""
        return "".join(
            o["data"]["text/plain"] for o in self.outputs if o["output_type"] == "display_data"
        )

    @property
    def html(self) -> str:
        found = [o for o in self.outputs if o["output_type"] == "display_data"]
        return "".join(o["data"].get("text/html", "") for o in found)

    @property
    def error(self) -> str:
        return "".join(o["ename"] for o in self.outputs if o["output_type"] == "error")

    @property
    def sentence(self) -> str:
        return " ".join(self.shown.split("\n\n")[0].split())


@dataclass
class Jupyter:
    """An interpreter with Jupyter, and folders that no other test has."""

    python: str
    folder: Path
    environment: Dict[str, str] = field(default_factory=dict)

    def words(self, program: str, *arguments: str) -> List[str]:
        return [self.python, str(PROGRAMS / program), *arguments]


@pytest.fixture(scope="session")
def jupyter(env, tenure: str, tmp_path_factory: pytest.TempPathFactory) -> Jupyter:
    """With the kernel `tenure` installed, and `hidden`, which keeps no text of cells."""
    folder = tmp_path_factory.mktemp("jupyter")
    python = env("notebooks")
    for options in (["--keep-record"], ["--keep-record", "--name", "hidden", "--no-source"]):
        install = [
            tenure,
            "kernel",
            "install",
            "--python",
            python,
            "--prefix",
            str(folder),
            *options,
        ]
        subprocess.run(install, check=True, stdout=subprocess.PIPE)
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("JUPYTER_", "IPYTHON", "PYTHONPATH"))
    }
    clean.update(
        JUPYTER_PATH=str(folder / "share" / "jupyter"),
        JUPYTER_CONFIG_DIR=str(folder / "config"),
        JUPYTER_DATA_DIR=str(folder / "data"),
        JUPYTER_RUNTIME_DIR=str(folder / "runtime"),
        IPYTHONDIR=str(folder / "ipython"),
    )
    return Jupyter(python, folder, clean)


@pytest.fixture(scope="session")
def run_notebook(jupyter: Jupyter) -> Callable[..., List[Cell]]:
    """run_notebook(folder, ["1 + 1"], kernel="tenure") -> [Cell]"""

    def run(folder: Path, cells: List[str], kernel: str = "tenure") -> List[Cell]:
        code = [
            {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "id": f"c{i}"}
            for i, text in enumerate(cells)
        ]
        for cell in code:
            cell["execution_count"] = None
        book = {"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        file = folder / "book.ipynb"
        file.write_text(json.dumps(book), encoding="utf-8")
        environment = dict(jupyter.environment)
        if kernel != "tenure":
            environment["PYTHONPATH"] = str(ROOT / "python")
        done = subprocess.run(
            jupyter.words("execute.py", str(file), kernel),
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        return [Cell(cell["outputs"]) for cell in json.loads(done.stdout)["cells"]]

    return run


class Session:
    """A kernel that is asked cell by cell."""

    def __init__(self, process: subprocess.Popen, folder: Path):
        self.process = process
        self.folder = folder

    def ask(self, **request: Any) -> List[List[str]]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def run(self, text: str, **more: Any) -> str:
        """All that the cell printed, and the names of its errors."""
        return "\n".join(output[1] for output in self.ask(run=text, **more))


@pytest.fixture
def session(jupyter: Jupyter, tmp_path: Path) -> Iterator[Callable[..., Session]]:
    """session("tenure") -> Session; it ends with the test."""
    begun: List[subprocess.Popen] = []

    def begin(kernel: str = "tenure") -> Session:
        process = subprocess.Popen(
            jupyter.words("session.py", kernel),
            cwd=tmp_path,
            env=jupyter.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        return Session(process, tmp_path)

    yield begin
    for process in begun:
        if process.stdin:
            process.stdin.close()
        process.wait(timeout=120)
