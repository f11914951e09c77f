"""TensorFlow 1: a session is used after the end of its block."""

import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()


def load():
    total = tf1.reduce_sum(tf1.constant([1.0, 2.0, 3.0]))
    with tf1.Session() as session:
        session.run(total)
    return session, total


def main():
    session, total = load()
    print(session.run(total))


main()
