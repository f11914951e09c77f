"""Notebooks: each run of a cell is a step, and the names that cells are compiled under belong to their numbers.

Runs in Tenure's private namespace, once `IPython.core.compilerop` is loaded; `native` and `interceptors` are given.
"""

import sys

MOST_TEXT = 16000  # characters of a cell that are kept


def on_cell(name, args, kwargs):
    text = args[1] if len(args) > 1 else kwargs["transformed_code"]
    number = args[2] if len(args) > 2 else kwargs.get("number", 0)
    native["framework_step"]("run of a cell")
    native["note"]("cell." + name, "%d\n%s" % (number, text[:MOST_TEXT]))


def start():
    part = interceptors["Part"]("adapter.ipython.cells")
    compiler = getattr(sys.modules.get("IPython.core.compilerop"), "CachingCompiler", None)
    part.intercept(compiler, "cache", after=on_cell)
    part.is_set()


start()
