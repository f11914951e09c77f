"""Grows bytes and arrays through many sizes, and shrinks them again; prints a digest of what they hold."""

import hashlib

data = bytearray()
for i in range(400):
    data += bytes([i % 251]) * 40_000
print(len(data), hashlib.sha1(data).hexdigest())
del data[100_000:]
print(len(data), hashlib.sha1(data).hexdigest())
items = []
for i in range(1_000_000):
    items.append(i)
print(len(items), sum(items))
