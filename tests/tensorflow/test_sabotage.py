"""A TensorFlow that is not as expected switches the part that needs it off, alone, and never harms the program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest

VERSIONS = ["tf115", "tf20", "tf2"]

# What Tenure taps, and the part that needs it.
POINTS = [
    ("client.session", "BaseSession.close", "sessions"),
    ("client.session", "BaseSession.run", "sessions"),
    ("client.session", "BaseSession._do_call", "session_errors"),
    ("framework.ops", "_assert_same_graph", "graphs"),
    ("framework.ops", "_DefaultGraphStack.reset", "graphs"),
    ("eager.execute", "execute", "eager_errors"),
    ("ops.data_flow_ops", "QueueBase.dequeue", "queue_waits"),
    ("ops.data_flow_ops", "QueueBase.close", "queues"),
    ("framework.ops", "Graph._create_op_helper", "ops"),
    ("framework.func_graph", "func_graph_from_py_func", "functions"),
    ("ops.script_ops", "_internal_py_func", "py_function"),
    ("eager.backprop", "GradientTape.__enter__", "tapes"),
    ("ops.resource_variable_ops", "EagerResourceDeleter.__init__", "variables"),
]

# Changes points right after their module was loaded, before Tenure sees them. How Tenure's own code finds them is said by
# WAY: `odd` no plain function, `missing` not there, `raising` an error instead. Everybody else finds what was there.
SABOTEUR = """
import sys

def is_asked_by_tenure():
    return sys._getframe(2).f_code.co_filename.startswith("<tenure>")

class Odd:
    def __init__(self, real): self.real = real
    def __call__(self, *args, **kwargs): return self.real(*args, **kwargs)
    def __get__(self, instance, owner=None):
        return self if instance is None else self.real.__get__(instance, owner)

class Hidden:
    def __init__(self, real, error): self.real, self.error = real, error
    def __get__(self, instance, owner=None):
        if is_asked_by_tenure(): raise self.error("sabotaged")
        is_module = isinstance(instance, type(sys))
        return self.real if instance is None or is_module else self.real.__get__(instance, owner)

def change(owner, name):
    real = getattr(owner, name)
    if WAY == "odd": return setattr(owner, name, Odd(real))
    hidden = Hidden(real, AttributeError if WAY == "missing" else RuntimeError)
    if not isinstance(owner, type(sys)): return setattr(owner, name, hidden)
    owner.__class__ = type("Module", (type(owner),), {name: property(hidden.__get__)})

class Saboteur:
    def find_spec(self, name, path=None, target=None):
        if not any(name == module for module, _ in CHANGED): return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"): continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                load = spec.loader.exec_module
                def exec_module(module):
                    load(module)
                    for _, path in [c for c in CHANGED if c[0] == name]:
                        owner = module
                        *holders, last = path.split(".")
                        for holder in holders: owner = getattr(owner, holder)
                        change(owner, last)
                spec.loader.exec_module = exec_module
                return spec

sys.meta_path.insert(0, Saboteur())
"""
PROGRAM = """
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
queue = tf.queue.FIFOQueue(4, [tf.float32], shapes=[()])
put, item = queue.enqueue(3.0), queue.dequeue()
with tf.Session() as sess:
    sess.run(put)
    print(sess.run(tf.constant(2.0) * item))
try:
    sess.run(item)
except RuntimeError as error:
    print(error)
"""
PRINTED = "6.0\nAttempted to use a closed Session.\n"

# Calls each point with arguments it does not expect; then uses TensorFlow as ever.
MISFIT = """
import importlib
import tensorflow.compat.v1 as tf
for module, path in CHANGED:
    point = importlib.import_module(module)
    for name in path.split("."): point = getattr(point, name)
    for args in ((), (None,), (None, None), ([], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)):
        try:
            point(*args)
        except Exception as error:
            print(path, type(error).__name__)
"""


def changed(points: List[Tuple[str, str, str]]) -> str:
    return "CHANGED = %r\n" % [("tensorflow.python." + m, path) for m, path, _ in points]


def quiet() -> Dict[str, str]:
    return dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")


def parts_off(run: Any) -> Dict[str, str]:
    return {k: v for k, v in run.findings["losses"].items() if k.startswith("adapter.")}


@pytest.mark.parametrize("number", range(len(POINTS)))
def test_a_point_that_looks_different_switches_its_part_off_alone(
    number: int, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    version = VERSIONS[number % 3]  # all of them together are tested in each version below
    program = tmp_path / "program.py"
    program.write_text("WAY = 'odd'\n" + changed([POINTS[number]]) + SABOTEUR + PROGRAM)
    run = run_tenure(["run", "--", env(version), str(program)], environ=quiet())
    assert (run.returncode, run.stdout) == (0, PRINTED), run.stderr
    off = parts_off(run)
    assert list(off) == ["adapter.tensorflow." + POINTS[number][2]]
    assert "off: no function " in next(iter(off.values()))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("way", ["odd", "missing", "raising"])
def test_with_every_point_changed_the_program_runs_as_ever(
    version: str,
    way: str,
    env: Callable[[str], str],
    run_tenure: Callable[..., Any],
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.py"
    program.write_text("WAY = %r\n" % way + changed(POINTS) + SABOTEUR + PROGRAM)
    run = run_tenure(["run", "--", env(version), str(program)], environ=quiet())
    assert (run.returncode, run.stdout) == (0, PRINTED), run.stderr
    assert set(parts_off(run)) == {"adapter.tensorflow." + part for _, _, part in POINTS}
    assert run.findings["verdict"] == "clean"  # the closed session was not seen


@pytest.mark.parametrize("version", VERSIONS)
def test_a_point_that_is_called_in_another_way_answers_as_without_tenure(
    version: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text(changed(POINTS) + MISFIT + PROGRAM)
    command = [env(version), str(program)]
    plain = subprocess.run(command, stdout=subprocess.PIPE, env=quiet(), check=True)
    run = run_tenure(["run", "--", *command], environ=quiet())
    assert run.returncode == 0, run.stderr
    assert run.stdout == plain.stdout.decode()
    assert PRINTED in run.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_doctor_names_the_part_that_is_off(
    version: str, env: Callable[[str], str], tenure: str, tmp_path: Path
) -> None:
    point = POINTS[VERSIONS.index(version)]
    (tmp_path / "sitecustomize.py").write_text("WAY = 'odd'\n" + changed([point]) + SABOTEUR)
    said = subprocess.run(
        [tenure, "doctor", "--python", env(version)],
        stdout=subprocess.PIPE,
        env=dict(quiet(), PYTHONPATH=str(tmp_path)),
    ).stdout.decode()
    assert "tensorflow." + point[2] in said
    assert "off: no function" in said
