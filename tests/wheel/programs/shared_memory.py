"""Fifty segments of shared memory, all closed and unlinked. Below glibc 2.34 their functions are in a library that comes late."""

from multiprocessing import shared_memory

kept = []
for _ in range(50):
    segment = shared_memory.SharedMemory(create=True, size=1 << 20)
    segment.buf[0] = 1
    kept.append(segment)
for segment in kept:
    segment.close()
    segment.unlink()
print(len(kept), "segments")
