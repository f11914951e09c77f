"""Eight threads that keep what they make, then eight children that each do some work."""

import os
import threading

kept = []


def work():
    for _ in range(100):
        kept.append(bytearray(262144))
        [number for number in range(2000)]


threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

children = 0
for _ in range(8):
    child = os.fork()
    if child == 0:
        len([bytearray(65536) for _ in range(50)])
        os._exit(0)
    children += os.waitpid(child, 0)[1] == 0
print("%d in threads, %d children" % (len(kept), children), flush=True)
