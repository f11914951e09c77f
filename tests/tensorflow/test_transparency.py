"""The adapter for TensorFlow stays out of sight: same output, same tracebacks, and a part that is not as expected is off alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Callable, List

import pytest

EXAM = Path(__file__).resolve().parent.parent / "exam"
LIFETIME = sorted(
    case.parent.name
    for case in EXAM.glob("*/case.json")
    if json.loads(case.read_text())["expect"]["verdict"] == "lifetime-error"
    and (case.parent.name.startswith("BUF") or '"env": "tf' in case.read_text())
)

# Makes a function look different right after its module was loaded, before Tenure sees it.
SABOTAGE = """
import sys

class Odd:
    def __init__(self, real): self.real = real
    def __call__(self, *args, **kwargs): return self.real(*args, **kwargs)
    def __get__(self, instance, owner=None):
        return self if instance is None else self.real.__get__(instance, owner)

class Saboteur:
    def __init__(self, module, path): self.module, self.path = module, path
    def find_spec(self, name, path=None, target=None):
        if name != self.module: return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"): continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                load = spec.loader.exec_module
                def exec_module(module):
                    load(module)
                    owner = module
                    *holders, last = self.path.split(".")
                    for holder in holders: owner = getattr(owner, holder)
                    setattr(owner, last, Odd(getattr(owner, last)))
                spec.loader.exec_module = exec_module
                return spec

sys.meta_path.insert(0, Saboteur(MODULE, PATH))
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
with tf.Session() as sess:
    print(sess.run(tf.constant(2.0) * 3.0))
"""
POINTS = [
    ("client.session", "BaseSession.close", "sessions"),
    ("client.session", "BaseSession.run", "sessions"),
    ("client.session", "BaseSession._do_call", "session_errors"),
    ("framework.ops", "_assert_same_graph", "graphs"),
    ("framework.ops", "_DefaultGraphStack.reset", "graphs"),
    ("eager.execute", "execute", "eager_errors"),
    ("client.session", "BaseSession._do_run", "queue_waits"),
    ("ops.data_flow_ops", "QueueBase.close", "queues"),
    ("framework.ops", "Graph._create_op_helper", "ops"),
    ("framework.func_graph", "func_graph_from_py_func", "functions"),
    ("ops.script_ops", "_internal_py_func", "py_function"),
    ("eager.backprop", "GradientTape.__enter__", "tapes"),
    ("ops.resource_variable_ops", "EagerResourceDeleter.__init__", "variables"),
]


def masked(text: str) -> List[str]:
    """Without what differs from run to run: addresses, ids, times, names of temporary files."""
    text = re.split(r"\n(?=tenure: )", "\n" + text)[0]
    text = re.sub(r"0x[0-9a-f]+|\d{5,}|tmp\w+|\d\d:\d\d:\d\d[.\d]*|__autograph\w+", "#", text)
    return [line for line in text.strip().splitlines() if not re.match(r"[WIE]\d{4} ", line)]


@pytest.mark.parametrize("case", LIFETIME)
def test_an_error_is_told_as_without_tenure(
    case: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    python = env(json.loads((EXAM / case / "case.json").read_text())["env"])
    command = [python, str(EXAM / case / "program.py")]
    plain = subprocess.run(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=quiet()
    )
    run = run_tenure(["run", "--", *command], environ=quiet())
    assert run.returncode == plain.returncode
    assert masked(run.stdout) == masked(plain.stdout.decode())
    assert masked(run.stderr) == masked(plain.stderr.decode())
    assert run.findings["verdict"] == "lifetime-error"


def quiet() -> dict:
    return dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")


@pytest.mark.parametrize("version", ["tf115", "tf20", "tf2"])
@pytest.mark.parametrize("module,path,part", POINTS)
def test_a_point_that_looks_different_switches_its_part_off(
    version: str,
    module: str,
    path: str,
    part: str,
    env: Callable[[str], str],
    run_tenure: Callable[..., Any],
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.py"
    names = "MODULE, PATH = %r, %r\n" % ("tensorflow.python." + module, path)
    program.write_text(names + SABOTAGE)
    run = run_tenure(["run", "--", env(version), str(program)], environ=quiet())
    assert (run.returncode, run.stdout) == (0, "6.0\n"), run.stderr
    off = {key: text for key, text in run.findings["losses"].items() if key.startswith("adapter.")}
    assert list(off) == ["adapter.tensorflow." + part], off
    assert "off: " in off["adapter.tensorflow." + part]
    assert run.findings["verdict"] == "clean"
