"""The event loop keeps every timer with its arguments for an hour."""

import asyncio
import sys

CLEAN = "clean" in sys.argv


def expire(page):
    page.clear()


async def main():
    loop = asyncio.get_running_loop()
    work = 0
    for number in range(300):
        page = bytearray(200_000)  # made
        handle = loop.call_later(3600, expire, page)  # kept
        await asyncio.sleep(0)
        work += sum(range(20_000)) + len(page)
        if CLEAN:
            handle.cancel()
    print("work", work)


asyncio.run(main())
