"""The callback of a weak reference keeps a page, and the references are kept."""

import sys
import weakref

CLEAN = "clean" in sys.argv


class Node:
    pass


class Tracker:
    def __init__(self):
        self.refs = []

    def track(self, node):
        page = bytearray(200_000)  # made
        ref = weakref.ref(node, lambda gone, page=page: page.clear())
        if not CLEAN:
            self.refs.append(ref)  # kept
        return len(page) + sum(range(20_000))


def main():
    tracker = Tracker()
    node = Node()
    print("work", sum(tracker.track(node) for _ in range(300)))


main()
