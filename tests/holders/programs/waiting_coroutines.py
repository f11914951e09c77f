"""Coroutines wait for an event that never comes, each with its page in its frame."""

import asyncio
import sys

CLEAN = "clean" in sys.argv


async def listen(event):
    page = bytearray(200_000)  # made
    await event.wait()
    return len(page)


async def main():
    event = asyncio.Event()
    tasks = set()
    work = 0
    for number in range(300):
        task = asyncio.ensure_future(listen(event))
        tasks.add(task)  # kept
        await asyncio.sleep(0)
        work += sum(range(20_000))
        if CLEAN:
            event.set()
            await task
            tasks.discard(task)
            event.clear()
    print("work", work)
    for task in tasks:
        task.cancel()


asyncio.run(main())
