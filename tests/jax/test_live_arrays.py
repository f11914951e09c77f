"""What is alive by Tenure's books is what `jax.live_arrays()` says, line by line."""

from __future__ import annotations

import collections
import json
import subprocess
from pathlib import Path
from typing import Callable, Dict

MIB = 1 << 20  # every array has a multiple of it; what else a line makes stays below

# Each array is made on a line of its own and knows which.
PROGRAM = """
import gc, json, os, sys
import tenure
import jax, jax.numpy as jnp, numpy as np
MIB = 1 << 18  # of float32
lines = {}
def made(array):
    jax.block_until_ready(array)
    lines[array.unsafe_buffer_pointer()] = sys._getframe(1).f_lineno
    return array
step = jax.jit(lambda x, w: jnp.tanh(x) @ w)
slope = jax.grad(lambda w, x: jnp.sin(x @ w).sum())
def all_steps():
    w, x = jax.random.normal(jax.random.PRNGKey(0), (512, 512)), jnp.ones((512 * 3, 512))
    jax.block_until_ready([step(x, w), x + 1, x[:1024] * 3.0, slope(w, x)])
all_steps()  # what the compiler keeps is made here
kept = []
w = made(jax.random.normal(jax.random.PRNGKey(0), (512, 512)))
x = made(jnp.ones((512 * 3, 512)))
for i in range(5):
    x = made(step(x, w))
    kept.append(made(x + i))
    kept.append(made(jax.device_put(np.full((4 * MIB,), i, np.float32))))
    y = made(x[:1024] * 3.0)
    if i % 2: y.delete()
    else: kept.append(y)
grads = made(slope(w, x))
kept.pop(3).delete()
del kept[4]
gc.collect()
alive = {}
for array in jax.live_arrays():
    if array.nbytes >= 4 * MIB:
        at = array.unsafe_buffer_pointer()
        alive[at] = (lines[at], array.nbytes)
print(json.dumps(list(alive.values())))
sys.stdout.flush()
tenure.snapshot()  # what XLA's threads made last gets its lines now: nothing can look later
os._exit(0)
"""
LINES = [n for n, text in enumerate(PROGRAM.splitlines()) if "made(" in text]


def test_live_arrays_are_the_blocks_that_tenure_counts(
    env: Callable[[str], str], tenure: str, tmp_path: Path
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM.lstrip("\n"), encoding="utf-8")
    command = [tenure, "run", "--quiet", "-o", "record", "--", env("jax"), "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    truth: Dict[int, int] = collections.Counter()
    for line, size in json.loads(done.stdout):
        truth[line] += size
    show = [tenure, "show", "record", "--figures", "figures.json"]
    subprocess.run(show, cwd=tmp_path, capture_output=True, check=True)
    seen: Dict[int, int] = collections.Counter()
    for site in json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["sites"]:
        is_ours = site["file"].endswith("program.py") and site["line"] in LINES
        if is_ours and site["kind"] == "heap":
            seen[site["line"]] += site["live_bytes"]
    assert {line: size // MIB * MIB for line, size in seen.items() if size >= MIB} == dict(truth)
