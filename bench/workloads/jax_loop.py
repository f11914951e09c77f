"""A compiled training step in a loop."""

import measured  # isort: skip
import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    def loss(w):
        return jnp.mean(jnp.tanh(x @ w) ** 2)

    return w - 0.01 * jax.grad(loss)(w)


def loop(n):
    global w
    for _ in range(n):
        w = step(w, x)
    w.block_until_ready()


w, x = jnp.ones((256, 256)), jnp.ones((512, 256))
measured.steady(loop, 20, 300, settled_after=5)
