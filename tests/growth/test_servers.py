"""Real servers under load on loopback: what a request leaves behind, in calls of the handler that leaves it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest

SERVERS = Path(__file__).parent / "programs" / "servers"
REQUESTS = 60
PORT = re.compile(r"(?:port |127\.0\.0\.1:)([1-9]\d*)")
GUNICORN = ["-m", "gunicorn", "--bind", "127.0.0.1:0"]
UVICORN = ["-m", "uvicorn", "--port", "0"]

# name: (arguments of Python, path that leaks, bytes of a request, the handler)
PYTHON: Dict[str, Any] = {
    "gunicorn_flask": ([*GUNICORN, "-w", "2", "flask_app:app"], "/leak", 204_800, "leak"),
    "gunicorn_threads": ([*GUNICORN, "--threads", "3", "flask_app:app"], "/leak", 204_800, "leak"),
    "uvicorn_fastapi": ([*UVICORN, "fastapi_app:app"], "/leak", 100_168, "leak"),
    "uvicorn_threads": ([*UVICORN, "fastapi_app:app"], "/threaded", 100_000, "threaded"),
    "aiohttp": (["aiohttp_app.py"], "/leak", 49_152, "leak"),
    "streams": (["streams_app.py"], "/leak", 65_536, "answer"),
    "http_server": (["http_server_app.py"], "/leak", 65_536, "Handler.do_GET"),
    "thread_pool": (["pool_app.py"], "/leak", 65_536, "answer"),
}


class Server:
    """A server under Tenure, from its first word to its findings."""

    def __init__(self, tenure: str, command: List[str], folder: Path):
        self.findings, self.log = folder / "findings.json", folder / "log"
        words = [tenure, "run", "-o", str(folder / "r.tenure"), "--json", str(self.findings), "--"]
        environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*words, *command], stdout=log, stderr=subprocess.STDOUT, cwd=SERVERS,
                env=environ, start_new_session=True,
            )  # fmt: skip
        self.port = self.wait_for_port()

    def wait_for_port(self) -> int:
        for _ in range(1200):
            found = PORT.search(self.log.read_text(encoding="utf-8", errors="replace"))
            if found:
                return int(found.group(1))
            assert self.process.poll() is None, self.log.read_text(encoding="utf-8")
            time.sleep(0.05)
        raise AssertionError(self.log.read_text(encoding="utf-8"))

    def ask(self, path: str) -> None:
        for _ in range(200):  # a worker may not be up yet
            try:
                link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                link.request("GET", path)
                link.getresponse().read()
                return link.close()
            except (ConnectionError, http.client.HTTPException):
                time.sleep(0.05)
        raise AssertionError("no answer")

    def stop(self) -> Dict[str, Any]:
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(120)
        told: Dict[str, Any] = json.loads(self.findings.read_text(encoding="utf-8"))
        return told


@pytest.fixture
def start(tenure: str, tmp_path: Path) -> Iterator[Callable[[List[str]], Server]]:
    started: List[Server] = []

    def run(command: List[str]) -> Server:
        started.append(Server(tenure, command, tmp_path))
        return started[-1]

    yield run
    for server in started:
        if server.process.poll() is None:
            os.killpg(server.process.pid, signal.SIGKILL)
            server.process.wait()


def check_leak(told: Dict[str, Any], of_request: int) -> Dict[str, Any]:
    assert told["verdict"] == "leak", told["reason"]
    leak: Dict[str, Any] = told["findings"][0]
    assert leak["bytes"] == pytest.approx(REQUESTS * of_request, rel=0.1)
    assert leak["bytes_per_step"] == pytest.approx(of_request, rel=0.1)
    assert leak["bytes_per_step"] * leak["steps"] == pytest.approx(leak["bytes"], rel=0.1)
    assert leak["steps"] == REQUESTS or "steps" in leak["about"]
    return leak


@pytest.mark.parametrize("name", PYTHON)
def test_a_request_is_a_call_of_its_handler(name: str, env, start) -> None:
    arguments, path, of_request, handler = PYTHON[name]
    server = start([env("web"), *arguments])
    for _ in range(REQUESTS):
        server.ask(path)
    leak = check_leak(server.stop(), of_request)
    assert leak["per"].startswith(f"call of {handler}() ("), leak["per"]
    assert re.search(r"`(seen|cache|kept)`", leak["holder"]["text"]), leak["holder"]


@pytest.mark.parametrize("name", ["gunicorn_flask", "uvicorn_fastapi", "aiohttp", "streams"])
def test_requests_that_leave_nothing_are_clean(name: str, env, start) -> None:
    server = start([env("web"), *PYTHON[name][0]])
    for _ in range(REQUESTS):
        server.ask("/fine")
    told = server.stop()
    assert told["verdict"] == "clean", told["findings"]


@pytest.mark.parametrize("way", ["pool", "events"])
def test_native_servers(way: str, compile_program, start) -> None:
    server = start([compile_program(SERVERS / "native_pool.cpp", "-std=c++20", "-O2"), way])
    for _ in range(REQUESTS):
        server.ask("/leak")
    leak = check_leak(server.stop(), 65_536)
    assert "native_pool.cpp" in leak["per"]
