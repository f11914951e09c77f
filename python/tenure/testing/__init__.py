"""Tests that fail when memory leaks, for any test framework: `no_leaks` and `NoLeaksMixin`.

The judgement is that of Tenure's analysis, so the program has to run under `tenure run`. pytest has a plugin of its own,
tenure.pytest_plugin.
"""

import functools
import inspect
import unittest

from ._judge import JudgedRounds, is_running
from ._limits import FEWEST_ROUNDS, ROUNDS, Limits

__all__ = ["LeakFound", "NoLeaksMixin", "NotUnderTenure", "no_leaks"]


class LeakFound(AssertionError):
    """The text tells which line, who holds it, why, and the fix."""


class NotUnderTenure(RuntimeError):
    """Nothing can be judged here."""


def fail_unless_clean(judgement, limits):
    __tracebackhide__ = True
    if judgement.has_failed:
        raise LeakFound(judgement.text)
    if judgement.verdict == "unknown" and limits.unknown_fails:
        raise LeakFound("whether it leaks is not known: " + judgement.text)


class no_leaks:
    """A test that fails if its rounds leak.

    `@no_leaks(rounds=50)` above a function: each call runs it so often. As a context manager it gives the rounds:
    `with no_leaks() as rounds:` and inside `for _ in rounds:`. Without `tenure run` it raises NotUnderTenure, or
    skips the test with `skip=True`.
    """

    def __init__(
        self,
        rounds=ROUNDS,
        max_growth="0B",
        max_peak=None,
        unknown_fails=False,
        skip=False,
        name="",
    ):
        self.limits = Limits(True, max_growth, max_peak, rounds, unknown_fails)
        self.skips = skip
        self.name = name
        self.judgement = None  # of the last rounds
        self.judged = None

    def __enter__(self):
        if not is_running():
            self.refuse()
        self.judged = JudgedRounds(self.name or "no_leaks", self.limits)
        return self

    def refuse(self):
        if self.skips:
            raise unittest.SkipTest("leaks are only seen under `tenure run`")
        raise NotUnderTenure(
            "no_leaks cannot judge here: run the tests under `tenure run -- PROGRAM`, with pytest by "
            "`pytest --tenure`"
        )

    def __iter__(self):
        for number in range(self.limits.rounds):
            self.judged.begin_round()
            yield number

    def __exit__(self, kind, error, traceback):
        __tracebackhide__ = True
        judged, self.judged = self.judged, None
        if kind is not None:  # the test failed by itself
            judged.end()
            return False
        if judged.seen < FEWEST_ROUNDS:
            judged.end()
            raise NotUnderTenure(
                "only %d rounds were run: write `with no_leaks() as rounds:` and inside of it "
                "`for _ in rounds:`" % judged.seen
            )
        self.judgement = judged.judge()
        fail_unless_clean(self.judgement, self.limits)
        return False

    def __call__(self, function):
        if inspect.iscoroutinefunction(function):
            raise TypeError(
                "no_leaks cannot repeat a coroutine: call asyncio.run() in a plain test"
            )

        @functools.wraps(function)
        def repeated(*arguments, **named):
            __tracebackhide__ = True
            own = no_leaks(skip=self.skips, name=self.name or function.__qualname__)
            own.limits = self.limits
            with own as rounds:
                for _ in rounds:
                    function(*arguments, **named)

        return repeated


class NoLeaksMixin:
    """`class TestCache(NoLeaksMixin, unittest.TestCase)`: each test of the class runs in rounds and is judged.

    setUp and tearDown run once around all rounds of a test. `no_leaks_options` has the words of `no_leaks`.
    """

    no_leaks_options: dict = {}

    def run(self, result=None):
        name = self._testMethodName  # type: ignore[attr-defined]
        before = dict(self.__dict__)
        options = dict({"name": self.id()}, **self.no_leaks_options)  # type: ignore[attr-defined]
        self.__dict__[name] = no_leaks(**options)(getattr(self, name))
        try:
            return super().run(result)  # type: ignore[misc]
        finally:
            self.__dict__.pop(name, None)
            if name in before:  # as pytest sets it
                self.__dict__[name] = before[name]
