"""A history that is wanted."""

import numpy as np

history = []
for step in range(200):
    history.append(np.random.rand(256, 128))
print(len(history))
