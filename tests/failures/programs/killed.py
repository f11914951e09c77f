"""As killed.cpp, in Python: lists of bytearrays, and objects that only the interpreter knows. usage: killed.py BOOKS"""

import mmap
import random
import struct
import sys

with open(sys.argv[1], "r+b") as file:
    books = mmap.mmap(file.fileno(), 4096)
dice = random.Random(1)
blocks, live = [b""] * 500, 0
while True:
    at = dice.randrange(len(blocks))
    books[0:8] = struct.pack("Q", live - len(blocks[at]))
    live -= len(blocks[at])
    blocks[at] = b""
    blocks[at] = bytearray(dice.randrange(1024, 200_000))
    live += len(blocks[at])
    books[0:8] = struct.pack("Q", live)
    _ = {str(i): [i] for i in range(50)}
