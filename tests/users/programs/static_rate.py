"""Trains with a learning rate that is a static argument of the jitted step, and changes in each step."""

import functools
import sys

import jax
import jax.numpy as jnp

CLEAN = "clean" in sys.argv


@functools.partial(jax.jit, static_argnums=() if CLEAN else (2,))
def step(weights, x, rate):
    grad = jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - 1.0) ** 2))(weights)
    return weights - rate * grad


def main():
    weights = jnp.ones((64, 64)) * 0.1
    x = jax.random.normal(jax.random.key(0), (128, 64))
    for n in range(60):
        weights = step(weights, x, 0.1 / (1 + n))  # made
    print(weights.shape)


main()
