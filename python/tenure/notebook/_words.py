"""The sentences of the magics themselves. What is told of a cell comes from Tenure's report."""

import tenure

USAGE = """Tell what cells left behind in memory, and who keeps it.

%%tenure      in the first line of a cell: what this cell left behind, at which line
%tenure       what the notebook came to so far, all cells together
%tenure on    tell it after each cell that leaves something behind; %tenure off ends that
"""


def not_running():
    """Why nothing can be told in this kernel, and what to do; "" where it runs under Tenure."""
    if tenure.is_running():
        return ""
    return (
        "tenure: this kernel does not run under Tenure, so nothing can be told of its memory: run `tenure kernel "
        "install` in a terminal and choose the kernel it names, or start IPython with `tenure run -- ipython`"
    )


def usage_problem(asked):
    return "tenure: %%tenure %s: there is no such word; there are `on`, `off` and none" % asked
