"""A TensorFlow that is not as expected switches the part that needs it off, alone, and never harms the program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest

VERSIONS = ["tf115", "tf20", "tf2"]

# What Tenure intercepts, and the part that needs it.
POINTS = [
    ("client.session", "BaseSession.close", "sessions"),
    ("client.session", "BaseSession.run", "sessions"),
    ("client.session", "BaseSession._do_call", "session_errors"),
    ("client.session", "BaseSession._call_tf_sessionrun", "callables"),
    ("framework.ops", "Graph.__init__", "graph_births"),
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


def changed(points: List[Tuple[str, str, str]]) -> List[Tuple[str, str]]:
    return [("tensorflow.python." + module, path) for module, path, _ in points]


def quiet() -> Dict[str, str]:
    return dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")


@pytest.mark.parametrize("number", range(len(POINTS)))
def test_a_point_that_looks_different_switches_its_part_off_alone(
    number: int, run_sabotaged: Callable[..., Any]
) -> None:
    version = VERSIONS[number % 3]  # all of them together are tested in each version below
    run = run_sabotaged(version, changed([POINTS[number]]), "odd", PROGRAM, environ=quiet())
    assert (run.returncode, run.stdout) == (0, PRINTED), run.stderr
    assert list(run.adapters_off) == ["adapter.tensorflow." + POINTS[number][2]]
    assert "off: no function " in next(iter(run.adapters_off.values()))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("way", ["odd", "missing", "raising"])
def test_with_every_point_changed_the_program_runs_as_ever(
    version: str, way: str, run_sabotaged: Callable[..., Any]
) -> None:
    run = run_sabotaged(version, changed(POINTS), way, PROGRAM, environ=quiet())
    assert (run.returncode, run.stdout) == (0, PRINTED), run.stderr
    assert set(run.adapters_off) == {"adapter.tensorflow." + part for _, _, part in POINTS}
    assert run.findings["verdict"] == "clean"  # the closed session was not seen


@pytest.mark.parametrize("version", VERSIONS)
def test_a_point_that_is_called_in_another_way_answers_as_without_tenure(
    version: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    program = tmp_path / "program.py"
    program.write_text("CHANGED = %r\n" % changed(POINTS) + MISFIT + PROGRAM)
    command = [env(version), str(program)]
    plain = subprocess.run(command, stdout=subprocess.PIPE, env=quiet(), check=True)
    run = run_tenure(["run", "--", *command], environ=quiet())
    assert run.returncode == 0, run.stderr
    assert run.stdout == plain.stdout.decode()
    assert PRINTED in run.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_doctor_names_the_part_that_is_off(
    version: str,
    env: Callable[[str], str],
    tenure: str,
    sabotaged: Callable[..., str],
    tmp_path: Path,
) -> None:
    point = POINTS[VERSIONS.index(version)]
    (tmp_path / "sitecustomize.py").write_text(sabotaged(changed([point]), "odd"))
    said = subprocess.run(
        [tenure, "doctor", "--python", env(version)],
        stdout=subprocess.PIPE,
        env=dict(quiet(), PYTHONPATH=str(tmp_path)),
    ).stdout.decode()
    assert "tensorflow." + point[2] in said
    assert "off: no function" in said
