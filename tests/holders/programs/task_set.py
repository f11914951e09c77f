"""Tasks are put into a set and never taken out."""

import asyncio
import sys

CLEAN = "clean" in sys.argv


class Uploader:
    def __init__(self):
        self.running = set()

    async def upload(self, number):
        body = bytearray(200_000)  # made
        await asyncio.sleep(0)
        return body

    async def start(self, number):
        task = asyncio.ensure_future(self.upload(number))
        if not CLEAN:
            self.running.add(task)  # kept
        await task
        return sum(range(20_000))


async def main():
    uploader = Uploader()
    work = 0
    for number in range(300):
        work += await uploader.start(number)
    print("work", work)


asyncio.run(main())
