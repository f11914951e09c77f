"""aiohttp: /leak keeps 48 KiB of every request after it has read its body, /fine keeps nothing."""

import asyncio

from aiohttp import web

kept = []


async def leak(request):
    await request.read()
    await asyncio.sleep(0)
    kept.append(bytearray(49_152))
    return web.Response(text="ok")


async def fine(request):
    return web.Response(text=str(len(bytearray(49_152))))


app = web.Application()
app.add_routes([web.get("/leak", leak), web.get("/fine", fine)])


async def announce(_):
    print("port", runner.addresses[0][1], flush=True)


async def main():
    global runner
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    await announce(app)
    await asyncio.Event().wait()


try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
