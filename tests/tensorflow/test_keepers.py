"""Who keeps what TensorFlow holds natively: sessions, graphs, tapes, variables, results of runs, and what is no leak."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable

import pytest

HEAD = "import numpy as np\nimport tensorflow as tf\n"

SESSIONS_OF_ERRORS = """
failures = []
def check(number):
    with tf.Graph().as_default() as graph:
        total = tf.reduce_sum(tf.get_variable("weights", [400, 300]))
        bad = tf.reshape(tf.placeholder(tf.float32, [None], name="x"), [3, 7])
        init = tf.global_variables_initializer()
    sess = tf.Session(graph=graph)
    sess.run(init)
    sess.run(bad, {"x:0": np.zeros(10)})
for number in range(30):
    try:
        check(number)
    except tf.errors.InvalidArgumentError as error:
        failures.append(error)
"""
GRAPHS = """
archive = []
for seed in range(40):
    with tf.Graph().as_default() as graph:
        total = tf.reduce_sum(tf.constant(np.full([200, 100], seed, np.float32)))
        with tf.Session() as sess:
            sess.run(total)
    archive.append(graph)
"""
RESULTS = """
x = tf.placeholder(tf.float32, [None, 128])
features = tf.layers.dense(x, 256, activation=tf.nn.relu)
kept = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(60):
        out = sess.run(features, {x: np.ones([200, 128])})
        kept.append(out)
"""
BOUNDED_SESSIONS = """
resident = {}
for n in range(40):
    with tf.Graph().as_default() as graph:
        total = tf.reduce_sum(tf.get_variable("table", [1500, 128]))
        init = tf.global_variables_initializer()
    resident[n] = tf.Session(graph=graph)
    resident[n].run(init)
    resident[n].run(total)
    if n >= 4:
        resident.pop(n - 4).close()
"""
TAPES = """
w = tf.Variable(tf.random.normal([128, 128]))
tapes = {}
for step in range(40):
    x = tf.constant(np.full([128, 128], step, np.float32))
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(x, w))))
    tape.gradient(loss, w)
    tapes[step] = tape
"""
VARIABLES = """
zoo = []
for user in range(40):
    layer = tf.keras.layers.Dense(512)
    layer(tf.ones([2, 64]))
    zoo.append(layer)
"""
DROPPED_FUNCTIONS = """
for n in range(40):
    f = tf.function(lambda v: v * 2.0 + tf.roll(v, 1, 0))
    f(tf.ones([64, 64]))
"""
CASES = [
    ("tf115", SESSIONS_OF_ERRORS, "session-unclosed", "failures"),
    ("tf115", GRAPHS, "retained-python", "archive"),
    ("tf115", RESULTS, "retained-python", "kept"),
    ("tf115", BOUNDED_SESSIONS, None, ""),
    ("tf20", TAPES, "retained-autograd", "tapes"),
    ("tf20", VARIABLES, "retained-python", "zoo"),
    ("tf2", DROPPED_FUNCTIONS, None, ""),
    ("tf2", TAPES, "retained-autograd", "tapes"),
]


@pytest.mark.parametrize("version,program,kind,holder", CASES)
def test_the_keeper_is_named(
    version: str,
    program: str,
    kind: str,
    holder: str,
    env: Callable[[str], str],
    run_tenure: Callable[..., Any],
    tmp_path: Path,
) -> None:
    (tmp_path / "program.py").write_text(HEAD + program)
    quiet = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    run = run_tenure(["run", "--", env(version), str(tmp_path / "program.py")], environ=quiet)
    assert run.returncode == 0, run.stderr
    leaks = [f for f in run.findings["findings"] if f["severity"] == "leak"]
    assert [f["kind"] for f in leaks] == ([kind] if kind else []), run.stderr
    if kind:
        assert "`%s`" % holder in leaks[0]["holder"]["text"]
