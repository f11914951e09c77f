"""Arrays of JAX that share NumPy's memory: told where it was written while they were there, and only there."""

from __future__ import annotations

from textwrap import dedent
from typing import Any, Callable, Dict

import pytest

HEAD = """
import jax, jax.numpy as jnp, numpy as np
total = jax.jit(jnp.sum)
raw = np.zeros(1 << 18, np.uint8)  # made at
start = -raw.ctypes.data % 64
def part(n):  # 64 KiB that device_put does not copy
    return raw[start + (n << 16) : start + (n + 1 << 16)].view(np.float32)
"""
CHANGED = {
    "one buffer for many arrays that stay": (
        """
        def main():
            kept = []
            for n in range(5):
                part(0)[:] = n
                kept.append(jax.device_put(part(0)))  # created
            print([float(x[0]) for x in kept])
        main()
        """,
        "[4.0, 4.0, 4.0, 4.0, 4.0]",
    ),
    "an array whose buffer is written before it is used": (
        """
        def main():
            x = jax.device_put(part(1))  # created
            part(1)[0] = 7
            return float(x[0])
        print(main())
        """,
        "7.0",
    ),
    "an array that is there at the end": (
        """
        x = jax.device_put({"image": part(2)})["image"]  # created
        part(2)[-1] = 7
        print(float(x[-1]))
        """,
        "7.0",
    ),
}
CLEAN = {
    "a buffer that is filled again when its array was used": """
        def main():
            for n in range(20):
                x, y = jax.device_put(part(0)), jax.device_put(part(1))
                print(float(total(x) + total(y)))
                part(0)[:], part(1)[:] = n, n
        main()
        """,
    "two buffers in turn": """
        def main():
            now, following = None, jax.device_put(part(1))
            for n in range(20):
                part(n % 2)[:] = n
                now, following = following, jax.device_put(part(n % 2))
                print(float(total(now)))
        main()
        """,
    "copies": """
        kept = [jnp.asarray(part(0)), jnp.array(part(0)), jax.device_put(part(0).copy())]
        raw[:] = 1
        print([float(x[0]) for x in kept])
        """,
    "arrays that ended before the write": """
        def main():
            x, y = jax.device_put(part(0)), jax.device_put(part(1))
            print(float(jax.jit(lambda a: a * 2, donate_argnums=0)(x)[0]))
            x = jax.device_put(part(2))
            y.delete()
            del x
            raw[:] = 1
            return y
        main()
        """,
    "nothing is written": """
        kept = [jax.device_put(part(0)) for _ in range(4)]
        print(float(total(kept[0])))
        """,
}


def places(source: str) -> Dict[str, int]:
    """Role -> line, from the comments of a program."""
    lines = enumerate(source.splitlines(), start=1)
    marked = {line.rpartition("  # ")[2]: n for n, line in lines if "  # " in line}
    return {role: marked[role] for role in ("created", "made at")}


@pytest.mark.parametrize("name", CHANGED)
def test_an_array_that_was_changed_is_a_note_with_both_lines(
    name: str, run_on: Callable[..., Any]
) -> None:
    text, output = CHANGED[name]
    source = HEAD + dedent(text)
    run = run_on("jax", source)
    assert (run.stdout.strip(), run.findings["verdict"]) == (output, "clean"), run.stderr
    (told,) = run.findings["findings"]
    assert (told["kind"], told["severity"]) == ("inplace-modified", "note")
    assert {place["role"]: place["line"] for place in told["where"]} == places(source)


@pytest.mark.parametrize("name", CLEAN)
def test_sharing_alone_is_not_told(name: str, run_on: Callable[..., Any]) -> None:
    run = run_on("jax", HEAD + dedent(CLEAN[name]))
    assert (run.returncode, run.findings["findings"]) == (0, []), run.stderr
    assert not run.adapters_off
