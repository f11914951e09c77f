"""A run that waits for a queue nobody can fill cannot be interrupted: Tenure says at Ctrl-C what it waits for."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable

PROGRAM = """import tensorflow as tf
queue = tf.queue.FIFOQueue(4, [tf.int32], shapes=[()], name="parcels")
put = queue.enqueue(7)
item = queue.dequeue()
with tf.Session() as sess:
    sess.run(put)
    print(sess.run(item), flush=True)
    sess.run(item)
"""


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.1)


def test_a_dequeue_that_nobody_can_serve_is_told_at_ctrl_c(
    tenure: str, env: Callable[[str], str], tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    said, printed = tmp_path / "said.txt", tmp_path / "printed.txt"
    with said.open("w") as errors, printed.open("w") as output:
        run = subprocess.Popen(
            [tenure, "run", "--", env("tf115"), "program.py"],
            cwd=tmp_path,
            stdout=output,
            stderr=errors,
            start_new_session=True,
            env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"),
        )
        try:
            wait_for(lambda: printed.read_text() == "7\n")
            os.killpg(run.pid, signal.SIGINT)
            wait_for(lambda: "again: tenure show" in said.read_text())
        finally:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
    text = said.read_text()
    assert "a run waits for an element of a queue" in text
    assert "program.py:8" in text and "program.py:4" in text
    assert "no other" in text
