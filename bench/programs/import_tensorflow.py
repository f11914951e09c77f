"""Imports tensorflow and nothing else."""

import tensorflow
import told

told.working()
assert tensorflow.__version__
told.done()
