"""A gateway of asyncio that forgets to take answered requests off its books."""

import asyncio
import sys
import numpy as np


def work():
    """What the rest of such a program does meanwhile."""
    return sum(range(150_000))

class Gateway:
    def __init__(self):
        self.pending = {}
        self.served = 0

    async def handle(self, request_id, payload):
        done = asyncio.get_running_loop().create_future()
        self.pending[request_id] = (payload, done)  # kept
        await asyncio.sleep(0)
        self.served += 1
        done.set_result(float(payload.mean()))
        if CLEAN:
            del self.pending[request_id]
        return await done

async def main(n):
    gateway = Gateway()
    rng = np.random.default_rng(0)
    total = 0.0
    for i in range(n):
        batch = [gateway.handle((i, k), rng.normal(size=(64, 128))) for k in range(4)]  # made
        work()
        total += sum(await asyncio.gather(*batch))
    print("served", gateway.served, round(total, 3))

CLEAN = "clean" in sys.argv
asyncio.run(main(200))
