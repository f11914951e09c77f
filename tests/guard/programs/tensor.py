"""A view by address of a tensor that is replaced: the lines that the finding must name end in their roles."""

import ctypes

import torch

state = torch.ones(256, 256)  # created
pixels = (ctypes.c_float * 10).from_address(state.data_ptr())
print(pixels[3])
state = state * 2  # ended
print(pixels[3])  # used
