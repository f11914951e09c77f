"""pyarrow: it takes its blocks from malloc while Tenure watches, so that each of them has its line and its end.

By itself Arrow cuts them out of large regions with an allocator of its own, which nobody can look into. Which one it uses
it reads from an environment variable, once, while it is imported: the variable is there for so long and no longer, and
Python's own os.environ never shows it. A program that chose an allocator itself keeps it.

Runs in Tenure's private namespace, before the module's own code; `native` is given.
"""

import os

CHOICE = "ARROW_DEFAULT_MEMORY_POOL"
has_choice = CHOICE in os.environ


def before_import():
    if not has_choice:
        os.putenv(CHOICE, "system")


def after_import():
    if has_choice:
        return
    if hasattr(os, "unsetenv"):  # always there since Python 3.9
        os.unsetenv(CHOICE)
    native["fact"]("adapter.pyarrow", "on: its blocks come from malloc")
