"""The test runner counts what it should: nothing that went wrong may end as a pass."""

from __future__ import annotations

import argparse
import sys

import pytest
import run_tests


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(run_tests, "RESULTS", tmp_path)
    return tmp_path


def layer_that_writes(results, cases, code=0):
    text = f"<testsuite>{cases}</testsuite>"
    script = f"open({str(results / 'x.xml')!r}, 'w').write({text!r}); raise SystemExit({code})"
    return run_tests.run_and_read("x", [sys.executable, "-c", script], {})


def test_passes_failures_and_skips_are_counted(results):
    tally = layer_that_writes(
        results,
        '<testcase name="a"/><testcase name="b"><failure message="no"/></testcase>'
        '<testcase name="c"><skipped message="needs CPython 3.7"/></testcase>'
        '<testcase name="d"><error message="set-up"/></testcase>',
        code=1,
    )
    assert tally.passed == 1
    assert tally.failed == [("b", "no"), ("d", "set-up")]
    assert tally.skipped == [("c", "needs CPython 3.7")]


def test_the_reason_of_a_gtest_skip_is_found(results):
    tally = layer_that_writes(
        results,
        '<testcase name="S.T" classname="S.T" status="notrun">'
        '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>'
        "<system-out>[ RUN ] S.T\nx_test.cpp:7: Skipped\nno perf here\n</system-out></testcase>",
    )
    assert tally.skipped == [("S.T", "no perf here")]


def test_a_layer_without_tests_fails(results):
    assert layer_that_writes(results, "").failed


def test_a_layer_that_leaves_no_results_fails():
    assert run_tests.run_and_read("x", [sys.executable, "-c", "pass"], {}).failed


def test_a_bad_exit_code_without_a_failed_test_fails(results):
    assert layer_that_writes(results, '<testcase name="a"/>', code=3).failed


def test_a_test_that_fails_once_and_passes_twice_is_unsteady():
    first = run_tests.Tally(passed=7, failed=[("a", "no"), ("b", "never")])
    later = [run_tests.Tally(passed=1, failed=[("b", "never")])] * 2
    tally = run_tests.run_failed_again(first, iter(later).__next__)
    assert (tally.passed, tally.unsteady, tally.failed) == (8, [("a", "no")], [("b", "never")])


def test_a_test_that_fails_twice_has_failed():
    first = run_tests.Tally(failed=[("a", "no")])
    later = [run_tests.Tally(passed=1), run_tests.Tally(failed=[("a", "no")])]
    assert run_tests.run_failed_again(first, iter(later).__next__).failed == [("a", "no")]


def test_a_second_run_of_other_tests_excuses_nothing():
    first = run_tests.Tally(failed=[("a", "no"), ("b", "no")])
    assert (
        run_tests.run_failed_again(first, lambda: run_tests.Tally(passed=1)).failed == first.failed
    )


@pytest.mark.parametrize("require_all", [False, True])
def test_an_absent_environment_is_a_skip_or_with_require_all_a_failure(monkeypatch, require_all):
    def absent(name):
        raise run_tests.envs.EnvError(f"{name} needs CPython 3.7: install it or set TENURE_PY37")

    monkeypatch.setattr(run_tests.envs, "path", absent)
    monkeypatch.setattr(run_tests, "short_selection", lambda exam: ["SEED-0-2"])
    tally = run_tests.run_exam(argparse.Namespace(require_all=require_all))
    counted = tally.failed if require_all else tally.skipped
    assert counted == [
        ("exam SEED-0-2", "tf115 needs CPython 3.7: install it or set TENURE_PY37"),
    ]
    assert tally.count == 1


@pytest.mark.parametrize("name", ["short.txt", "not_yet.txt"])
def test_the_lists_of_the_exam_name_existing_cases(name):
    exam = run_tests.ROOT / "tests" / "exam"
    cases = run_tests.case_list(exam / name)
    assert cases
    for case in cases:
        assert (exam / case / "case.json").exists(), case
