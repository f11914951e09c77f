"""Plain asyncio streams that speak just enough HTTP: /leak keeps 64 KiB of every request, /fine keeps nothing."""

import asyncio

kept = []


async def answer(reader, writer):
    request = await reader.readuntil(b"\r\n\r\n")
    block = bytearray(65_536)
    if b"/leak" in request:
        kept.append(block)
    writer.write(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok")
    await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print("port", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


try:
    asyncio.run(main())
except KeyboardInterrupt:
    pass
