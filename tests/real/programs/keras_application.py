"""Trains MobileNetV2 of keras.applications by fit() on random pictures, then predicts."""

import sys

import keras
import numpy as np


class Recorder(keras.callbacks.Callback):
    """Keeps the weights of each epoch, as people do who look for the best ones by hand."""

    def __init__(self, keeps):
        super().__init__()
        self.keeps = keeps
        self.weights = []

    def on_epoch_end(self, epoch, logs=None):
        if self.keeps:
            self.weights.append(self.model.get_weights())  # made


def main(epochs, keeps):
    keras.utils.set_random_seed(0)
    model = keras.applications.MobileNetV2(
        input_shape=(64, 64, 3), alpha=0.35, weights=None, classes=5
    )
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    rng = np.random.default_rng(0)
    x = rng.normal(size=(64, 64, 64, 3)).astype("float32")
    y = rng.integers(0, 5, 64)
    recorder = Recorder(keeps)
    history = model.fit(
        x,
        y,
        batch_size=16,
        epochs=epochs,
        validation_split=0.25,
        verbose=0,
        callbacks=[recorder],
    )
    model.predict(x[:16], verbose=0)
    print(f"{len(history.history['loss'])} epochs, {len(recorder.weights)} kept")


if __name__ == "__main__":
    main(int(sys.argv[1]), "leak" in sys.argv)
