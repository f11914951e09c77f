"""Steps that TensorFlow makes by itself, where no loop of the program tells them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable

import pytest

# A callback of one call of fit: each batch leaves an activation.
FIT = """
import numpy as np
import tensorflow as tf
class Recorder(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []
    def on_train_batch_end(self, batch, logs=None):
        self.seen.append(self.model.layers[0](sample))
x, y = np.random.rand(1600, 32).astype("float32"), np.random.rand(1600, 1).astype("float32")
sample = tf.constant(x[:256])
layers = [tf.keras.layers.Dense(128, activation="relu", input_shape=(32,)), tf.keras.layers.Dense(1)]
model = tf.keras.Sequential(layers)
model.compile(optimizer="sgd", loss="mse")
recorder = Recorder()
model.fit(x, y, batch_size=32, epochs=2, verbose=0, callbacks=[recorder])
"""


@pytest.mark.parametrize("version", ["tf20", "tf215", "tf2"])
def test_a_batch_of_fit_is_a_step(
    version: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(FIT)
    quiet = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3")
    run = run_tenure(["run", "--", env(version), str(tmp_path / "program.py")], environ=quiet)
    assert run.returncode == 0, run.stderr
    leaks = [f for f in run.findings["findings"] if f["severity"] == "leak"]
    assert [f["kind"] for f in leaks] == ["retained-python"], run.stderr
    assert "`seen`" in leaks[0]["holder"]["text"]
    assert leaks[0]["per"] == "batch of a Keras model"
    assert leaks[0]["steps"] == 100
