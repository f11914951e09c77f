"""Training steps of a TensorFlow 1 session."""

import measured
import numpy as np
import tensorflow.compat.v1 as tf

x = tf.placeholder(tf.float32, [None, 128])
hidden = tf.layers.dense(x, 256, activation=tf.nn.relu)
loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 1)))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
batch = np.ones((256, 128), np.float32)
session = tf.Session()
session.run(tf.global_variables_initializer())


def loop(n):
    for _ in range(n):
        session.run([train, loss], {x: batch})


measured.steady(loop, 20, 600)
