"""Imports torch and nothing else."""

import told
import torch

told.working()
assert torch.__version__
told.done()
