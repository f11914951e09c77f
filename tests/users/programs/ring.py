"""Reads frames out of a ring in shared memory, and waits too long before it uses them: their places are written again."""

import sys
from multiprocessing import shared_memory

import jax
import jax.numpy as jnp
import numpy as np

CLEAN = "clean" in sys.argv
SLOTS, SIZE = 4, 65536


@jax.jit
def score(frame):
    return jnp.square(frame).mean()


def main():
    memory = shared_memory.SharedMemory(create=True, size=SLOTS * SIZE * 4)  # made
    ring = np.ndarray((SLOTS, SIZE), np.float32, buffer=memory.buf)
    waiting = []
    for n in range(60):
        ring[n % SLOTS] = n  # a camera would do that
        waiting.append(jax.device_put(ring[n % SLOTS]))  # created
        if len(waiting) == (SLOTS if CLEAN else 3 * SLOTS):
            print([float(score(frame)) for frame in waiting])
            waiting.clear()
    memory.unlink()


main()
