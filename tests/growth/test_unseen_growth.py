"""Memory that no hook saw: an allocator inside a library that grows is never `clean`, one that was filled once is."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest

# An allocator as libraries bring them along: reserves much, and hands it out in pieces; small ones are used again.
POOL = """
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
static char *next, *free_pieces[1 << 16];
static size_t free_count;
char* pool_take(size_t bytes) {
  if (free_count) return memset(free_pieces[--free_count], 1, bytes);
  if (!next)
    next = mmap(0, (size_t)RESERVED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char* taken = next;
  next += bytes;
  return memset(taken, 1, bytes);
}
void pool_give(char* piece) { free_pieces[free_count++] = piece; }
"""

USES = """
import ctypes
pool = ctypes.CDLL("{library}")
pool.pool_take.restype = ctypes.c_void_p
pool.pool_give.argtypes = [ctypes.c_void_p]
take = lambda: pool.pool_take(ctypes.c_size_t(400_000))
"""

GROWS = {
    "step_by_step": """
def main():
    for step in range(300):
        take()
        np.ones(3_000 + work() + work() + work())
main()
""",
    "then_waits": """
import time
for step in range(300):
    take()
    np.ones(3_000 + work() + work() + work())
time.sleep(0.5)
""",
    "in_threads": """
import threading
def handle():
    take()
    np.ones(3_000 + work() + work() + work())
for task in range(300):
    thread = threading.Thread(target=handle)
    thread.start()
    thread.join()
""",
    "beside_what_is_given_back": """
for step in range(300):
    pieces = [take() for _ in range(4)]
    np.ones(3_000 + work() + work() + work())
    for piece in pieces[1:]:
        pool.pool_give(piece)
""",
}

STAYS = {
    "loaded_once": """
table = [take() for _ in range(300)]
for step in range(300):
    np.ones(3_000 + work() + work() + work())
""",
    "used_again": """
for step in range(300):
    pieces = [take() for _ in range(40)]
    np.ones(3_000 + work() + work() + work())
    for piece in pieces:
        pool.pool_give(piece)
""",
    "a_working_set_that_fills_early": """
kept = []
for step in range(400):
    kept.append(take())
    np.ones(3_000 + work() + work() + work())
    if len(kept) > 60:
        pool.pool_give(kept.pop(0))
""",
}


@pytest.fixture
def library(tmp_path: Path) -> Callable[[str], str]:
    """library(source) -> the path of one that was installed with a package"""

    def build(source: str, reserved: str = "(1ull << 32)") -> str:
        folder = tmp_path / "site-packages" / "pool"
        folder.mkdir(parents=True)
        (folder / "pool.c").write_text(source)
        command = ["gcc", "-O1", "-shared", "-fPIC", f"-DRESERVED={reserved}", "-o", "libpool.so"]
        subprocess.run([*command, "pool.c"], cwd=folder, check=True)
        return str(folder / "libpool.so")

    return build


@pytest.mark.parametrize("name", GROWS)
def test_a_pool_that_grows_is_unknown(
    run_text: Callable[..., Any], library: Callable[[str], str], name: str
) -> None:
    _, findings = run_text(USES.format(library=library(POOL)) + GROWS[name])
    assert findings["verdict"] == "unknown", findings["memory"]
    assert "the allocator inside libpool.so" in findings["reason"]
    assert 60e6 < findings["memory"]["unseen_growth_bytes"] < 130e6


@pytest.mark.parametrize("name", STAYS)
def test_a_pool_that_stays_is_clean(
    run_text: Callable[..., Any], library: Callable[[str], str], name: str
) -> None:
    _, findings = run_text(USES.format(library=library(POOL)) + STAYS[name])
    assert findings["verdict"] == "clean", (findings["reason"], findings["memory"])


# Its pages were resident at the peak, and nothing of them is left when the program ends.
def test_pages_of_a_mapped_file_are_known(run_text: Callable[..., Any]) -> None:
    _, findings = run_text(
        """
def main():
    table = np.memmap("table.bin", dtype=np.float32, mode="w+", shape=(1_000, 25_000))
    for row in range(1_000):
        table[row] = row
main()
work()
"""
    )
    assert findings["memory"]["resident_peak_bytes"] > 100e6, findings["memory"]
    assert findings["memory"]["unseen_bytes"] < 40e6, findings["memory"]
    assert findings["verdict"] == "clean", (findings["reason"], findings["memory"])


def test_the_line_that_ran_alone_is_named(
    run_text: Callable[..., Any], library: Callable[[str], str]
) -> None:
    text, findings = run_text(
        USES.format(library=library(POOL))
        + """
def handle(step):
    take()
    return np.ones(3_000 + work() + work() + work()).sum()
def main():
    for step in range(300):
        handle(step)
main()
"""
    )
    line = 1 + text.splitlines().index("    return np.ones(3_000 + work() + work() + work()).sum()")
    assert findings["reason"].endswith(f"while program.py:{line} ran"), findings["reason"]


def test_show_tells_the_same_later(
    run_text: Callable[..., Any], library: Callable[[str], str], run_tenure: Any, tmp_path: Path
) -> None:
    _, findings = run_text(USES.format(library=library(POOL)) + GROWS["step_by_step"])
    again = run_tenure(["show", "program.tenure"])
    assert findings["reason"] in " ".join((again.stdout + again.stderr).split())
