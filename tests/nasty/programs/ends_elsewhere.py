"""Blocks made by one library and ended by another, through ctypes. usage: ends_elsewhere.py PLUGIN OTHER_PLUGIN"""

import ctypes
import os
import sys

MIB = 1 << 20
libc = ctypes.CDLL("libc.so.6")
whole = ctypes.CDLL(None)
shallow = ctypes.CDLL(sys.argv[1])
deep = ctypes.CDLL(sys.argv[2], mode=os.RTLD_NOW | os.RTLD_DEEPBIND)
for library in (libc, whole):
    for name in ("malloc", "calloc", "realloc", "strdup", "realpath"):
        getattr(library, name).restype = ctypes.c_void_p
    library.free.argtypes = [ctypes.c_void_p]
    library.realloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
for library in (shallow, deep):
    library.make.restype = ctypes.c_void_p
    library.make.argtypes = [ctypes.c_size_t]
    library.end_block.argtypes = [ctypes.c_void_p]
raw = ctypes.pythonapi.PyMem_RawMalloc
raw.restype, raw.argtypes = ctypes.c_void_p, [ctypes.c_size_t]

MAKERS = [libc.malloc, whole.malloc, lambda n: libc.calloc(1, n), shallow.make, deep.make, raw]
MAKERS += [lambda n: libc.realloc(libc.malloc(n // 2), n)]
ENDERS = [libc.free, whole.free, shallow.end_block, deep.end_block]
ENDERS += [lambda block: libc.realloc(block, 0), lambda block: libc.free(libc.realloc(block, 5000))]

for size in (40, 1500, 70_000, 2 * MIB):
    for make in MAKERS:
        for end in ENDERS:
            for _ in range(3):
                block = make(size)
                ctypes.memset(block, 7, size)
                end(block)
for end in ENDERS[:4]:
    end(libc.strdup(b"words " * 500_000))  # libc's own call of malloc, deep inside
    end(libc.realpath(b"/proc/self/..", None))
held = deep.make(32 * MIB)
print("ended:", ctypes.string_at(held, 4) == b"\6" * 4)
libc.free(held)
