"""FastAPI: /leak keeps 100 kB of every request, /threaded does so in a thread of the pool, /fine keeps nothing."""

from fastapi import FastAPI

app = FastAPI()
cache = {}


@app.get("/leak")
async def leak():
    cache[len(cache)] = {"body": bytearray(100_000), "headers": ["x"] * 20}
    return {"n": len(cache)}


@app.get("/threaded")
def threaded():
    cache[len(cache)] = bytearray(100_000)
    return {"n": len(cache)}


@app.get("/fine")
async def fine():
    return {"n": len(bytearray(100_000))}
