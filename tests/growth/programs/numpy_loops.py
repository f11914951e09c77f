"""Loops whose body is one instruction of NumPy that makes several blocks. `#= N`: as in loops.py."""

import numpy as np

a = np.ones(5000)
m = np.ones((60, 60))
keep = []


def convolved():
    for _ in range(20):  #= 20
        keep.append(np.convolve(a, [0.25, 0.5, 0.25], mode="same"))


def expression():
    for _ in range(21):  #= 21
        keep.append(m @ m + m)


def two_equal_results():
    for _ in range(22):  #= 22
        keep.append(np.divmod(a, 3.0))


def list_of_arrays():
    for _ in range(23):  #= 23
        keep.append([np.zeros(400), np.zeros(400), np.zeros(400)])


def solved():
    for _ in range(24):  #= 24
        keep.append(np.linalg.solve(m + np.eye(60), m))


def two_equal_results_without_an_iterator():
    number = 0
    while number < 25:  #= 25
        number += 1
        keep.append(m @ m)
        keep.append(np.divmod(a, 3.0))


def rows():
    for row in np.ones((26, 500)):  #= 26
        keep.append(row * 2)


def concatenated():
    grown = np.zeros(0)
    for _ in range(27):  #= 27
        grown = np.concatenate([grown, np.ones(300)])


convolved()
expression()
two_equal_results()
list_of_arrays()
solved()
two_equal_results_without_an_iterator()
rows()
concatenated()
