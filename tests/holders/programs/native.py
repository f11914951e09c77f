"""Leaks of native memory that no Python object owns, one for each name: whatever Python keeps beside them, it is no holder."""

import ctypes
import sys

libc = ctypes.CDLL(None)
for name in ("malloc", "calloc", "realloc", "strdup", "aligned_alloc", "tsearch", "fopen", "open_memstream"):
    getattr(libc, name).restype = ctypes.c_void_p
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]

SIZE = 100_000
TEXT = b"x" * SIZE
pointers, numbers, names, seen = [], [], {}, set()
root = ctypes.c_void_p()


class Handle:
    """Knows a block, and does not free it."""

    def __init__(self, address):
        self.address = address


def block():
    address = libc.malloc(SIZE)
    libc.memset(address, 1, SIZE)
    return address


def lost(step):
    block()


def zeroed(step):
    libc.memset(libc.calloc(100, SIZE // 100), 1, SIZE)


def grown(step):
    libc.realloc(ctypes.c_void_p(libc.malloc(100)), SIZE)


def copied(step):
    libc.strdup(TEXT)


def aligned(step):
    libc.memset(libc.aligned_alloc(64, SIZE // 64 * 64), 1, SIZE // 64 * 64)


def posix(step):
    place = ctypes.c_void_p()
    libc.posix_memalign(ctypes.byref(place), 64, SIZE)
    libc.memset(place, 1, SIZE)


def numbered(step):
    """Its address is kept as a number."""
    pointers.append(block())


def pointed(step):
    """A pointer of ctypes to it is kept."""
    pointers.append(ctypes.c_void_p(block()))


def typed(step):
    pointers.append(ctypes.cast(ctypes.c_void_p(block()), ctypes.POINTER(ctypes.c_char)))


def handled(step):
    pointers.append(Handle(block()))


def by_name(step):
    names[f"block {step}"] = block()


def counted(step):
    """As many numbers are kept as blocks."""
    numbers.append(step + 1_000_000)
    block()


def remembered(step):
    seen.add(f"{step} was here")
    block()


def in_tree(step):
    """A table of the C library has it."""
    compare = in_tree.compare
    libc.tsearch(ctypes.c_void_p(block()), ctypes.byref(root), compare)


in_tree.compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
    lambda a, b: ((a or 0) > (b or 0)) - ((a or 0) < (b or 0))
)


def in_environment(step):
    """The environment of the process has it."""
    libc.putenv(ctypes.c_void_p(libc.strdup(b"TENURE_TEST_%d=" % step + TEXT)))


def in_last(step):
    """Each knows the one before."""
    address = block()
    ctypes.cast(ctypes.c_void_p(address), ctypes.POINTER(ctypes.c_void_p))[0] = in_last.before
    in_last.before = address


in_last.before = None


def in_pairs(step):
    """Two that know each other."""
    one, two = block(), block()
    ctypes.cast(ctypes.c_void_p(one), ctypes.POINTER(ctypes.c_void_p))[0] = two
    ctypes.cast(ctypes.c_void_p(two), ctypes.POINTER(ctypes.c_void_p))[0] = one


def in_table(step):
    """A table of pointers, itself of C."""
    if in_table.table is None:
        in_table.table = libc.calloc(1000, 8)
    ctypes.cast(ctypes.c_void_p(in_table.table), ctypes.POINTER(ctypes.c_void_p))[step] = block()


in_table.table = None


def twice(step):
    block()
    libc.strdup(TEXT[: SIZE // 2])


def half_freed(step):
    block()
    libc.free(block())


def main():
    leak = globals()[sys.argv[1]]
    work = 0
    for step in range(300):
        leak(step)
        work += sum(range(10_000))
    print("work", work)


main()
