"""An array's address is used after the array: the lines that the finding must name end in their roles."""

import ctypes

import numpy as np


def address_of_levels():
    levels = np.full(20_000, 0.5)  # created
    return levels.ctypes.data


def first_of(address):
    return (ctypes.c_double * 10).from_address(address)[0]  # used


address = address_of_levels()  # ended
print(first_of(address))
