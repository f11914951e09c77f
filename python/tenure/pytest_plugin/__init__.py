"""`pytest --tenure`: tests marked `@pytest.mark.tenure(...)` run in rounds and fail where Tenure finds a leak.

pytest becomes a program under `tenure run` before anything of it has begun; the workers of xdist are its children. What is
repeated is the body of the test (of a unittest.TestCase with setUp and tearDown); fixtures are set up once around it.
"""

import functools
import logging
import os

import pytest

from tenure.testing._judge import JudgedRounds, is_running
from tenure.testing._limits import Limits
from tenure.testing._program import STARTED_AGAIN, CannotRun, start_again

PROPERTY = "tenure"  # of a report: [verdict, line, line...]; travels from the workers of xdist
HEADINGS = {"note": "notes", "unknown": "not known to be free of leaks"}


def pytest_addoption(parser):
    group = parser.getgroup("tenure", "memory, judged by Tenure")
    group.addoption(
        "--tenure",
        action="store_true",
        dest="tenure",
        help="run under `tenure run` and judge the tests marked `tenure`",
    )
    group.addoption(
        "--tenure-record",
        metavar="DIR",
        dest="tenure_record",
        help="keep the record of the whole session there, and report on it at the end",
    )
    group.addoption(
        "--tenure-strict",
        action="store_true",
        dest="tenure_strict",
        help="fail marked tests of which it is not known whether they leak",
    )


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config, args):
    """Before output is captured, and before any code of the project's runs."""
    if early_config.known_args_namespace.tenure and not is_running():
        try:
            record = early_config.known_args_namespace.tenure_record
            start_again(given_arguments(early_config), record)
        except CannotRun as problem:
            raise pytest.UsageError("--tenure: %s" % problem)
    yield


def given_arguments(config):
    """What pytest was given, without what configuration files and PYTEST_ADDOPTS add."""
    return [str(argument) for argument in config.invocation_params.args]


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "tenure(no_leaks=True, max_growth='0B', max_peak=None, rounds=20): with --tenure, run the test in "
        "rounds and fail where they leak, or reach a higher peak",
    )
    os.environ.pop(STARTED_AGAIN, None)  # a pytest that a test starts may do the same
    if config.getoption("tenure") and not is_running():
        raise pytest.UsageError(
            "--tenure: this process does not run under `tenure run`: run `tenure run -- pytest --tenure`"
        )


def limits_of(item):
    """(limits, what is wrong with the mark). A mark near the test comes before one of its class or module."""
    options = {"unknown_fails": item.config.getoption("tenure_strict")}
    for mark in reversed(list(item.iter_markers("tenure"))):
        if mark.args:
            return None, "its words have names, as in tenure(rounds=20)"
        options.update(mark.kwargs)
    try:
        return Limits(**options), ""
    except (TypeError, ValueError) as error:
        return None, str(error).replace("__init__()", "tenure()")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    if item.config.getoption("tenure") and item.get_closest_marker("tenure"):
        item.runtest = functools.partial(run_in_rounds, item, item.runtest)
    yield


def run_in_rounds(item, run_once):
    limits, problem = limits_of(item)
    if problem:
        pytest.fail("@pytest.mark.tenure: %s" % problem, pytrace=False)
    rounds = JudgedRounds(item.nodeid, limits)
    try:
        for _ in range(limits.rounds):
            rounds.begin_round()
            run_once()
            if has_failed(item):
                return
            forget_logs()
        judgement = rounds.judge()
    finally:
        rounds.end()
    tell(item, limits, judgement)


def has_failed(item):
    """A unittest.TestCase does not raise: pytest keeps its failures beside the test."""
    return bool(getattr(item, "_excinfo", None))


def forget_logs():
    """pytest keeps what a test logs, with the objects in it: of each round, it forgets those of the one before."""
    for handler in logging.getLogger().handlers:
        if type(handler).__module__ == "_pytest.logging" and hasattr(handler, "reset"):
            handler.reset()


def tell(item, limits, judgement):
    if judgement.verdict == "unknown":
        item.user_properties.append((PROPERTY, ["unknown", judgement.text]))
    if judgement.notes:
        item.user_properties.append((PROPERTY, ["note", *judgement.notes]))
    if judgement.has_failed:
        pytest.fail("tenure: %s" % judgement.text, pytrace=False)
    if judgement.verdict == "unknown" and limits.unknown_fails:
        pytest.fail("tenure: whether it leaks is not known: %s" % judgement.text, pytrace=False)


def told_by(reports):
    """(word, node id, line) of all that the tests were told."""
    for report in reports:
        if getattr(report, "when", None) != "call":
            continue
        for name, words in report.user_properties:
            if name == PROPERTY:
                for line in words[1:]:
                    yield words[0], report.nodeid, line


def pytest_terminal_summary(terminalreporter, config):
    if not config.getoption("tenure"):
        return
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    told = list(told_by(reports))
    if not told:
        return
    terminalreporter.section("tenure")
    for word, heading in HEADINGS.items():
        lines = ["%s: %s" % (node, line) for kind, node, line in told if kind == word]
        if lines:
            terminalreporter.write_line("%s:" % heading)
        for line in lines:
            terminalreporter.write_line("  " + line)
