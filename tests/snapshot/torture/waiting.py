"""asyncio, generators and coroutines that are suspended or at work while snapshots are taken."""

import asyncio

import tenure

order = []


def numbers(count):
    held = bytearray(400000)
    for i in range(count):
        got = yield i
        if i % 3 == 0:
            tenure.snapshot()  # from inside a running generator
        order.append((i, got))
    return len(held)


def outer(count):
    result = yield from numbers(count)
    order.append(result)


async def stream(name, count):
    held = bytearray(300000)
    for i in range(count):
        await asyncio.sleep(0)
        yield name, i, len(held)


async def worker(name, queue):
    scratch = bytearray(200000)
    async for item in stream(name, 8):
        order.append(item)
        await queue.put((item, len(scratch)))
        if item[1] % 4 == 0:
            tenure.snapshot()
    return name


async def main():
    queue = asyncio.Queue(maxsize=3)

    async def drain():
        got = []
        while len(got) < 24:
            got.append(await queue.get())
            tenure.snapshot()
        return got

    done = await asyncio.gather(*(worker(n, queue) for n in "abc"), drain())
    order.append(done)
    order.append(len(asyncio.Task.all_tasks() if hasattr(asyncio.Task, "all_tasks") else asyncio.all_tasks()))


suspended = outer(10)
next(suspended)
for step in range(6):
    suspended.send(step)
asyncio.run(main())
for step in range(6, 9):
    suspended.send(step)
suspended.close()
thrown = outer(3)
next(thrown)
try:
    thrown.throw(KeyError("x"))
except KeyError as error:
    tenure.snapshot()
    order.append(repr(error))
print(order)
