"""Counts NumPy's arrays below 1 KiB one by one, where `tenure run --small-arrays` asks for it; otherwise does nothing.

NumPy 1.22 and later get the memory of arrays through a handler. Its default one is found by the C API's table, and its four
functions are exchanged, for all threads and contexts at once. Handlers that the program sets itself are left alone. Runs in
Tenure's private namespace; `native` and `interceptors` are given.
"""

import sys

PART = "adapter.numpy.small_arrays"
DEFAULT_HANDLER = 306  # in the table of NumPy's C API
POINTER_AT = 16  # in a capsule, behind its head
TABLES = ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath")


def word(address):
    return (native["words"](address, 1) or [0])[0]


def handler_address():
    table = next((sys.modules[name] for name in TABLES if name in sys.modules), None)
    capsule = getattr(table, "_ARRAY_API", None)
    if type(capsule).__name__ != "PyCapsule":
        return 0
    variable = word(word(id(capsule) + POINTER_AT) + 8 * DEFAULT_HANDLER)
    return word(word(variable) + POINTER_AT)


def is_counted(numpy):
    """A small array that was just made is known by its address."""
    array = numpy.ones(5)
    return bool(native["stack_of"](native["buffer_address"](array)))


def start():
    numpy = sys.modules["numpy"]
    if tuple(int(part) for part in numpy.__version__.split(".")[:2]) < (1, 22):
        return "off: NumPy %s has no data handler, so arrays below 1 KiB are estimated" % (
            numpy.__version__
        )
    why_not = native["count_small_arrays"](handler_address())
    if why_not:
        return why_not
    return "on" if is_counted(numpy) else "off: small arrays are not seen"


if native["small_arrays_wanted"]():  # type: ignore[name-defined]
    native["fact"](PART, start())  # type: ignore[name-defined]
