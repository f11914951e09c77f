"""Arrays and tracers that are used after their end: which line ended them, who keeps them, where they are used."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest

DELETED = {
    "a donated argument inside a dict": (
        """
        import functools, jax, jax.numpy as jnp
        @functools.partial(jax.jit, donate_argnums=0)
        def step(params, rate):
            return {name: value - rate for name, value in params.items()}
        class Trainer:
            def __init__(self):
                self.params = {"w": jnp.ones((8, 4)) * 2}  # created
                self.best = self.params
            def fit(self):
                for _ in range(3):
                    self.params = step(self.params, 0.1)  # ended
        trainer = Trainer()
        trainer.fit()
        try:
            print(trainer.best["w"] + 1)  # used
        except RuntimeError:
            print("caught")
        """,
        "trainer.best['w']",
    ),
    "a donated argument passed by name": (
        """
        import jax, jax.numpy as jnp
        from typing import NamedTuple
        class State(NamedTuple):
            x: jax.Array
            n: jax.Array
        def advance(state, by):
            return State(state.x + by, state.n + 1)
        fast = jax.jit(advance, donate_argnames="state")
        state = State(jnp.arange(100.0) * 2, jnp.zeros(4) + 1)  # created
        history = [state]
        state = fast(state=state, by=1.0)  # ended
        print(float(history[0].x.sum()))  # used
        """,
        "history[0].x",
    ),
    "a donated argument of a compiled function": (
        """
        import jax, jax.numpy as jnp
        add = jax.jit(lambda a, b: a + b, donate_argnums=1).lower(jnp.ones(9), jnp.ones(9)).compile()
        left, right = jnp.ones(9) * 2, jnp.ones(9) * 3  # created
        total = add(left, right)  # ended
        right.block_until_ready()  # used
        """,
        "right",
    ),
    "delete() in a helper": (
        """
        import jax, jax.numpy as jnp
        class Pool:
            def drop(self, array):
                array.delete()  # ended
        batch = jnp.ones(9) * 3  # created
        Pool().drop(batch)
        jax.block_until_ready([batch, jnp.ones(2)])  # used
        """,
        "Pool.drop",
    ),
}
LEAKED = {
    "a value of a gradient in a dict": (
        """
        import jax, jax.numpy as jnp
        seen = {}
        def dense(name, x, w):
            y = jnp.tanh(x @ w)  # created
            seen[name] = y  # kept at
            return y
        def loss(w, x):
            return dense("first", x, w).sum()
        jax.grad(loss)(jnp.eye(4), jnp.ones((2, 4)))  # ended
        for value in seen.values():
            print(jnp.abs(value).mean())  # used
        """,
        "seen['first']",
    ),
    "an attribute of an object": (
        """
        import jax, jax.numpy as jnp
        class Counter:
            def __init__(self):
                self.total = jnp.zeros(3)
            def add(self, x):
                self.total = self.total + x  # kept at, created
                return x * 2
        counter = Counter()
        jax.jit(counter.add)(jnp.ones(3))  # ended
        print(float(counter.total[0]))  # used
        """,
        "counter.total",
    ),
    "a global that another traced function reads": (
        """
        import jax, jax.numpy as jnp
        cache = None
        def attention(q):
            global cache
            weights = jax.nn.softmax(q @ q.T)  # created
            cache = weights  # kept at
            return weights @ q
        @jax.jit
        def layer(q):
            return attention(q) * 2
        @jax.jit
        def entropy():
            return -(cache * jnp.log(cache)).sum()  # used
        layer(jnp.ones((4, 4)))  # ended
        entropy()
        """,
        "cache",
    ),
    "an argument under vmap, asked for its value": (
        """
        import jax, jax.numpy as jnp, numpy as np
        rows = []
        @jax.vmap
        def scale(row):
            top = row.max()  # created
            rows.append(top)  # kept at
            return row / top
        scale(jnp.ones((3, 4)))  # ended
        try:
            np.asarray(rows[0])  # used
        except jax.errors.TracerArrayConversionError:
            print("caught")
        """,
        "rows[0]",
    ),
}
CLEAN = {
    "donation and delete() as they are meant": """
        import functools, jax, jax.numpy as jnp
        @functools.partial(jax.jit, donate_argnums=0)
        def step(params):
            return {name: value * 0.9 for name, value in params.items()}
        params = {"w": jnp.ones((50, 50)), "b": jnp.ones(50)}
        for n in range(50):
            params = step(params)
            part = jnp.ones(10) * n
            part.block_until_ready()
            part.delete()
        print(part.is_deleted(), part.shape)
        """,
    "values asked of tracers that are not leaked": """
        import jax, jax.numpy as jnp
        def fails(function, *args):
            try:
                jax.jit(function)(*args)
            except TypeError as error:
                print(type(error).__name__)
        fails(lambda x: x if x > 0 else -x, 1.0)
        fails(lambda n: jnp.zeros(n), 3)
        fails(lambda rows: jax.vmap(float)(rows), jnp.ones(3))
        fails(lambda x: jax.grad(lambda y: float(y) * y)(x), 1.0)
        """,
}


def places(source: str) -> Dict[str, int]:
    """Role -> line, from the comments of a program."""
    found = {}
    for number, line in enumerate(source.splitlines(), start=1):
        for role in line.partition("  # ")[2].split(", "):
            found[role] = number
    found.pop("", None)
    return found


def written(text: str, folder: Path) -> Tuple[str, str]:
    lines: List[str] = [line[8:] for line in text.strip("\n").splitlines()]
    program = folder / "program.py"
    program.write_text("\n".join(lines) + "\n")
    return str(program), program.read_text()


@pytest.mark.parametrize(
    "kind,name", [("deleted-array", n) for n in DELETED] + [("leaked-tracer", n) for n in LEAKED]
)
def test_the_lines_of_a_lifetime_are_told(
    kind: str, name: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    text, holder = (DELETED if kind == "deleted-array" else LEAKED)[name]
    program, source = written(text, tmp_path)
    run = run_tenure(["run", "--", env("jax"), program])
    assert run.findings["verdict"] == "lifetime-error", run.stderr
    told = [f for f in run.findings["findings"] if f["severity"] == "error"]
    assert [f["kind"] for f in told] == [kind]
    assert {place["role"]: place["line"] for place in told[0]["where"]} == places(source)
    assert holder in told[0]["holder"]["text"]


@pytest.mark.parametrize("name", CLEAN)
def test_what_is_used_properly_is_clean(
    name: str, env: Callable[[str], str], run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    program, _ = written(CLEAN[name], tmp_path)
    run = run_tenure(["run", "--", env("jax"), program])
    assert (run.returncode, run.findings["verdict"]) == (0, "clean"), run.stderr
    assert not run.findings["findings"]
    assert not [key for key in run.findings["losses"] if key.startswith("adapter.")]
