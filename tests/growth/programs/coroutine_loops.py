"""Loops of coroutines and generators that take turns: `#= N` on the line of a loop that runs N times in all."""

import asyncio

kept = []
BYTES = 40000


def make():
    return bytearray(BYTES)


async def count(rounds):
    for number in range(rounds):  #= 300
        kept.append(make())
        await asyncio.sleep(0)


async def poll(queue):
    while queue is not None:  #= 160
        item = await queue.get()
        if item is None:
            return
        kept.append(bytearray(BYTES + item))


async def without_variables():
    while kept is not None:  #= 120
        await asyncio.sleep(0)
        kept.append(bytearray(BYTES))
        if len(kept) % 120 == 0:
            return


async def feed(queue, rounds):
    for number in range(rounds):  #= 157
        bytearray(BYTES + number)
        await queue.put(number)
        await asyncio.sleep(0)


async def main():
    await asyncio.gather(*[count(100) for _ in range(3)])
    kept.clear()
    queue = asyncio.Queue()
    workers = [asyncio.ensure_future(poll(queue)) for _ in range(3)]
    await feed(queue, 157)
    for _ in workers:
        await queue.put(None)
    await asyncio.gather(*workers)
    kept.clear()
    await asyncio.gather(without_variables(), count_slowly())


async def count_slowly():
    for number in range(130):  #= 130
        bytearray(BYTES + number)
        await asyncio.sleep(0)


def rows(rounds):
    for number in range(rounds):  #= 200
        yield make()


def consume():
    for row in rows(200):  #= 200
        kept.append(row)


def take_turns():
    sources = [rows_of(name) for name in "abc"]
    while sources:
        for source in list(sources):
            try:
                kept.append(next(source))
            except StopIteration:
                sources.remove(source)


def rows_of(name):
    for number in range(60):  #= 180
        yield make()


loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
loop.run_until_complete(main())
kept.clear()
consume()
kept.clear()
take_turns()
