"""`%load_ext tenure`: a cell that begins with `%%tenure` is told what it left behind, at which line, and who keeps it.

What is told is Tenure's analysis of the record of this very kernel, so the kernel has to run under `tenure run`; elsewhere
cells run as ever and one sentence says what to do. `tenure kernel install` makes such a kernel for Jupyter.
"""

from ._magics import load, unload

__all__ = ["load", "unload"]
