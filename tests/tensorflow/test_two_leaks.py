"""Two leaks in one loop, or at one line: both are told, and neither twice."""

from __future__ import annotations

from typing import Any, Callable, Dict

import pytest

HEAD = "import numpy as np\nimport tensorflow as tf\nkept = []\ndata = np.ones((300, 300), np.float32)\n"

# The function's cache keeps a graph for each `n`; the list keeps what it returns, or an array made from it.
RETRACED = """
@tf.function
def score(x, n):
    return tf.tanh(x * n)
x = tf.constant(data)
for n in range(60):
"""
# The graph keeps its ops; the list keeps what runs return.
GROWN = """
x = tf.placeholder(tf.float32, data.shape)
with tf.Session() as sess:
    for n in range(60):
"""
CASES = [
    ("tf2", "retracing", RETRACED + "    kept.append(score(x, n))\n"),
    (
        "tf2",
        "retracing",
        RETRACED + "    total = float(tf.reduce_sum(score(x, n)))\n    kept.append(data + total)\n",
    ),
    ("tf115", "graph-growth", GROWN + "        kept.append(sess.run(tf.tanh(x * n), {x: data}))\n"),
    (
        "tf115",
        "graph-growth",
        GROWN + "        y = tf.tanh(x * n)\n        kept.append(sess.run(y, {x: data}))\n",
    ),
]


@pytest.mark.parametrize("version,cause,program", CASES)
def test_both_are_told_and_neither_twice(
    version: str,
    cause: str,
    program: str,
    run_on: Callable[..., Any],
) -> None:
    run = run_on(version, HEAD + program, environ={"TF_CPP_MIN_LOG_LEVEL": "3"})
    assert run.returncode == 0, run.stderr
    leaks = [f for f in run.findings["findings"] if f["severity"] == "leak"]
    assert sorted(f["kind"] for f in leaks) == sorted(["retained-python", cause]), run.stderr
    by_kind: Dict[str, Any] = {f["kind"]: f for f in leaks}
    kept = by_kind["retained-python"]
    assert "`kept`" in kept["holder"]["text"]
    assert kept["bytes_per_step"] == pytest.approx(300 * 300 * 4, rel=0.1)
    assert by_kind[cause]["bytes_per_step"] < kept["bytes_per_step"] / 2
