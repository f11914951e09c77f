"""A crawler keeps every page it has fetched; the loop that comes round is that of the event loop."""

import asyncio
import sys

CLEAN = "clean" in sys.argv


class Crawler:
    def __init__(self):
        self.pages = {}

    async def fetch(self, number):
        await asyncio.sleep(0)
        page = f"<html>{number}</html>" * 3000  # made
        self.pages[number] = page  # kept
        if CLEAN:
            self.pages.pop(number - 8, None)
        return len(page)


async def main():
    crawler, seen = Crawler(), 0
    for batch in range(80):
        seen += sum(await asyncio.gather(*(crawler.fetch(batch * 5 + i) for i in range(5))))
        seen += sum(range(100_000)) % 3
    print("seen", seen)


asyncio.run(main())
