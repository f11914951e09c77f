"""Running total of observed values, kept in a module-level variable."""
import tensorflow as tf

tf.compat.v1.enable_v2_behavior()

running_total = tf.Variable(0.0)
history = []


@tf.function
def observe(x):
    global running_total
    running_total = running_total + x
    return running_total


def report(values):
    for value in values:
        total = observe(tf.constant(value))
        history.append(float(total))
        print("observed", value, "total", history[-1])


report([42.0, 1.5, 3.0])
