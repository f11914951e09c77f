"""Keeps the best parameters of a training whose step takes them over."""

import functools
import sys

import jax
import jax.numpy as jnp

CLEAN = "clean" in sys.argv


@functools.partial(jax.jit, donate_argnums=0)
def step(params, x):
    loss, slope = jax.value_and_grad(lambda p: jnp.square(x @ p["w"] - 1).mean())(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, slope), loss


def main():
    params = {"w": jnp.ones((32, 8))}
    best, best_loss = None, float("inf")
    key = jax.random.key(0)
    for _ in range(20):
        key, now = jax.random.split(key)
        before = jax.tree.map(jnp.copy, params) if CLEAN else params
        params, loss = step(params, jax.random.normal(now, (16, 32)))  # ended
        if loss < best_loss:
            best, best_loss = before, float(loss)
    print("norm", float(jnp.linalg.norm(best["w"])) > 0)  # used


main()
