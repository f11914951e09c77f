"""A queue that a runner's thread closes: the user's lines are told, not those of the thread."""

from __future__ import annotations

from typing import Any, Callable

PROGRAM = """
import os, tempfile
import tensorflow as tf
path = os.path.join(tempfile.mkdtemp(), "part.csv")
with open(path, "w") as out:
    out.write("\\n".join("%d,%d" % (i, i) for i in range(10)) + "\\n")
names = tf.train.string_input_producer([path], num_epochs=1)
_, line = tf.TextLineReader().read(names)
key, value = tf.decode_csv(line, [[0], [0]])
values = tf.train.batch([value], batch_size=4)
total = tf.reduce_sum(values)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    threads = tf.train.start_queue_runners(sess, tf.train.Coordinator())
    for step in range(10):
        print(sess.run(total))
"""


def test_who_asked_for_the_runner_closed_the_queue(run_on: Callable[..., Any]) -> None:
    run = run_on("tf115", PROGRAM, environ={"TF_CPP_MIN_LOG_LEVEL": "3"})
    errors = [f for f in run.findings["findings"] if f["severity"] == "error"]
    assert [f["kind"] for f in errors] == ["queue-closed"], run.stderr
    lines = {place["role"]: place["line"] for place in errors[0]["where"]}
    source = PROGRAM.split("\n")
    assert "tf.train.batch" in source[lines["ended"] - 1]
    assert "string_input_producer" in source[lines["made at"] - 1]
    assert "sess.run(total)" in source[lines["used"] - 1]
    assert all(place["file"].endswith("program.py") for place in errors[0]["where"])
