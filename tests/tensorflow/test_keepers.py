"""Who keeps what TensorFlow holds natively: sessions, graphs, tapes, variables, results of runs, and what is no leak."""

from __future__ import annotations

from typing import Any, Callable

import pytest

HEAD = "import numpy as np\nimport tensorflow as tf\n"

SESSIONS_OF_ERRORS = """
failures = []
def check(number):
    with tf.Graph().as_default() as graph:
        total = tf.reduce_sum(tf.get_variable("weights", [400, 300]))
        bad = tf.reshape(tf.placeholder(tf.float32, [None], name="x"), [3, 7])
        init = tf.global_variables_initializer()
    sess = tf.Session(graph=graph)
    sess.run(init)
    sess.run(bad, {"x:0": np.zeros(10)})
for number in range(30):
    try:
        check(number)
    except tf.errors.InvalidArgumentError as error:
        failures.append(error)
"""
GRAPHS = """
archive = []
for seed in range(40):
    with tf.Graph().as_default() as graph:
        total = tf.reduce_sum(tf.constant(np.full([200, 100], seed, np.float32)))
        with tf.Session() as sess:
            sess.run(total)
    archive.append(graph)
"""
RESULTS = """
x = tf.placeholder(tf.float32, [None, 128])
features = tf.layers.dense(x, 256, activation=tf.nn.relu)
kept = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(60):
        out = sess.run(features, {x: np.ones([200, 128])})
        kept.append(out)
"""
BOUNDED_SESSIONS = """
resident = {}
for n in range(40):
    with tf.Graph().as_default() as graph:
        total = tf.reduce_sum(tf.get_variable("table", [1500, 128]))
        init = tf.global_variables_initializer()
    resident[n] = tf.Session(graph=graph)
    resident[n].run(init)
    resident[n].run(total)
    if n >= 4:
        resident.pop(n - 4).close()
"""
TAPES = """
w = tf.Variable(tf.random.normal([128, 128]))
tapes = {}
for step in range(40):
    x = tf.constant(np.full([128, 128], step, np.float32))
    with tf.GradientTape(persistent=True) as tape:
        loss = tf.reduce_mean(tf.square(tf.nn.relu(tf.matmul(x, w))))
    tape.gradient(loss, w)
    tapes[step] = tape
"""
TAPES_AROUND_CALLS = """
w = tf.Variable(tf.random.normal([128, 128]))
history = {"loss": [], "tapes": []}
def forward(x):
    h = x
    for _ in range(3):
        h = tf.tanh(tf.matmul(h, w))
    return tf.reduce_mean(tf.square(h - x))
def train_step(x):
    with tf.GradientTape(persistent=True) as tape:
        loss = forward(x)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    history["loss"].append(float(loss))
    history["tapes"].append(tape)
for step in range(40):
    train_step(tf.constant(np.full([128, 128], step / 40, np.float32)))
"""
VARIABLES = """
zoo = []
for user in range(40):
    layer = tf.keras.layers.Dense(512)
    layer(tf.ones([2, 64]))
    zoo.append(layer)
"""
DROPPED_FUNCTIONS = """
for n in range(40):
    f = tf.function(lambda v: v * 2.0 + tf.roll(v, 1, 0))
    f(tf.ones([64, 64]))
"""
CLEARED = """
from tensorflow.keras import backend, layers, models
def fold(x, y):
    model = models.Sequential()
    model.add(layers.Dense(64, activation="tanh", input_shape=(20,)))
    model.add(layers.Dense(1))
    model.compile("sgd", "mse")
    model.fit(x, y, epochs=1, verbose=0)
    score = model.evaluate(x[:50], y[:50], verbose=0)
    backend.clear_session()
    return score
scores = []
for _ in range(30):
    scores.append(fold(np.random.randn(150, 20), np.random.randn(150, 1)))
"""
SAVERS = """
import tempfile
path = tempfile.mkdtemp() + "/model"
x = tf.placeholder(tf.float32, [None, 8])
h = x
for width in (16, 16, 16, 1):
    h = tf.layers.dense(h, width, tf.nn.tanh)
train = tf.train.AdamOptimizer(1e-3).minimize(tf.reduce_mean(tf.square(h)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(50):
        sess.run(train, {x: np.random.randn(64, 8)})
        saver = tf.train.Saver(max_to_keep=1)
        saver.save(sess, path, global_step=epoch, write_meta_graph=False)
"""
FOLDED = """
weights = tf.constant(np.random.rand(1000, 500).astype("float32"))
x = tf.placeholder(tf.float32, [None, 1000])
y = tf.nn.relu(tf.matmul(x, weights * 2.0 + 1.0))
kept = []
with tf.Session() as sess:
    for step in range(50):
        out = sess.run(y, {x: np.random.rand(20, 1000)})
        kept.append(out)
"""
CALLABLES = """
def load_scorer(seed):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, 200])
        score = tf.reduce_sum(tf.matmul(x, tf.get_variable("w", [200, 400])), axis=1)
        init = tf.global_variables_initializer()
    sess = tf.Session(graph=graph)
    sess.run(init)
    return sess.make_callable(score, [x])
scorers = []
for seed in range(30):
    scorer = load_scorer(seed)
    scorer(np.ones([2, 200]))
    scorers.append(scorer)
"""
LOADED = """
import tempfile
class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.random.normal([300, 300]))
    @tf.function(input_signature=[tf.TensorSpec([None, 300], tf.float32)])
    def __call__(self, x):
        return tf.nn.relu(tf.matmul(x, self.w))
path = tempfile.mkdtemp()
tf.saved_model.save(Net(), path)
registry = {}
def serve(request):
    model = tf.saved_model.load(path)
    registry[KEY] = model
    return model(tf.ones([4, 300]))
for request in range(25):
    serve(request)
"""
PREDICTED = """
model = tf.keras.Sequential([tf.keras.layers.Dense(64), tf.keras.layers.Dense(200)])
results = []
for chunk in range(40):
    scores = model.predict(np.random.rand(64, 32).astype("float32"), verbose=0)
    results.append(scores)
"""
CASES = [
    ("tf115", SESSIONS_OF_ERRORS, "session-unclosed", "failures"),
    ("tf115", GRAPHS, "retained-python", "archive"),
    ("tf115", RESULTS, "retained-python", "kept"),
    ("tf115", FOLDED, "retained-python", "kept"),
    ("tf115", FOLDED.replace("(out)", "(float(out.mean()))"), None, ""),
    ("tf115", CLEARED, None, ""),
    ("tf115", SAVERS, "graph-growth", ""),
    ("tf115", CALLABLES, "session-unclosed", "scorers"),
    ("tf115", BOUNDED_SESSIONS, None, ""),
    ("tf20", TAPES, "retained-autograd", "tapes"),
    ("tf20", TAPES_AROUND_CALLS, "retained-autograd", "history['tapes']"),
    ("tf20", VARIABLES, "retained-python", "zoo"),
    ("tf2", DROPPED_FUNCTIONS, None, ""),
    ("tf2", TAPES, "retained-autograd", "tapes"),
    ("tf2", LOADED.replace("KEY", "request"), "retained-python", "registry"),
    ("tf2", LOADED.replace("KEY", "'current'"), None, ""),
    ("tf215", PREDICTED, "retained-python", "results"),
]


@pytest.mark.parametrize("version,program,kind,holder", CASES)
def test_the_keeper_is_named(
    version: str,
    program: str,
    kind: str,
    holder: str,
    run_on: Callable[..., Any],
) -> None:
    run = run_on(version, HEAD + program, environ={"TF_CPP_MIN_LOG_LEVEL": "3"})
    assert run.returncode == 0, run.stderr
    leaks = [f for f in run.findings["findings"] if f["severity"] == "leak"]
    assert [f["kind"] for f in leaks] == ([kind] if kind else []), run.stderr
    if kind and holder:
        assert "`%s`" % holder in leaks[0]["holder"]["text"]
