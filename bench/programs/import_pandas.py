"""Imports pandas and nothing else."""

import pandas
import told

told.working()
assert pandas.__version__
told.done()
