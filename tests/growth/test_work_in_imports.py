"""Programs that do their work while a module of theirs is imported. Loading modules is no growth; what they run is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

WORK = """
def work(n):
    return sum(range(3000)) + n
"""
LEAKS = {
    "event loop": WORK
    + """
import asyncio
kept = []
async def handle(i):
    kept.append(bytearray(50_000 + work(i) % 2))
    await asyncio.sleep(0)
async def main():
    for i in range(10):
        await asyncio.gather(*(handle(n) for n in range(30)))
asyncio.run(main())
""",
    "scheduler": WORK
    + """
import sched
kept = {}
events = sched.scheduler()
def handle(i):
    kept[i] = bytearray(50_000 + work(i) % 2)
    if i < 300:
        events.enter(0, 1, handle, (i + 1,))
events.enter(0, 1, handle, (0,))
events.run()
""",
    "loop": WORK
    + "kept = []\nfor i in range(300):\n    kept.append(bytearray(50_000 + work(i) % 2))\n",
}
REGISTRY = (
    WORK + "known = {}\ndef register(name):\n    known[name] = bytearray(40_000 + work(1) % 2)\n"
)
CLEAN = {
    "event loop that keeps nothing": {"app": LEAKS["event loop"].replace("kept.append(", "len(")},
    # One line makes all of it, from as many modules as there are: each is loaded once.
    "modules that register themselves": {
        "registry": REGISTRY,
        **{"part%d" % i: "import registry\nregistry.register(%d)\n" % i for i in range(60)},
        "app": "".join("import part%d\n" % i for i in range(60)),
    },
}


def verdict_of(modules: Any, python: str, run_tenure: Any, tmp_path: Path) -> Any:
    for name, text in modules.items():
        (tmp_path / (name + ".py")).write_text(text, encoding="utf-8")
    (tmp_path / "program.py").write_text("import app\n", encoding="utf-8")
    return run_tenure(["run", "--", python, "program.py"]).findings


@pytest.mark.parametrize("name", LEAKS)
def test_what_an_imported_module_runs_is_the_programs_work(
    name: str, pythons: Any, run_tenure: Any, tmp_path: Path
) -> None:
    for python in (pythons[0], pythons[-1]):
        told = verdict_of({"app": LEAKS[name]}, python, run_tenure, tmp_path)
        assert told["verdict"] == "leak", (python, told["considered"][:4])
        (leak,) = [f for f in told["findings"] if f["severity"] == "leak"]
        assert leak["where"][0]["file"].endswith("app.py"), python
        assert "`kept`" in leak["holder"]["text"], python
        assert leak["bytes_per_step"] == pytest.approx(50_000, rel=0.1), python


@pytest.mark.parametrize("name", CLEAN)
def test_loading_modules_is_no_growth(
    name: str, pythons: Any, run_tenure: Any, tmp_path: Path
) -> None:
    for python in (pythons[0], pythons[-1]):
        told = verdict_of(CLEAN[name], python, run_tenure, tmp_path)
        assert told["verdict"] == "clean", (python, told["findings"])


# 60 modules that import each other in a row are deeper than Tenure reads, and no stack of the program's.
@pytest.mark.parametrize("work, is_lost", [("import part0", False), ("part(400)", True)])
def test_only_the_programs_own_deep_stacks_are_lost(
    work: str, is_lost: bool, pythons: Any, run_tenure: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    make = "blocks = [bytearray(100_000) for _ in range(20)]\n"
    for i in range(60):
        text = make if i == 59 else "import part%d\n" % (i + 1)
        (folder / ("part%d.py" % i)).write_text(text, encoding="utf-8")
    deep = "def part(n):\n    return part(n - 1) if n else bytearray(100_000)\n"
    (tmp_path / "program.py").write_text(
        "import sys\nsys.path.insert(0, %r)\n" % str(folder) + deep + work + "\n", encoding="utf-8"
    )
    told = run_tenure(["run", "--", pythons[-1], "program.py"]).findings
    assert told["memory"]["peak_bytes"] > (90_000 if is_lost else 1_900_000)
    assert ("truncated_stacks" in told["losses"]) == is_lost, told["losses"]
