"""IPython's events, by which it says that a cell begins and ends: see _ipython_cells.py.

Runs in Tenure's private namespace, once `IPython.core.events` is loaded; `load` and `interceptors` are given.
"""

import sys


def start():
    part = interceptors["Part"]("adapter.ipython.events")
    manager = getattr(sys.modules.get("IPython.core.events"), "EventManager", None)
    part.intercept(manager, "trigger", before=load("_ipython_cells")["on_event"])
    part.is_set()


start()
