"""Programs that a snapshot could upset in every way we could think of: they print the same with and without."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOME = ["3.7", "3.11", "3.13"]


def environment() -> Dict[str, str]:
    """Without Tenure the package is found in the source, and its calls do nothing."""
    words = {"PYTHONPATH": str(ROOT / "python"), "PYTHONHASHSEED": "0"}
    return {**os.environ, **words, "PYTHONWARNINGS": "ignore"}  # 3.12+ warns of forks, with the pid


@pytest.fixture
def both(tenure: str, tmp_path: Path) -> Callable[..., int]:
    """both(python, "same.py") -> how many snapshots were begun; the program must print the same without Tenure."""

    def run(python: str, program: str, *args: str, timeout: float = 300) -> int:
        command: List[str] = [python, str(HERE / "torture" / program), *args]
        record = tmp_path / "record"
        words: Dict[str, Any] = {"capture_output": True, "timeout": timeout, "env": environment()}
        plain = subprocess.run(command, **words)
        traced = subprocess.run([tenure, "run", "-o", str(record), "--", *command], **words)
        assert plain.returncode == 0, plain.stderr.decode()[-3000:]
        assert traced.returncode == 0, traced.stderr.decode()[-3000:]
        assert traced.stdout.decode() == plain.stdout.decode()
        assert traced.stderr.startswith(plain.stderr)
        return max((int(p.name.rsplit(".", 1)[1]) for p in record.glob("snapshot.*")), default=0)

    return run


def test_200_snapshots_while_arrays_are_trained_and_threads_fork_import_and_collect(both, env):
    assert both(env("numpy"), "storm.py", "200") >= 200


@pytest.mark.parametrize("version", ["3.7", "3.13"])
def test_snapshots_while_threads_train_fork_import_and_collect(both, python_of, version):
    assert both(python_of(version), "storm.py", "60") >= 60


@pytest.mark.parametrize("version", SOME)
def test_a_programs_own_forks_see_all_of_their_memory(both, python_of, version):
    assert both(python_of(version), "own_fork.py") >= 30


def test_workers_of_a_data_loader_and_their_parent_go_on(both, env):
    assert both(env("torch"), "loaders.py") >= 12  # one per batch; workers may have no ledger yet


@pytest.mark.parametrize("version", SOME)
def test_coroutines_and_generators_go_on(both, python_of, version):
    assert both(python_of(version), "waiting.py") >= 30


@pytest.mark.parametrize("version", SOME)
def test_the_collector_stays_as_the_program_set_it(both, python_of, version):
    assert both(python_of(version), "collector.py") >= 20


@pytest.mark.parametrize("version", SOME)
def test_no_method_of_any_object_runs(both, python_of, version):
    assert both(python_of(version), "hostile.py") >= 5


@pytest.mark.parametrize("version", SOME)
def test_reference_counts_locals_and_weak_references_are_the_same(both, python_of, version):
    assert both(python_of(version), "same.py") >= 10


@pytest.mark.parametrize("version", SOME)
def test_a_parent_that_watches_its_children_sees_only_its_own(both, python_of, version):
    assert both(python_of(version), "children.py") >= 40
