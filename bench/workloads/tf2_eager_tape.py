"""Eager training steps with a gradient tape."""

import measured
import tensorflow as tf

x, y = tf.random.normal([256, 128]), tf.random.normal([256, 1])
first, second = tf.Variable(tf.random.normal([128, 256])), tf.Variable(tf.random.normal([256, 1]))


def loop(n):
    for _ in range(n):
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(x, first))
            loss = tf.reduce_mean(tf.square(tf.matmul(hidden, second) - y))
        for weights, gradient in zip((first, second), tape.gradient(loss, (first, second))):
            weights.assign_sub(1e-4 * gradient)


measured.steady(loop, 20, 400)
