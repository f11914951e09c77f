"""Tenure's live tensors are those of TensorFlow's own allocation log: the same addresses, bytes and names of ops.

The program keeps what each step makes and ends in the middle of the last one, with a snapshot. Three sides are compared:
the addresses of what it keeps, as Python sees them, TensorFlow's log, and Tenure's snapshot.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any, Callable, Dict, List, NamedTuple

import pytest

PROGRAM = """
import os
import sys
import numpy as np
import tensorflow as tf
import tenure

MODE, STEPS = sys.argv[1], 5
v1 = tf.compat.v1
if MODE == "session" and tf.executing_eagerly():
    v1.disable_eager_execution()
elif MODE != "session" and not tf.executing_eagerly():
    v1.enable_eager_execution()
step = 0
kept = []

def tell(array, op):
    say("KEPT %d %d %s" % (array.__array_interface__["data"][0], array.nbytes, op))

def say(line):
    os.write(2, (line + "\\n").encode())

def look(tensor):
    if step == STEPS - 1:
        tell(np.asarray(memoryview(tensor)), OPS[0])
        tenure.snapshot()
        say("DONE")
        os._exit(0)
    return tensor

def forward(x, w):
    first = tf.matmul(x, w, name="first")
    second = tf.exp(first, name="second")
    third = tf.concat([first, second], 1, name="third")
    with tf.control_dependencies([second, third]):
        seen = tf.py_function(look, [first], tf.float32)
    return second, third, seen

OPS = ["first", "second", "third"] if MODE != "eager" else ["MatMul", "Exp", "ConcatV2"]
data = np.ones((160, 170), np.float32) / 1000

def keep(results):
    for result, op in zip(results[:2], OPS[1:]):
        kept.append(result)
        tell(np.asarray(result if MODE == "session" else memoryview(result)), op)

if MODE == "session":
    x = v1.placeholder(tf.float32, data.shape)
    w = v1.get_variable("w", (170, 180), use_resource=True)
    fetches = forward(x, w)
    one = v1.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1)
    sess = v1.Session(config=one)
    sess.run(v1.global_variables_initializer())
    for step in range(STEPS):
        keep(sess.run(fetches, {x: data * step}))
else:
    w = tf.Variable(np.ones((170, 180), np.float32))
    run = tf.function(forward) if MODE == "function" else forward
    for step in range(STEPS):
        keep(run(tf.constant(data * step), w))
"""

LEAST = 64 << 10  # bytes: below, Tenure may go over to samples, where the program keeps it busy
LINE = re.compile(r"__LOG_MEMORY__ MemoryLogTensorAllocation .*")


class Tensor(NamedTuple):
    bytes: int
    op: str


def logged(stderr: str) -> Dict[int, Tensor]:
    """The last tensor that TensorFlow says it made at each address."""
    last: Dict[int, Tensor] = {}
    for line in LINE.findall(stderr):
        found = re.search(r"requested_bytes: (\d+).* ptr: (\d+)", line)
        op = re.search(r'kernel_name: "([^"]*)"', line)
        if found:
            last[int(found[2])] = Tensor(int(found[1]), op[1] if op else "")
    return last


def kept(stderr: str) -> Dict[int, Tensor]:
    found = re.findall(r"^KEPT (\d+) (\d+) (\S+)$", stderr, re.MULTILINE)
    return {int(address): Tensor(int(size), op) for address, size, op in found}


def is_named(tensor: Tensor) -> bool:
    return not tensor.op.startswith("Unknown") and tensor.op not in ("", "-")


MODES = ("session", "function", "eager")
ALLOCATORS = {
    "cpu": {"TF_ENABLE_ONEDNN_OPTS": "0"},
    "mklcpu": {"TF_ENABLE_ONEDNN_OPTS": "1"},
    "bfc": {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPU_ALLOCATOR_USE_BFC": "1"},
}
CASES = [
    *((version, mode, "cpu") for version in ("tf115", "tf20") for mode in MODES),
    *(("tf2", mode, "cpu") for mode in MODES),
    *(("tf2", "function", allocator) for allocator in ("mklcpu", "bfc")),
    ("tf2", "session", "mklcpu"),
    ("tf215", "session", "mklcpu"),
    ("tf215", "function", "bfc"),
]


@pytest.mark.parametrize("version,mode,allocator", CASES)
def test_live_tensors_are_those_of_the_log(
    version: str,
    mode: str,
    allocator: str,
    env: Callable[[str], str],
    run_tenure: Callable[..., Any],
    tmp_path: Path,
) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    environ = dict(
        os.environ,
        TF_CPP_MIN_LOG_LEVEL="0",
        TF_CPP_VMODULE="log_memory=2",
        **ALLOCATORS[allocator],
    )
    command = [env(version), str(tmp_path / "program.py"), mode]
    run = run_tenure(["run", "-o", "record", "--", *command], environ=environ)
    assert "\nDONE\n" in run.stderr, run.stderr[-2000:]
    assert exact_from(run.findings) <= LEAST
    shown = run_tenure(["show", "record", "--figures", "figures.json"])
    assert shown.returncode == 0, shown.stderr
    figures = json.loads((tmp_path / "figures.json").read_text())
    ours = {b["address"]: Tensor(b["bytes"], b["op"]) for b in figures["blocks"]}
    log = logged(run.stderr.split("\nDONE\n")[0])
    has_log = any(tensor.bytes >= LEAST and is_named(tensor) for tensor in log.values())
    assert has_log == (mode != "eager" or version in ("tf115", "tf20"))

    held = kept(run.stderr)
    assert len(held) == 2 * 4 + 1
    assert missing(held, ours) == []
    if has_log:
        assert missing(held, log) == []
        named = {a: t for a, t in ours.items() if t.op and t.bytes >= LEAST}
        assert differing(named, log) == []


def exact_from(findings: Dict[str, Any]) -> int:
    """Bytes from which on every block was counted."""
    found = re.search(r"blocks under (\d+) bytes", findings["losses"]["sampling"])
    assert found
    return int(found[1])


def missing(wanted: Dict[int, Tensor], found: Dict[int, Tensor]) -> List[Any]:
    """What is not found at its address with its size, and the name of its op where that is known."""
    return [
        (address, tensor, found.get(address))
        for address, tensor in wanted.items()
        if address not in found
        or found[address].bytes != tensor.bytes
        or (is_named(tensor) and found[address].op != tensor.op)
    ]


def differing(ours: Dict[int, Tensor], log: Dict[int, Tensor]) -> List[Any]:
    """Blocks with the name of an op that TensorFlow made otherwise."""
    return [
        (address, tensor, log[address])
        for address, tensor in ours.items()
        if address in log and is_named(log[address]) and log[address] != tensor
    ]
