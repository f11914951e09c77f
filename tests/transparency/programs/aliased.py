"""jax.device_put copies an array that does not lie at a multiple of 64, as glibc's mapped blocks never do."""

import jax
import numpy as np

array = np.ones(1 << 20, np.float32)
copy = jax.device_put(array)
copy.block_until_ready()
array[0] = 7
print(float(copy[0]))
