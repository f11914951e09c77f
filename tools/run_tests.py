#!/usr/bin/env python3
"""Runs every layer of tests and adds them up over all languages.

usage: run_tests.py [--only LAYER[,LAYER]] [--require-all] [--strict] [-- PYTEST_ARGS...]

Layers: unit    GoogleTest binaries in build/dev, through ctest
        python  pytest over tests/, from the `tools` environment
        exam    the cases of tests/exam/short.txt, through tests/exam/grade.py

A Python test that failed is run twice more, by itself. If it passes both times it is told as `unsteady` and counts as passed:
on a busy machine one run in some thousand meets something rare. More than MOST_UNSTEADY of them are failures all the same,
and --strict gives no second chance.

Each skip is listed with its reason. The last line is `N passed, N failed, N skipped`. The exit code
is 1 when anything failed. --require-all turns skips for an absent environment into failures. With
TENURE_ENVS=existing no environment is made: tests that need another one are skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Tuple
from xml.etree import ElementTree

import envs

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "test-results"
LAST_FAILED = ROOT / "build" / "pytest-cache" / "v" / "cache" / "lastfailed"
MOST_UNSTEADY = 5


@dataclass
class Tally:
    """What one layer came to. Failures and skips are (test, reason), as are unsteady tests, which passed later."""

    passed: int = 0
    failed: List[Tuple[str, str]] = field(default_factory=list)
    unsteady: List[Tuple[str, str]] = field(default_factory=list)
    skipped: List[Tuple[str, str]] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.passed += other.passed
        self.failed += other.failed
        self.unsteady += other.unsteady
        self.skipped += other.skipped

    @property
    def count(self) -> int:
        return self.passed + len(self.failed) + len(self.skipped)


def gtest_skip_reason(output: str) -> str:
    """The text given to GTEST_SKIP: it follows a line `file:line: Skipped`."""
    found = re.search(r"^\S+:\d+: Skipped\n(.*)$", output, re.MULTILINE)
    return found[1].strip() if found else "no reason given"


def skip_reason(skipped: ElementTree.Element, case: ElementTree.Element) -> str:
    message = skipped.get("message") or ""
    if message and not message.startswith("SKIP_"):
        return message.split("\n")[0]
    return gtest_skip_reason(case.findtext("system-out") or "")


def read_junit(path: Path) -> Tally:
    tally = Tally()
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = ".".join(filter(None, [case.get("classname"), case.get("name")]))
        if case.get("classname") == case.get("name"):  # ctest writes the name twice
            name = case.get("name") or ""
        broken = case.find("failure") if case.find("failure") is not None else case.find("error")
        skipped = case.find("skipped")
        if broken is not None:
            tally.failed.append((name, (broken.get("message") or "").split("\n")[0][:160]))
        elif skipped is not None:
            tally.skipped.append((name, skip_reason(skipped, case)))
        elif case.get("status") == "disabled":
            tally.skipped.append((name, "disabled"))
        else:
            tally.passed += 1
    return tally


def run_and_read(layer: str, command: List[str], environ: Dict[str, str]) -> Tally:
    """Runs a test program that leaves a JUnit file. Its own output goes to the terminal."""
    junit = RESULTS / f"{layer}.xml"
    if junit.exists():
        junit.unlink()
    code = subprocess.run(command, cwd=ROOT, env=environ).returncode
    try:
        tally = read_junit(junit)
    except (OSError, ElementTree.ParseError) as error:
        return Tally(failed=[(layer, f"no results: exit code {code}, {error}")])
    if not tally.count:
        tally.failed.append((layer, "no tests were found"))
    elif code != 0 and not tally.failed:
        tally.failed.append((layer, f"ended with exit code {code} though no test failed"))
    return tally


def run_unit(args: argparse.Namespace) -> Tally:
    folder = ROOT / "build" / "dev"
    if not (folder / "CTestTestfile.cmake").exists():
        return Tally(failed=[("unit", "build/dev is not built: make dev")])
    command = ["ctest", "--test-dir", str(folder), "--output-junit", str(RESULTS / "unit.xml")]
    command += ["--output-on-failure", "-j", str(os.cpu_count() or 1)]
    return run_and_read("unit", command, dict(os.environ))


def run_python(args: argparse.Namespace) -> Tally:
    try:
        interpreter = envs.path("tools")
    except envs.EnvError as error:
        return Tally(failed=[("python", str(error))])
    junit = "--junit-xml=" + str(RESULTS / "python.xml")
    command = [interpreter, "-m", "pytest", "tests", "-q", junit]
    environ = dict(os.environ)
    if args.require_all:
        environ["TENURE_REQUIRE_ALL"] = "1"
    LAST_FAILED.unlink(missing_ok=True)
    tally = run_and_read("python", command + args.pytest_args, environ)
    if args.strict or not 0 < len(tally.failed) <= MOST_UNSTEADY:
        return tally
    again = [interpreter, "-m", "pytest", "-q", junit, *last_failed()]
    return run_failed_again(tally, lambda: run_and_read("python", again, environ))


def last_failed() -> List[str]:
    """The tests that failed in pytest's last run, as it calls them."""
    return sorted(json.loads(LAST_FAILED.read_text(encoding="utf-8")))


def run_failed_again(tally: Tally, run: Callable[[], Tally]) -> Tally:
    """Counts those of the failed tests as unsteady that pass twice when `run` runs them alone."""
    broken = set()
    for number in (1, 2):
        print(
            f"=== python, the {len(tally.failed)} that failed, run again ({number} of 2)",
            flush=True,
        )
        again = run()
        if again.passed + len(again.failed) != len(tally.failed):
            return tally  # others ran: what they came to says nothing of these
        broken |= {name for name, _ in again.failed}
    unsteady = [test for test in tally.failed if test[0] not in broken]
    failed = [test for test in tally.failed if test[0] in broken]
    return Tally(tally.passed + len(unsteady), failed, unsteady, tally.skipped)


def case_list(path: Path) -> List[str]:
    """The cases that a file names: one in a line, with a remark after #."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]


def short_selection(exam: Path) -> List[str]:
    return case_list(exam / "short.txt")


def env_of_case(exam: Path, case: str) -> str:
    return str(json.loads((exam / case / "case.json").read_text(encoding="utf-8"))["env"])


def exam_environments(names: List[str]) -> Tuple[Dict[str, str], Dict[str, str]]:
    """The interpreters that can be had, and for the others the reason why not."""
    found, reasons = {}, {}
    for name in names:
        try:
            found[name] = envs.path(name)
        except envs.EnvError as error:
            reasons[name] = str(error).split("\n")[0]
    return found, reasons


def lost_points(row: Dict[str, object]) -> str:
    points = row["points"]
    assert isinstance(points, dict)
    lost = "lost " + " ".join(name for name, got in points.items() if not got)
    return f"{lost}; {row['note']}" if row.get("note") else lost


def grade(exam: Path, cases: List[str], interpreters: Dict[str, str]) -> Tally:
    results, envs_file = RESULTS / "exam.json", RESULTS / "envs.json"
    envs_file.write_text(json.dumps(interpreters), encoding="utf-8")
    if results.exists():
        results.unlink()
    tenure = os.environ.get("TENURE_BIN") or str(ROOT / "build" / "bin" / "tenure")
    command = [sys.executable, str(exam / "grade.py"), "--need", "1", "--tenure", tenure]
    command += ["--cases", str(exam), "--only", ",".join(cases), "--envs", str(envs_file)]
    command += ["--cache", str(ROOT / "build" / "exam-plain.json"), "--out", str(results)]
    code = subprocess.run(command, cwd=ROOT).returncode
    rows = json.loads(results.read_text(encoding="utf-8")) if results.exists() else []
    tally = Tally(passed=sum(row["ok"] for row in rows))
    tally.failed = [(f"exam {row['id']}", lost_points(row)) for row in rows if not row["ok"]]
    ungraded = sorted(set(cases) - {row["id"] for row in rows})
    tally.failed += [(f"exam {case}", f"not graded (exit code {code})") for case in ungraded]
    return tally


def run_exam(args: argparse.Namespace) -> Tally:
    exam = ROOT / "tests" / "exam"
    env_of = {case: env_of_case(exam, case) for case in short_selection(exam)}
    found, reasons = exam_environments(sorted(set(env_of.values()) - {"cpp"}))
    absent = [(f"exam {case}", reasons[env]) for case, env in env_of.items() if env in reasons]
    tally = Tally(failed=absent) if args.require_all else Tally(skipped=absent)
    possible = [case for case, env in env_of.items() if env not in reasons]
    if possible:
        tally.add(grade(exam, possible, found))
    return tally


LAYERS: Dict[str, Callable[[argparse.Namespace], Tally]] = {
    "unit": run_unit,
    "python": run_python,
    "exam": run_exam,
}


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(LAYERS), help="layers: " + " ".join(LAYERS))
    parser.add_argument("--require-all", action="store_true", help="no environment may be absent")
    parser.add_argument("--strict", action="store_true", help="a test that fails once has failed")
    parser.add_argument("pytest_args", nargs="*", help="passed on to pytest, after --")
    args = parser.parse_args()
    args.layers = args.only.split(",")
    unknown = [layer for layer in args.layers if layer not in LAYERS]
    if unknown:
        parser.error(f"no layer {' '.join(unknown)}; there are: {' '.join(LAYERS)}")
    return args


def print_summary(total: Tally) -> None:
    for name, reason in total.skipped:
        print(f"skipped  {name}: {reason}")
    for name, reason in total.unsteady:
        print(f"unsteady {name}: failed once, then passed twice: {reason}")
    for name, reason in total.failed:
        print(f"FAILED   {name}" + (f": {reason}" if reason else ""))
    failed, skipped = len(total.failed), len(total.skipped)
    print(f"{total.passed} passed, {failed} failed, {skipped} skipped", flush=True)


def main() -> int:
    args = parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    total = Tally()
    for layer in args.layers:
        print(f"=== {layer}", flush=True)
        began = time.monotonic()
        tally = LAYERS[layer](args)
        print(f"=== {layer}: {tally.count} tests in {time.monotonic() - began:.1f} s\n", flush=True)
        total.add(tally)
    print_summary(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
