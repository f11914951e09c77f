"""Small programs of every style that keep so many bytes in each round, and count their rounds themselves.

usage: rounds_python.py NAME; prints how often a block was kept. Every kept block has BYTES bytes.
"""

import asyncio
import concurrent.futures
import ctypes
import functools
import itertools
import json
import queue
import re
import sched
import sys
import threading
import time

BYTES = 100_000
kept = []
lock = threading.Lock()


# A few milliseconds without a block: half of the time of the run must not be one hiccup of the machine.
def work():
    return sum(range(120_000)) * 0


def keep(_=None):
    block = bytearray(BYTES + work())
    with lock:
        kept.append(block)
    return block


def for_loop():
    for _ in range(150):
        keep()


def while_loop():
    n = 0
    while n < 150:
        n += 1
        keep()


def while_true_with_continue():
    n = 0
    while True:
        n += 1
        if n > 300:
            break
        if n % 2:
            continue
        keep()


def comprehension():
    return [keep() for _ in range(150)]


def dict_comprehension():
    return {n: keep() for n in range(150)}


def nested_loops():
    for _ in range(30):
        for _ in range(5):
            keep()


def generator_driven():
    def numbers():
        n = 0
        while n < 150:
            yield n
            n += 1

    for number in numbers():
        keep(number)


def generator_that_keeps():
    def blocks():
        while True:
            yield keep()

    for _ in itertools.islice(blocks(), 150):
        work()


def mapped():
    list(map(keep, range(150)))


def loop_over_map():
    for block in map(keep, range(150)):
        block[0] = 1


def zipped_and_chained():
    for _ in zip(itertools.chain(range(100), range(50)), itertools.count()):
        keep()


def class_iterator():
    class Numbers:
        def __init__(self):
            self.n = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.n += 1
            if self.n > 150:
                raise StopIteration
            return self.n

    for number in Numbers():
        keep(number)


def called_until_sentinel():
    numbers = iter(range(150))
    for number in iter(lambda: next(numbers, None), None):
        keep(number)


def sort_key():
    sorted(range(150), key=lambda number: len(keep(number)))


def reduced():
    functools.reduce(lambda total, number: total + len(keep(number)), range(150), 0)


def replaced_by_pattern():
    re.sub("a", lambda match: str(len(keep(match))), "a" * 150)


def object_hook():
    json.loads("[" + ",".join(['{"a": 1}'] * 150) + "]", object_hook=lambda found: len(keep(found)))


def native_callback():
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
        lambda a, b: len(keep()) * 0 + (1 if a and b else 0)
    )
    numbers = (ctypes.c_int * 64)(*range(64))
    ctypes.CDLL(None).qsort(numbers, 64, ctypes.sizeof(ctypes.c_int), compare)


def callable_object():
    class Keeper:
        def __call__(self, number):
            return keep(number)

    call = Keeper()
    for number in range(150):
        call(number)


def recursion():
    def descend(depth):
        keep()
        if depth > 1:
            descend(depth - 1)

    descend(150)


def queue_consumer():
    waiting = queue.Queue()

    def consume():
        while True:
            number = waiting.get()
            if number is None:
                return
            keep(number)

    consumer = threading.Thread(target=consume)
    consumer.start()
    for number in range(300):
        waiting.put(number)
    waiting.put(None)
    consumer.join()


def several_consumers():
    waiting = queue.Queue()

    def consume():
        for number in iter(waiting.get, None):
            keep(number)

    consumers = [threading.Thread(target=consume) for _ in range(3)]
    for consumer in consumers:
        consumer.start()
    for number in range(300):
        waiting.put(number)
    for _ in consumers:
        waiting.put(None)
    for consumer in consumers:
        consumer.join()


def loader_with_workers():
    ready = queue.Queue(4)

    class Loader:
        def __iter__(self):
            for number in range(200):
                ready.put(number)
                yield bytearray(BYTES + work())

    for batch in Loader():
        ready.get()
        kept.append(batch)


def thread_per_task():
    for _ in range(150):
        thread = threading.Thread(target=keep)
        thread.start()
        thread.join()


def pool_map():
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(keep, range(300)))


def pool_submit():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(keep, number) for number in range(300)]
        concurrent.futures.wait(waiting)


def timers():
    clock = sched.scheduler(time.monotonic, time.sleep)

    def tick(left):
        keep()
        if left > 1:
            clock.enter(0, 1, tick, (left - 1,))

    clock.enter(0, 1, tick, (150,))
    clock.run()


async def keep_later():
    await asyncio.sleep(0)
    keep()


def tasks_at_once():
    async def main():
        for _ in range(15):
            await asyncio.gather(*(keep_later() for _ in range(10)))

    asyncio.run(main())


def call_soon():
    async def main():
        loop, done = asyncio.get_running_loop(), asyncio.Event()

        def tick(left):
            keep()
            if left > 1:
                loop.call_soon(tick, left - 1)
            else:
                done.set()

        loop.call_soon(tick, 150)
        await done.wait()

    asyncio.run(main())


def async_queue():
    async def consume(waiting):
        while True:
            keep(await waiting.get())
            waiting.task_done()

    async def main():
        waiting = asyncio.Queue(5)
        consumers = [asyncio.ensure_future(consume(waiting)) for _ in range(2)]
        for number in range(200):
            await waiting.put(number)
        await waiting.join()
        for consumer in consumers:
            consumer.cancel()

    asyncio.run(main())


def async_generator():
    async def numbers():
        for number in range(150):
            await asyncio.sleep(0)
            yield number

    async def main():
        async for number in numbers():
            keep(number)

    asyncio.run(main())


def stream_handlers():
    async def handle(reader, writer):
        line = await reader.readline()
        keep(line)
        writer.write(line)
        await writer.drain()
        writer.close()

    async def main():
        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        for _ in range(100):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"hello\n")
            await reader.readline()
            writer.close()
        server.close()

    asyncio.run(main())


globals()[sys.argv[1]]()
print(len(kept))
