"""Other projects' own test suites, run plain and under Tenure: what each of their tests came to must be the same.

Suites have tests that depend on luck and load. A test that came out differently is run again in both ways; it counts only
when the two ways never agree.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Callable, Dict, Iterable, List, Sequence
from xml.etree import ElementTree

TRIES = 3

# command(names, junit) -> what runs these modules and writes what each test came to
Command = Callable[[Sequence[str], Path], List[str]]
Outcomes = Dict[str, str]


def read_outcomes(junit: Path) -> Outcomes:
    """Test -> passed, failed or skipped."""
    outcomes: Outcomes = {}
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        kinds = {child.tag for child in case}
        broken = "failed" if kinds & {"failure", "error"} else "passed"
        name = f"{case.get('classname', '')} {case.get('name')}"
        outcomes[name] = "skipped" if "skipped" in kinds else broken
    return outcomes


class Suite:
    """`folder` is for files, `tenure` the program under test."""

    def __init__(self, command: Command, tenure: str, folder: Path, timeout: float) -> None:
        self.command, self.tenure, self.folder, self.timeout = command, tenure, folder, timeout
        self.runs = 0

    def outcomes(self, names: Sequence[str], is_traced: bool) -> Outcomes:
        self.runs += 1
        here = self.folder / str(self.runs)
        here.mkdir(parents=True)
        junit = here / "junit.xml"
        words = self.command(names, junit)
        if is_traced:
            words = [self.tenure, "run", "--quiet", "-o", str(here / "record"), "--", *words]
        with open(here / "output", "wb") as output:
            done = subprocess.run(
                words,
                cwd=here,
                env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                timeout=self.timeout,
            )
        if not junit.exists():
            return {"the run itself": f"ended with {done.returncode} and no results"}
        return read_outcomes(junit)

    def differences(self, names: Sequence[str], least: int) -> List[str]:
        """The tests of these modules that never come out under Tenure as they do without it.

        A suite that stops early is the same in both ways as well: at least so many tests must pass.
        """
        plain, traced = ([self.outcomes(names, way)] for way in (False, True))
        passed = list(plain[0].values()).count("passed")
        assert passed >= least, f"only {passed} tests passed without Tenure"
        different = never_equal(plain, traced, {*plain[0], *traced[0]})
        for _ in range(TRIES):
            if not different:
                break
            again = modules_with(different, names)
            plain.append(self.outcomes(again, False))
            traced.append(self.outcomes(again, True))
            different = never_equal(plain, traced, different)
        return [
            f"{test}: {sorted(told(plain, test))}, under Tenure {sorted(told(traced, test))}"
            for test in different
        ]


def modules_with(tests: Iterable[str], names: Sequence[str]) -> List[str]:
    """Those of the modules that the tests are in; all where the tests do not tell."""
    found = [name for name in names if any(f"{name}." in test for test in tests)]
    is_known = all(any(f"{name}." in test for name in found) for test in tests)
    return found if is_known else list(names)


def told(runs: List[Outcomes], test: str) -> set:
    return {run.get(test, "absent") for run in runs}


def never_equal(plain: List[Outcomes], traced: List[Outcomes], tests: Iterable[str]) -> List[str]:
    return sorted(test for test in tests if not told(plain, test) & told(traced, test))


def cpython(python: str) -> Command:
    def command(names: Sequence[str], junit: Path) -> List[str]:
        # Each module in a process of its own: test_xml_etree leaves nothing that could write the results.
        return [python, "-m", "test", "-j1", "--timeout=300", f"--junit-xml={junit}", *names]

    return command


def numpy(python: str) -> Command:
    def command(names: Sequence[str], junit: Path) -> List[str]:
        # Some tests look for free memory and are skipped without it, which is not the same at all times.
        # Those of memory policies build a library with the Meson beside the interpreter.
        tools = f"PATH={Path(python).parent}{os.pathsep}{os.environ['PATH']}"
        run = ["env", "NPY_AVAILABLE_MEM=2GB", tools, python, "-m", "pytest", "-q"]
        return [*run, "-p", "no:cacheprovider", "--hypothesis-seed=1", f"--junit-xml={junit}", "--pyargs", *names]

    return command


def pythons_with_tests(pythons: List[str]) -> List[str]:
    """Newest first."""
    look = "import test.test_array, test.test_mmap"
    return [
        python
        for python in reversed(pythons)
        if subprocess.run([python, "-c", look], capture_output=True).returncode == 0
    ]
