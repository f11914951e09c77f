"""Children in the ways that servers and data loaders make them. usage: workers.py WAY"""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time

HELD = 3_000_000


def square(n):
    block = bytearray(HELD)
    return n * n + len(block) - HELD


def pool(way):
    """200 short tasks, each in a child of its own, eight at a time."""
    with multiprocessing.get_context(way).Pool(8, maxtasksperchild=1) as workers:
        return sum(workers.map(square, range(200), chunksize=1))


def few(way):
    with multiprocessing.get_context(way).Pool(3) as workers:
        return sum(workers.map(square, range(60)))


def futures():
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(3) as workers:
        return sum(workers.map(square, range(60)))


def shared():
    """Blocks of memory that two processes see."""
    from multiprocessing import shared_memory

    block = shared_memory.SharedMemory(create=True, size=HELD)
    child = multiprocessing.get_context("spawn").Process(target=fill, args=(block.name,))
    child.start()
    child.join()
    answer = block.buf[HELD - 1], child.exitcode
    block.close()
    block.unlink()
    return answer


def fill(name):
    from multiprocessing import shared_memory

    block = shared_memory.SharedMemory(name=name)
    block.buf[HELD - 1] = 77
    block.close()


def prefork():
    """As web servers do: one parent, children that serve until they are told to end, one that dies and is made again."""
    reader, writer = os.pipe()
    model = bytearray(20_000_000)
    children = {serve(writer, model) for _ in range(4)}
    first = min(children)
    time.sleep(0.2)
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    children.remove(first)
    children.add(serve(writer, model))
    time.sleep(0.3)
    for child in children:
        os.kill(child, signal.SIGTERM)
    ends = sorted(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    os.close(writer)
    return ends, len(os.read(reader, 100)) >= 4


def serve(writer, model):
    child = os.fork()
    if child:
        return child
    signal.signal(signal.SIGTERM, lambda *_: os._exit(len(bytes(model[:3]))))
    os.write(writer, b"x")
    while True:
        bytearray(HELD)
        time.sleep(0.01)


async def run_one(number):
    code = f"b = bytearray({HELD}); print({number})"
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await child.communicate()
    return int(out), child.returncode


async def run_many():
    return sorted(await asyncio.gather(*(run_one(i) for i in range(10))))


def bare():
    """With no variables at all, by each way that the library has."""
    words = [sys.executable, "-c", f"import os; b = bytearray({HELD}); print(len(os.environ) < 9)"]
    out = [subprocess.run(words, env={}, capture_output=True, text=True).stdout]
    out.append(subprocess.run(["env", "-i", *words], capture_output=True, text=True).stdout)
    return out, os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(words[0], words, {}), 0)[1])


WAYS = {
    "fork-200": lambda: pool("fork"),
    "fork": lambda: few("fork"),
    "spawn": lambda: few("spawn"),
    "forkserver": lambda: few("forkserver"),
    "futures": futures,
    "shared": shared,
    "prefork": prefork,
    "asyncio": lambda: asyncio.run(run_many()),
    "bare": bare,
}

if __name__ == "__main__":
    print(sys.argv[1], WAYS[sys.argv[1]](), flush=True)
