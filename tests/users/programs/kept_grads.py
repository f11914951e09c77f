"""Watches the gradients of a training loop in a dict of lists, one for each layer."""

import collections
import sys

import jax
import jax.numpy as jnp

CLEAN = "clean" in sys.argv


class Watcher:
    def __init__(self):
        self.seen = collections.defaultdict(list)

    def watch(self, grads):
        for name, grad in grads.items():
            self.seen[name].append(float(jnp.abs(grad).max()) if CLEAN else grad)  # kept


@jax.jit
def gradients(params, x):
    def loss(params):
        return jnp.mean((jnp.tanh(x @ params["inner"]) @ params["outer"]) ** 2)

    return jax.grad(loss)(params)


def main():
    params = {"inner": jnp.ones((256, 128)) * 0.1, "outer": jnp.ones((128, 16)) * 0.1}
    watcher = Watcher()
    key = jax.random.key(0)
    for _ in range(100):
        key, now = jax.random.split(key)
        grads = gradients(params, jax.random.normal(now, (32, 256)))  # made
        params = jax.tree.map(lambda p, g: p - 0.01 * g, params, grads)
        watcher.watch(grads)
    print(len(watcher.seen))


main()
