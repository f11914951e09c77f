"""The program forks in one thread while another takes snapshots that keep large data out of their copy: its children
must see all of their data. A child takes snapshots too."""

import os
import threading

import tenure

data = [bytearray(b"\x5a" * (8 << 20)) for _ in range(40)]  # enough to be kept out
stop = threading.Event()


def is_whole():
    return all(block[0] == block[5 << 20] == block[-1] == 0x5A for block in data)


def fork_again_and_again(codes):
    while not stop.is_set():
        pid = os.fork()
        if pid == 0:
            os._exit(0 if is_whole() else 1)
        codes.append(os.waitpid(pid, 0)[1])


codes = []
thread = threading.Thread(target=fork_again_and_again, args=(codes,))
thread.start()
for _ in range(30):
    tenure.snapshot()
while len(codes) < 10:
    stop.wait(0.01)
stop.set()
thread.join()
print("children that saw all of it:", set(codes), is_whole())

child = os.fork()
if child == 0:
    own = [bytearray(300000) for _ in range(5)]
    taken = [tenure.snapshot() for _ in range(5)]
    os._exit(len(own) if all(taken) or not tenure.is_running() else 1)
print("a child that looks at itself:", os.waitpid(child, 0)[1] >> 8)
try:
    os.waitpid(-1, os.WNOHANG)
except ChildProcessError:
    print("no other child")
