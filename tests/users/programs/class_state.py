"""A model that leaves its last attention in a class attribute, from inside of a jitted function."""

import sys

import jax
import jax.numpy as jnp

CLEAN = "clean" in sys.argv


class Attention:
    last = None

    def __init__(self, size):
        self.w = jnp.eye(size)

    def __call__(self, x):
        weights = jax.nn.softmax(x @ self.w @ x.T)  # made
        if not CLEAN:
            Attention.last = weights  # kept
        return weights @ x, weights


def main():
    layer = Attention(16)
    run = jax.jit(layer.__call__)
    x = jnp.ones((8, 16))
    for _ in range(5):
        x, weights = run(x)
    if CLEAN:
        Attention.last = weights
    print("entropy", float(-(Attention.last * jnp.log(Attention.last)).sum()))  # used


main()
