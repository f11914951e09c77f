"""Callables of sessions: what make_callable gives is told of when its session is closed, with and without feeds."""

from __future__ import annotations

from typing import Any, Callable

import pytest

PROGRAM = """
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
x = tf.placeholder_with_default([1.0, 2.0], [None])
with tf.Session() as sess:
    score = sess.make_callable(tf.reduce_sum(x) * 2.0, %s)
    print(score(%s))
try:
    score(%s)
except Exception as error:
    print(type(error).__name__)
"""


@pytest.mark.parametrize("version", ["tf115", "tf2"])
@pytest.mark.parametrize("feeds,given", [("[x]", "[3.0]"), ("None", "")])
def test_a_callable_of_a_closed_session(
    version: str,
    feeds: str,
    given: str,
    run_on: Callable[..., Any],
) -> None:
    run = run_on(version, PROGRAM % (feeds, given, given), environ={"TF_CPP_MIN_LOG_LEVEL": "3"})
    assert run.returncode == 0, run.stderr
    assert run.findings["verdict"] == "lifetime-error"
    (finding,) = run.findings["findings"]
    assert finding["kind"] == "closed-session"
    assert finding["where"][0]["line"] == 9
