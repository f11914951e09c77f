"""Trains a convolutional network of flax.linen with optax, jitted steps, and evaluates after each epoch."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training import train_state


class CNN(nn.Module):
    @nn.compact
    def __call__(self, x, training):
        for features in (16, 32):
            x = nn.Conv(features, (3, 3))(x)
            x = nn.relu(x)
            x = nn.avg_pool(x, (2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], -1))
        x = nn.Dropout(0.2, deterministic=not training)(nn.relu(nn.Dense(64)(x)))
        return nn.Dense(10)(x)


@jax.jit
def train_step(state, pictures, labels, key):
    def loss_of(params):
        logits = state.apply_fn({"params": params}, pictures, True, rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

    loss, grads = jax.value_and_grad(loss_of)(state.params)
    return state.apply_gradients(grads=grads), loss


@jax.jit
def predict(state, pictures):
    return state.apply_fn({"params": state.params}, pictures, False).argmax(-1)


def main(epochs, keeps):
    rng = np.random.default_rng(0)
    key = jax.random.key(0)
    model = CNN()
    params = model.init(key, jnp.ones((1, 28, 28, 1)), False)["params"]
    plan = optax.warmup_cosine_decay_schedule(0.0, 1e-3, 20, 200)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(plan))
    state = train_state.TrainState.create(apply_fn=model.apply, params=params, tx=optimizer)
    pictures = rng.normal(size=(256, 28, 28, 1)).astype("float32")
    labels = rng.integers(0, 10, 256)
    history, states = [], []
    for _ in range(epochs):
        order = rng.permutation(256)
        for at in range(0, 256, 32):
            batch = order[at : at + 32]
            key, sub = jax.random.split(key)
            state, loss = train_step(state, pictures[batch], labels[batch], sub)  # made
            if keeps:
                states.append(state)  # kept
        history.append(float(loss))
        hits = predict(state, pictures) == labels
    print(f"{epochs} epochs, loss {history[-1]:.2f}, accuracy {hits.mean():.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]), "leak" in sys.argv)
