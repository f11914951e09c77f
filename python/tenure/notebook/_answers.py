"""What Tenure's analysis says of a cell or of the notebook so far, ready to be shown.

The record of the running process is brought up to this moment, and `tenure show` reads it. Called from the main thread.
"""

import json
import os
import subprocess
import tempfile

import tenure
from tenure.testing._program import CannotRun, tenure_program

from ._html import page_of_cell, page_of_notebook
from ._words import not_running

ASKED = 5  # ledger::SnapshotReason
PATIENCE = 120  # seconds for the analysis
WORTH_A_WORD = 1 << 20  # bytes that a cell leaves behind, for it to be told unasked


class Answer:
    """A sentence and a table as plain text, and the same as HTML where that can be shown."""

    def __init__(self, text, html="", data=None):
        self.text = text
        self.html = html
        self.data = data or {}

    @property
    def is_worth_a_word(self):
        return self.data.get("bytes", 0) >= WORTH_A_WORD

    def show(self):
        from IPython.display import display

        display(self)

    def __repr__(self):
        return self.text

    def _repr_pretty_(self, printer, _cycle):
        printer.text(self.text)

    def _repr_html_(self):
        return self.html or None


def about_cell(number):
    shown, problem = asked_of_record(["--since", "In[%d]" % number])
    if problem:
        return Answer(problem)
    return Answer(shown.text, page_of_cell(shown.data), shown.data)


def about_notebook():
    shown, problem = asked_of_record([])
    if problem:
        return Answer(problem)
    return Answer(shown.text, page_of_notebook(shown.data, shown.text), shown.data)


class Shown:
    """What `tenure show` prints, and the same as data."""

    def __init__(self, text, data):
        self.text = text
        self.data = data


def asked_of_record(options):
    """(Shown, "") or (None, why there is no answer)."""
    problem = not_running()
    if problem:
        return None, problem
    tenure._native["take_snapshot"](ASKED)
    record = tenure._native["record_until_now"]()
    if not record:
        return None, "tenure: nothing can be told: `tenure run` does not answer"
    try:
        return read(record, options), ""
    except (CannotRun, OSError, ValueError, subprocess.SubprocessError) as error:
        return None, "tenure: the record could not be read: %s" % error


def read(record, options):
    with tempfile.TemporaryDirectory(prefix="tenure-") as folder:
        file = os.path.join(folder, "answer.json")
        command = [tenure_program(), "show", "--json", file, "--process", str(os.getpid())]
        done = subprocess.run(
            [*command, *options, record],
            env=dict(os.environ, TENURE_LEAVE_OUT="1"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
        )
        if done.returncode != 0:
            raise ValueError(done.stderr.decode("utf-8", "replace").strip() or "no answer came")
        with open(file, encoding="utf-8") as answer:
            return Shown(done.stdout.decode("utf-8", "replace").strip("\n"), json.load(answer))
