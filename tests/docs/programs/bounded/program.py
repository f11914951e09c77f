"""The newest 50 arrays of a run, no more."""

from collections import deque

import numpy as np

newest = deque(maxlen=50)
for step in range(400):
    newest.append(np.random.rand(256, 128))
print(len(newest))
