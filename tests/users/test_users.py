"""Programs as people write them, each wrong in its own way and each with a clean twin: kind, line and holder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, NamedTuple, Optional

import pytest
from summaries import first_of_role, summary_of

HERE = Path(__file__).parent


VERDICTS = {"leak": "leak", "error": "lifetime-error", "note": "clean"}


class Told(NamedTuple):
    """What a person needs to hear."""

    first: str  # mark of the first line
    holder: Optional[str]
    kept: Optional[str]
    kind: str = "retained-python"
    env: str = "numpy"
    severity: str = "leak"
    ended: Optional[str] = None  # where stated: mark of the line that ended or changed it

    def summary(self) -> Dict[str, Any]:
        told = self._asdict()
        del told["env"]
        if not self.ended:
            del told["ended"]
        return {"verdict": VERDICTS[self.severity], "findings": [told]}


def changed(holder: str) -> Told:
    return Told("used", holder, None, "inplace-modified", "torch", "error", "ended")


PROGRAMS = {
    "activation_hook": Told("made", "seen", "kept", env="torch"),
    "actor_critic": changed("self.net.2.weight"),
    "asyncio_tasks": Told("made", "pending", "kept"),
    "carried_dict": Told(
        "used", "self.carry['state']", None, "freed-graph", "torch", "error", "used"
    ),
    "class_state": Told("used", "Attention.last", "kept", "leaked-tracer", "jax", "error"),
    "click_log": Told("made", "by_user", "kept"),
    "closure_hook": Told("made", "tokens", "kept"),
    "columns": Told("made", "first", "kept", "retained-view"),
    "crops": Told("made", "by_name", "kept", "retained-view"),
    "csv_table": Told("used", "f", None, "closed-file", severity="error"),
    "ctypes_bufs": Told("made", None, None, "native-growth"),
    "dict_cache": Told("made", "items", "kept"),
    "ema_weights": Told("made", "shadow", None, "retained-autograd", "torch"),
    "fold_log": Told("used", "stream", None, "closed-file", severity="error"),
    "generators": Told("made", "open", "kept"),
    "episodes": Told("made", "last", "kept"),
    "gradient_hook": Told("made", "history", "kept", env="torch"),
    "handed_list": Told("made", "fields", "kept"),
    "headers": Told("made", "headers", "kept", "retained-view"),
    "inplace_module": changed("squashed"),
    "kept_grads": Told("made", "seen['inner']", "kept", env="jax"),
    "kv_cache": Told("made", "cache", None, env="torch"),
    "late_rows": Told("used", "f", None, "closed-file", severity="error"),
    "loader_cache": Told("made", "decoded", "kept", env="torch"),
    "lru_method": Told("made", "Document.histogram", "kept"),
    "memory_bank": changed("memory.bank"),
    "memmaps": Told("made", "heads", "kept", "shared-memory"),
    "object_array": Told("made", "rows", None),
    "packer": Told("used", "self.out", None, "closed-file", severity="error"),
    "pipeline": Told("kept", "by_user", "kept"),
    "pipes": Told("made", "jobs", "kept"),
    "pool": Told("made", "_seen", None),
    "ring": Told("created", None, None, "inplace-modified", "jax", "note"),
    "rnn_state": Told("made", "state", None, "retained-autograd", "torch"),
    "rollback": Told("used", "best['w']", None, "deleted-array", "jax", "error", "ended"),
    "state_slots": changed("states"),
    "static_rate": Told("made", "step", None, "retracing", "jax"),
    "tensor_cache": Told("made", "embed", "kept", env="torch"),
    "thread_locals": Told("made", "results", None),
    "viewed": Told("made", "shown", "kept", "retained-view", "jax"),
    "views": Told("made", "corners", "kept", "retained-view"),
    "volume": Told("used", "self.map", None, "closed-file", severity="error"),
    "weak": Told("made", "_registry", None),
    "weights_file": Told("used", "self.data", None, "closed-file", severity="error"),
    "worker_batches": Told("made", "seen", "kept", "shared-memory", "torch"),
}

GOES_ON = {"fold_log"}  # a library catches the error, and the program ends well


# Its hundred steps take less time than what XLA compiles in the first two: most births of the run are the compiler's, and
# now and then that is worth a warning.
COMPILES_LATE = {"kept_grads"}


def report_of(program: str, python: str, run_tenure: Callable[..., Any], *words: str) -> Any:
    run = run_tenure(["run", "--", python, str(HERE / "programs" / f"{program}.py"), *words])
    summary = summary_of(run.findings)
    for told, finding in zip(summary["findings"], run.findings["findings"]):
        if PROGRAMS[program].ended:
            told["ended"] = first_of_role(finding, "ended")
    fails = summary["verdict"] == "lifetime-error" and program not in GOES_ON
    assert run.returncode == fails, run.stderr
    if program in COMPILES_LATE:
        summary["findings"] = [f for f in summary["findings"] if f["severity"] != "warning"]
    return summary


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_is_wrong_is_one_finding_with_its_line_and_holder(
    program: str, env: Callable[[str], str], run_tenure: Callable[..., Any]
) -> None:
    told = PROGRAMS[program]
    assert report_of(program, env(told.env), run_tenure) == told.summary()


@pytest.mark.parametrize("program", PROGRAMS)
def test_nothing_is_said_of_the_clean_twin(
    program: str, env: Callable[[str], str], run_tenure: Callable[..., Any]
) -> None:
    clean = report_of(program, env(PROGRAMS[program].env), run_tenure, "clean")
    assert clean == {"verdict": "clean", "findings": []}
