"""Work that TensorFlow's own threads do for a line of Python: runs of sessions and calls of traced functions.

Those threads have no Python frames. What they make while one thread waits is told under the line that waits.
Runs in Tenure's private namespace; `native`, `taps` and `tf` (the namespace of _tensorflow.py) are given.
"""


def start():
    waiting = {
        "before": native["work_begins"],
        "after": native["work_ends"],
        "error": native["work_ends"],
    }
    part = taps["Part"]("adapter.tensorflow.runs")
    part.tap(tf["found"]("client.session:BaseSession"), "_do_run", **waiting)
    part.is_set()
    part = taps["Part"]("adapter.tensorflow.calls")
    part.tap(tf["concrete_function"](), "_call_flat", **waiting)
    part.is_set()


start()
