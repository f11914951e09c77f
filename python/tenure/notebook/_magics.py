"""The magics `%tenure` and `%%tenure`, as IPython knows them.

`%%tenure` in the first line is taken out before IPython looks at the cell, and what is left runs as any other cell, by the
same code, with the same lines, output, errors and interrupts. Called from the main thread, which runs cells.
"""

from ._answers import about_cell, about_notebook
from ._words import USAGE, not_running, usage_problem

MAGIC = "%%tenure"


def is_magic(line):
    return line.split(None, 1)[:1] == [MAGIC]


def without_magic(lines):
    """A transformation of input. The empty line keeps the numbers of those below; another magic has to be in the first one."""
    if not lines or not is_magic(lines[0]):
        return lines
    return lines[1:] if lines[1:2] and lines[1].startswith("%%") else ["\n", *lines[1:]]


def asks_to_be_judged(text):
    """Whether `%%tenure` is among the magics that a cell begins with."""
    for line in text.lstrip("\n").splitlines():
        if is_magic(line):
            return True
        if not line.startswith("%%"):
            return False
    return False


class Magics:
    """What is registered with one shell."""

    def __init__(self, shell):
        self.shell = shell
        self.judges_all = False
        self.outermost = None  # what IPython knows of the cell that runs
        self.is_called = False  # in it, as a function

    def register(self):
        self.shell.input_transformers_cleanup.append(without_magic)
        self.shell.events.register("pre_run_cell", self.before_cell)
        self.shell.events.register("post_run_cell", self.after_cell)
        self.shell.register_magic_function(self.line, "line_cell", "tenure")

    def unregister(self):
        if without_magic in self.shell.input_transformers_cleanup:
            self.shell.input_transformers_cleanup.remove(without_magic)
        self.shell.events.unregister("pre_run_cell", self.before_cell)
        self.shell.events.unregister("post_run_cell", self.after_cell)
        for kind in ("line", "cell"):
            self.shell.magics_manager.magics[kind].pop("tenure", None)

    def before_cell(self, info):
        if self.outermost is None:
            self.outermost = info

    def after_cell(self, result=None):
        """Also of a cell that failed or was interrupted: what it left behind is there all the same."""
        info = getattr(result, "info", None)
        if self.outermost is not None and info is not None and info is not self.outermost:
            return  # of a cell that the cell has run
        self.outermost = None
        text = getattr(info, "raw_cell", None) or ""
        is_asked, self.is_called = self.is_called or asks_to_be_judged(text), False
        is_ours = not text.strip() or text.lstrip().startswith("%tenure")
        if not is_asked and (is_ours or not self.judges_all):
            return
        if getattr(result, "error_before_exec", None):
            return
        # an older IPython does not number a cell without history
        number = getattr(result, "execution_count", None) or self.shell.execution_count
        del result, info  # we are none who keep what it came to
        answer = about_cell(number)
        if is_asked or answer.is_worth_a_word:
            answer.show()

    def line(self, line, cell=None):
        """What this notebook came to so far; on: each cell is judged that leaves something behind; off."""
        asked = line.strip()
        if cell is not None:  # not as the first line of a cell, but called
            self.is_called = True
            return self.shell.run_cell(cell, store_history=False).raise_error()
        if asked in ("on", "off"):
            problem = not_running()
            if asked == "on" and problem:
                return print(problem)
            self.judges_all = asked == "on"
            return None
        if asked:
            return print(usage_problem(asked))
        return about_notebook().show()

    line.__doc__ = USAGE


loaded = {}  # type: ignore[var-annotated]  # id of a shell -> its Magics


def load(shell):
    if id(shell) in loaded:
        return
    loaded[id(shell)] = Magics(shell)
    loaded[id(shell)].register()
    problem = not_running()
    if problem:
        print(problem)


def unload(shell):
    magics = loaded.pop(id(shell), None)
    if magics is not None:
        magics.unregister()
