"""Notebooks: each run of a cell is a step and a marked stretch, and the names that cells are compiled under belong to their
numbers.

Runs in Tenure's private namespace; `native` is given. A mark begins when the code of the cell is there and ends before
anybody else hears of its end; what a cell runs in turn, as `%run` does, is a part of it.
"""

MOST_TEXT = 16000  # characters of a cell that are kept


class Cell:
    """The cell that runs: the outermost one."""

    info = None  # of IPython, what tells it from cells that it runs; None: no cell runs
    name = None  # "In[3]", once its code is there


def on_code(file, args, kwargs):
    """A cell gets the name of a file to be compiled under: cache(self, transformed_code, number)."""
    text = args[1] if len(args) > 1 else kwargs["transformed_code"]
    number = args[2] if len(args) > 2 else kwargs.get("number", 0)
    kept = text[:MOST_TEXT] if native["is_text_wanted"]() else ""
    native["note"]("cell." + file, "%d\n%s" % (number, kept))
    if Cell.info is None or Cell.name is None:
        native["framework_step"]("run of a cell")
    if Cell.info is not None and Cell.name is None:
        Cell.name = "In[%d]" % number
        native["watch_peak"](1)
        note_moment("begin %d %d")


def on_event(_manager, event, about=None):
    """Before anybody else is called: trigger(self, event, about)."""
    if event == "pre_run_cell" and Cell.info is None:
        Cell.info, Cell.name = about, None
    elif event == "post_run_cell" and is_end(about):
        if Cell.name is not None:
            note_moment("end %d %d %d", native["watch_peak"](0))
        Cell.info = Cell.name = None


def note_moment(words, *more):
    native["note"]("mark." + Cell.name, words % (native["moment"]() + more))


def is_end(result):
    """IPython has no result of a cell that it was thrown out of."""
    return Cell.info is not None and (result is None or result.info is Cell.info)
