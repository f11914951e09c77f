"""A symbol that is asked for its value: outside of its function that is told, inside of it that is another mistake."""

from __future__ import annotations

from typing import Any, Callable

import pytest

KEPT = """
import tensorflow as tf
class Layer:
    @tf.function
    def __call__(self, x):
        self.last = tf.nn.relu(x) * 2.0
        return tf.reduce_sum(self.last)
layer = Layer()
layer(tf.ones([3]))
print(layer.last.numpy())
"""
LISTED = """
import tensorflow as tf
points = []
@tf.function
def solve(x):
    for _ in tf.range(5):
        x = x - (x * x - 2.0) / (2.0 * x)
        points.append(x)
    return x
solve(tf.constant(1.0))
print([float(point) for point in points])
"""
# TensorFlow leaves its own frames out of this traceback.
INSIDE = """
import tensorflow as tf
@tf.function(autograph=False)
def double(x):
    return int(x) * 2.0
double(tf.constant(1.0))
"""
CASES = [
    ("tf20", KEPT, "`layer.last`"),
    ("tf2", KEPT, "`layer.last`"),
    ("tf2", LISTED, "`points[0]`"),
    ("tf2", INSIDE, None),
]


@pytest.mark.parametrize("version,program,holder", CASES)
def test_the_tensor_is_named_and_where_it_was_kept(
    version: str, program: str, holder: str, run_on: Callable[..., Any]
) -> None:
    run = run_on(version, program, environ={"TF_CPP_MIN_LOG_LEVEL": "3"})
    assert run.returncode == 1
    errors = [f for f in run.findings["findings"] if f["severity"] == "error"]
    assert [f["kind"] for f in errors] == (["out-of-scope"] if holder else []), run.stderr
    if holder:
        assert holder in errors[0]["holder"]["text"]
        used = [place["line"] for place in errors[0]["where"] if place["role"] == "used"]
        assert used == [len(program.split("\n")) - 1]
