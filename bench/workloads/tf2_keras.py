"""Batches of Keras' fit, fed by tf.data."""

import measured
import numpy as np
import tensorflow as tf

x = np.random.default_rng(1).random((4096, 64), dtype=np.float32)
y = x.sum(axis=1, keepdims=True)
batches = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(512).batch(64).prefetch(2)
model = tf.keras.Sequential(
    [tf.keras.layers.Dense(256, activation="relu"), tf.keras.layers.Dense(1)]
)
model.compile(optimizer="adam", loss="mse")


def loop(epochs):
    model.fit(batches, epochs=epochs, verbose=0)


measured.steady(loop, 2, 12)
