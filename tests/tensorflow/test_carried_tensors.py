"""Tensors of one traced function that another one reads: the line inside that reads it, and the variable that led there."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import pytest

AS_ARGUMENT = """
import tensorflow as tf
losses = []
@tf.function
def step(x):
    losses.append(tf.square(x))
    return x
@tf.function
def total(terms, scale):
    doubled = scale * 2.0
    return tf.add_n(terms) * doubled  # used
def report(collected):
    return total(collected, tf.constant(1.0))
step(tf.constant(3.0))
report(losses)
"""
IN_A_LOOP = """
import tensorflow as tf
def build():
    terms = []
    @tf.function
    def step(x):
        terms.append(tf.square(x))
        return x
    @tf.function
    def penalty(x):
        out = tf.zeros_like(x)
        for i in tf.range(3):
            out += terms[0]  # used
        return out
    return step, penalty
step, penalty = build()
step(tf.constant(1.0))
penalty(tf.constant(2.0))
"""
PROGRAMS: Dict[str, Tuple[str, str]] = {
    "as an argument": (AS_ARGUMENT, "collected[0]"),
    "in a loop": (IN_A_LOOP, "terms[0]"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_line_that_reads_it_is_told(name: str, run_on: Callable[..., Any]) -> None:
    source, holder = PROGRAMS[name]
    findings = run_on("tf2", source).findings["findings"]
    error = next(f for f in findings if f["severity"] == "error")
    assert error["kind"] == "out-of-scope"
    used = next(place["line"] for place in error["where"] if place["role"] == "used")
    assert source.splitlines()[used - 1].endswith("# used")
    assert holder in error["holder"]["text"]


STORED_ERRORS = """
import tensorflow as tf
failures = []
def check(batch):
    scaled = batch * 2.0
    raise ValueError("bad batch")
def evaluate(batch):
    check(tf.concat([batch, batch], 0))
def main():
    for n in range(120):
        batch = tf.random.uniform([64, 256])
        try:
            evaluate(batch)
        except ValueError as error:
            failures.append(KEPT)
main()
"""


def test_what_a_stored_error_keeps_is_of_its_frames(run_on: Callable[..., Any]) -> None:
    told = run_on("tf2", STORED_ERRORS.replace("KEPT", "error")).findings["findings"][0]
    assert told["kind"] == "retained-frame"
    assert "local `" in told["holder"]["text"]
    assert "str(error)" in told["fix"]


def test_the_text_of_an_error_keeps_nothing(run_on: Callable[..., Any]) -> None:
    done = run_on("tf2", STORED_ERRORS.replace("KEPT", "str(error)"))
    assert done.findings["verdict"] == "clean"
