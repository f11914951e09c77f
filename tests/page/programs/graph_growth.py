"""TensorFlow 1: every batch adds operations to the graph."""

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()


def score(session, batch):
    weights = tf1.constant(np.ones((256, 256), np.float32))
    return session.run(tf1.reduce_sum(tf1.matmul(tf1.constant(batch), weights)))


def main():
    with tf1.Session() as session:
        for _ in range(80):
            score(session, np.random.rand(64, 256).astype(np.float32))


main()
