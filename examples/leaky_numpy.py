"""A training loop that leaks: it keeps each step's activations in a list that nobody reads again.

Run it with: tenure run examples/leaky_numpy.py
"""

import numpy as np

STEPS = 200
history = []  # meant for the mean loss of each step


def train_step(weights, batch, target):
    hidden = np.tanh(batch @ weights)
    error = hidden - target
    weights -= 1e-3 * (batch.T @ (error * (1 - hidden * hidden)))
    return error


def main():
    rng = np.random.default_rng(7)
    weights = rng.normal(size=(64, 256))
    for _ in range(STEPS):
        batch = rng.normal(size=(128, 64))
        error = train_step(weights, batch, np.zeros((128, 256)))
        history.append(error * error)  # the leak: 256 KiB a step; np.mean(error * error) was meant
    print("last loss %.4f after %d steps" % (np.mean(history[-1]), len(history)))


if __name__ == "__main__":
    main()
