"""Who holds it, in the words of the program, and which line to change: in many styles, each with a clean twin."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import pytest
from summaries import first_of_role

PROGRAMS = Path(__file__).parent / "programs"


class Told(NamedTuple):
    """What a person needs to hear."""

    holder: str  # a part of the holder's text
    kept: Optional[str] = (
        "kept"  # mark of the line to change; None: it is the one that makes, or none is sure
    )
    env: str = "numpy"
    kind: str = "retained-python"


TOLD = {
    "agenda": Told("`agenda` of main()"),
    "backlog": Told("inbox`"),
    "c_buffers": Told("`frames` of `Capture`"),
    "callbacks": Told("`listeners` of `Bus`"),
    "compressors": Told("`streams` of compressors.py"),
    "context_variable": Told("context variable `trail`"),
    "databases": Told("`open` of `Customers`"),
    "descriptor": Told("`values` of `Field`"),
    "exit_arguments": Told("registered with atexit"),
    "exit_hooks": Told("registered with atexit"),
    "exit_stack": Told("held by local `stack`"),
    "fetched_pages": Told("`pages` of `Crawler`"),
    "figures": Told("`figs` of `Gcf`", env="wild"),
    "finalizers": Told("`_registry` of `finalize`"),
    "frames": Told("`days` of `Archive`", env="wild"),
    "futures": Told("`pending` of main()"),
    "grouped": Told("`by_sensor` of `Collector`"),
    "headers": Told("`heads` of `Sniffer`", kind="retained-view"),
    "hooks": Told("`_forward_hooks` of `Linear`", env="torch"),
    "job_logs": Told("held by global `LOGGER`"),
    "log_handlers": Told("held by global `LOGGER`"),
    "loop_timers": Told("held by local `loop`"),
    "modules": Told("`modules` of sys", None),
    "ordered": Told("`cache` of main()", None),
    "paused": Told("`cursors` of `Store`"),
    "per_thread": Told("`pages` of `local`"),
    "photos": Told("`entries` of main()", env="wild"),
    "places": Told("`places` of `Ring`"),
    "pollers": Told("`self` of Poller.run() in 1"),
    "pool_results": Told("`by_number` of `Results`"),
    "registry": Told("`registry` of `Plugin`"),
    "running_mean": Told("`mean` of `Encoder`", env="torch", kind="retained-autograd"),
    "sessions": Told("held by local `session`", env="wild"),
    "signals": Told("held by global `changed`", env="wild"),
    "slots": Told("`samples` of `Album`"),
    "streams": Told("`received` of `Server`"),
    "task_set": Told("`running` of `Uploader`"),
    "timers": Told("Timer.run() in 1"),
    "trees": Told("`pages` of `Reader`", env="wild"),
    "tuples": Told("`readings` of tuples.py"),
    "waiting_coroutines": Told("`tasks` of main()"),
    "watchdogs": Told("`frames` of watch() in 1"),
    "watched_files": Told("held by local `selector`"),
    "weak_callbacks": Told("`refs` of `Tracker`"),
}

# Functions of programs/native.py.
NATIVE = [
    "lost",
    "zeroed",
    "grown",
    "copied",
    "aligned",
    "posix",
    "numbered",
    "pointed",
    "typed",
    "handled",
    "by_name",
    "counted",
    "remembered",
    "in_tree",
    "in_environment",
    "in_last",
    "in_pairs",
    "in_table",
    "twice",
    "half_freed",
]


@pytest.mark.parametrize("program", TOLD)
def test_the_holder_and_the_line_to_change_are_told(
    program: str, env: Callable[[str], str], run_tenure: Callable[..., Any]
) -> None:
    told = TOLD[program]
    run = run_tenure(["run", "--", env(told.env), str(PROGRAMS / f"{program}.py")])
    assert run.findings["verdict"] == "leak", run.stderr
    leaks = [f for f in run.findings["findings"] if f["severity"] == "leak"]
    assert len(leaks) == 1
    text = leaks[0]["holder"]["text"]
    assert (told.holder in text, leaks[0]["kind"]) == (True, told.kind), text
    assert first_of_role(leaks[0], "kept at") == told.kept


@pytest.mark.parametrize("program", TOLD)
def test_the_clean_twin_has_no_leak(
    program: str, env: Callable[[str], str], run_tenure: Callable[..., Any]
) -> None:
    run = run_tenure(
        ["run", "--", env(TOLD[program].env), str(PROGRAMS / f"{program}.py"), "clean"]
    )
    assert [f["title"] for f in run.findings["findings"] if f["severity"] == "leak"] == []


@pytest.mark.parametrize("leak", NATIVE)
def test_no_python_holder_is_named_for_native_memory(
    leak: str, env: Callable[[str], str], run_tenure: Callable[..., Any]
) -> None:
    run = run_tenure(["run", "--", env("numpy"), str(PROGRAMS / "native.py"), leak])
    assert run.findings["verdict"] == "leak", run.stderr
    holders = [f["holder"]["text"] for f in run.findings["findings"] if f["holder"]]
    assert all(text.startswith("native code") for text in holders), holders
