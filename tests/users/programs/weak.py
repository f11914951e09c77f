"""A finalizer whose callback keeps the object it waits for."""

import sys
import weakref
import numpy as np

class Node:
    def __init__(self, n):
        self.data = np.full(20_000, n, dtype=float)  # made
        self.parent = None

finalizers = []

def watch(node):
    # the callback's closure keeps the node it watches alive
    if CLEAN:
        n = node.data[0]
        weakref.finalize(node, lambda: finalizers.append(n))
    else:
        weakref.finalize(node, lambda: finalizers.append(node.data[0]))

def main():
    total = 0.0
    for n in range(200):
        node = Node(n)
        watch(node)
        total += node.data.sum()
    print(total)

CLEAN = "clean" in sys.argv
main()
