"""Memory from C that nobody gives back."""

import ctypes
import sys

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
libc.strdup.restype = ctypes.c_void_p
libc.strdup.argtypes = [ctypes.c_char_p]

def encode(text):
    p = libc.strdup(text)  # made
    out = ctypes.string_at(p).upper()
    if CLEAN:
        libc.free(p)
    return out

def main():
    total = 0
    for n in range(300):
        total += len(encode(b"frame %d " % n * 1000))
    print(total)

CLEAN = "clean" in sys.argv
main()
