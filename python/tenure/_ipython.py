"""IPython's compiler of cells: see _ipython_cells.py.

Runs in Tenure's private namespace, once `IPython.core.compilerop` is loaded; `load` and `interceptors` are given.
"""

import sys


def start():
    part = interceptors["Part"]("adapter.ipython.cells")
    compiler = getattr(sys.modules.get("IPython.core.compilerop"), "CachingCompiler", None)
    part.intercept(compiler, "cache", after=load("_ipython_cells")["on_code"])
    part.is_set()


start()
