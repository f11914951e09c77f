"""A list for a plot keeps every array of the run."""

import numpy as np

history = []
for step in range(200):
    error = np.random.rand(256, 128) - 0.5
    history.append(error * error)  # float(np.mean(error * error)) would do
print(len(history))
