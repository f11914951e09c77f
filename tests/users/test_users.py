"""Programs as people write them, each leaking in its own way and each with a clean twin: kind, line and holder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, NamedTuple, Optional

import pytest
from summaries import summary_of

HERE = Path(__file__).parent


class Told(NamedTuple):
    """What a person needs to hear of the leak."""

    first: str  # mark of the first line
    holder: Optional[str]
    kept: Optional[str]
    kind: str = "retained-python"
    env: str = "numpy"

    def finding(self) -> Dict[str, Any]:
        told = self._asdict()
        del told["env"]
        return {"severity": "leak", **told}


LEAKS = {
    "asyncio_tasks": Told("made", "pending", "kept"),
    "closure_hook": Told("made", "tokens", "kept"),
    "crops": Told("made", "by_name", "kept", "retained-view"),
    "ctypes_bufs": Told("made", None, None, "native-growth"),
    "dict_cache": Told("made", "items", None),
    "ema_weights": Told("made", "shadow", None, "retained-autograd", "torch"),
    "generators": Told("made", "open", "kept"),
    "kept_grads": Told("made", "seen['inner']", "kept", env="jax"),
    "lru_method": Told("made", "Document.histogram", "kept"),
    "object_array": Told("made", "rows", None),
    "pipeline": Told("kept", "by_user", "kept"),
    "pipes": Told("made", "jobs", "kept"),
    "pool": Told("made", "_seen", None),
    "rnn_state": Told("made", "state", None, "retained-autograd", "torch"),
    "static_rate": Told("made", "step", None, "retracing", "jax"),
    "tensor_cache": Told("made", "embed", "kept", env="torch"),
    "thread_locals": Told("made", "results", None),
    "viewed": Told("made", "shown", "kept", "retained-view", "jax"),
    "views": Told("made", "corners", "kept", "retained-view"),
    "weak": Told("made", "_registry", None),
}


def report_of(program: str, python: str, run_tenure: Callable[..., Any], *words: str) -> Any:
    run = run_tenure(["run", "--", python, str(HERE / "programs" / f"{program}.py"), *words])
    assert run.returncode == 0, run.stderr
    return summary_of(run.findings)


@pytest.mark.parametrize("program", LEAKS)
def test_the_leak_is_one_finding_with_its_line_and_holder(
    program: str, env: Callable[[str], str], run_tenure: Callable[..., Any]
) -> None:
    told = LEAKS[program]
    (leak,) = report_of(program, env(told.env), run_tenure)["findings"]
    assert leak == told.finding()


@pytest.mark.parametrize("program", LEAKS)
def test_nothing_is_said_of_the_clean_twin(
    program: str, env: Callable[[str], str], run_tenure: Callable[..., Any]
) -> None:
    clean = report_of(program, env(LEAKS[program].env), run_tenure, "clean")
    assert clean == {"verdict": "clean", "findings": []}
