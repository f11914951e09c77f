"""Work that TensorFlow does for a line of Python: runs of sessions and calls of traced functions, which are steps.

Threads of TensorFlow have no Python frames. What they make while one thread waits is told under the line that waits.
Runs in Tenure's private namespace; `native`, `interceptors` and `tf` (the namespace of _tensorflow.py) are given.
"""

# Functions that Keras traces, one call of which is a batch of fit, evaluate or predict.
OF_KERAS = (
    "one_step_on_iterator",
    "multi_step_on_iterator",
    "train_function",
    "test_function",
    "predict_function",
    "distributed_function",
)
steps: dict = {}  # name of a concrete function -> what a call of it is
MOST_NAMES = 1000


def on_run(*_args, **_kwargs):
    native["framework_step"]("run of a session")
    native["work_begins"]()


def on_call(function, *_args, **_kwargs):
    native["framework_step"](step_of(function))
    tf["on_function_call"](function)
    native["work_begins"]()


def step_of(function):
    name = getattr(function, "name", None)
    step = steps.get(name)
    if step is None:
        is_batch = any(known in str(name) for known in OF_KERAS)
        step = "batch of a Keras model" if is_batch else "call of a tf.function"
        if len(steps) < MOST_NAMES:
            steps[name] = step
    return step


def start():
    ends = {"after": native["work_ends"], "error": native["work_ends"]}
    part = interceptors["Part"]("adapter.tensorflow.runs")
    part.intercept(tf["found"]("client.session:BaseSession"), "_do_run", before=on_run, **ends)
    part.is_set()
    part = interceptors["Part"]("adapter.tensorflow.calls")
    part.intercept(tf["concrete_function"](), "_call_flat", before=on_call, **ends)
    part.is_set()


start()
