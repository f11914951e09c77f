"""A worker thread keeps every page in a list of its own."""

import sys
import threading

CLEAN = "clean" in sys.argv
local = threading.local()


def read(number):
    page = bytearray(200_000)  # made
    if not CLEAN:
        local.pages.append(page)  # kept
    return len(page) + sum(range(20_000))


def worker():
    local.pages = []
    print("read", sum(read(number) for number in range(300)))


thread = threading.Thread(target=worker)
thread.start()
while thread.is_alive():
    thread.join(0.01)
