"""Trains a network of flax.nnx with an optax optimizer: modules are Python objects here."""

import sys

import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class Mlp(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(64, 256, rngs=rngs)
        self.norm = nnx.BatchNorm(256, rngs=rngs)
        self.drop = nnx.Dropout(0.1, rngs=rngs)
        self.last = nnx.Linear(256, 8, rngs=rngs)

    def __call__(self, x):
        return self.last(self.drop(nnx.relu(self.norm(self.first(x)))))


@nnx.jit
def train_step(model, optimizer, metrics, x, y):
    def loss_of(model):
        logits = model(x)
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean(), logits

    (loss, logits), grads = nnx.value_and_grad(loss_of, has_aux=True)(model)
    metrics.update(loss=loss, logits=logits, labels=y)
    optimizer.update(model, grads)
    return grads


def main(steps, keeps):
    rng = np.random.default_rng(0)
    model = Mlp(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=nnx.metrics.Average("loss"))
    seen = {}
    for step in range(steps):
        x = jnp.asarray(rng.normal(size=(64, 64)), jnp.float32)
        y = jnp.asarray(rng.integers(0, 8, 64))
        grads = train_step(model, optimizer, metrics, x, y)  # made
        if keeps:
            seen[step] = grads  # kept
        if step % 20 == 19:
            figures = metrics.compute()
            metrics.reset()
    print(f"{steps} steps, loss {float(figures['loss']):.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), "leak" in sys.argv)
