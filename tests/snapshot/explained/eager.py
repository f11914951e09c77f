import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tenure
import tensorflow as tf

with tf.GradientTape() as warm:  # libraries take their scratch memory
    one = tf.ones((1000, 1000)) * 1.0
    warm.watch(one)
    tf.sin(tf.sin(one) * 2.0)
del one, warm
tenure.snapshot()
metrics = {}
for i in range(20):
    metrics["step%d" % i] = tf.ones((1000, 1000)) * float(i)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(metrics["step0"])
    y = tf.sin(tf.sin(metrics["step0"]) * 2.0)
del y
tenure.snapshot()
print("fine")
