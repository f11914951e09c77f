"""Rounds of one piece of code, and what Tenure's analysis says of them right behind the last one.

The rounds are a named series of the ledger: `tenure show --steps SERIES` then judges from the first of them on, and counts
growth in them. The record is read while the program runs. Called from the thread that runs the rounds.
"""

import gc
import json
import os
import subprocess
import tempfile

import tenure

from ._program import CannotRun, tenure_program

ASKED = 5  # ledger::SnapshotReason
MARK = (
    16 << 10
)  # bytes of a block in each round: births are the clock, and a round may have none of its own
MOST_NAME = 160  # characters of a series
PATIENCE = 120  # seconds for the analysis
TOLD = ("warning", "note")
QUIET_GROWTH = ("filling", "bounded", "accumulates", "suspected")  # what a line came to

used_names = {}  # type: ignore[var-annotated]  # name -> how often


def is_running():
    """Whether this process can be judged."""
    return tenure.is_running() and "record_until_now" in tenure._native


def series_named(name):
    """One that nobody has counted in: a test may be run again."""
    name = name if len(name) <= MOST_NAME else name[: MOST_NAME - 3] + "..."
    used_names[name] = used_names.get(name, 0) + 1
    times = used_names[name]
    return "round of " + (name if times == 1 else "%s, run %d" % (name, times))


class Judgement:
    """leak, peak, unjudged (the tool failed), unknown or clean; `text` is the report, `notes` one line each."""

    @property
    def has_failed(self):
        return self.verdict in ("leak", "peak", "unjudged")

    def __init__(self, verdict, text="", notes=()):
        self.verdict = verdict
        self.text = text
        self.notes = list(notes)


class Collector:
    """Garbage in cycles is no leak, and when it is collected is chance: here it is after each round.

    What was there before the rounds is out of the collector's sight meanwhile, so that this costs next to nothing.
    """

    def __init__(self):
        gc.collect()
        self.has_frozen = gc.get_freeze_count() == 0
        if self.has_frozen:
            gc.freeze()

    def end(self):
        if self.has_frozen:
            gc.unfreeze()


class JudgedRounds:
    """`begin_round()` before each of them; then `judge()`, or `end()` where a round has failed."""

    def __init__(self, name, limits):
        self.series = series_named(name)
        self.limits = limits
        self.seen = 0
        self.collector = Collector() if limits.is_growth_asked else None
        tenure._native["watch_peak"](1)

    def begin_round(self):
        if self.collector and self.seen:
            gc.collect()
        self.seen += 1
        tenure.step(self.series)
        if self.collector:
            bytearray(MARK)

    def end(self):
        if self.collector:
            gc.collect()
            self.collector.end()
        self.collector = None
        return tenure._native["watch_peak"](0)

    def judge(self):
        peak = self.end()
        bytearray(MARK)
        if self.limits.max_peak is not None and peak > self.limits.max_peak:
            return Judgement("peak", peak_text(peak, self.limits.max_peak))
        if not self.limits.is_growth_asked:
            return Judgement("clean")
        tenure._native["take_snapshot"](ASKED)
        record = tenure._native["record_until_now"]()
        if not record:
            return Judgement("unjudged", "it cannot be judged: `tenure run` does not answer")
        try:
            findings, report = read_record(record, self.series)
        except (CannotRun, OSError, ValueError, subprocess.SubprocessError) as error:
            return Judgement("unjudged", "the record could not be judged: %s" % error)
        return self.judgement_of(findings, report)

    def judgement_of(self, findings, report):
        if findings["steps"] < self.seen:
            return Judgement("unjudged", "it cannot be judged: its rounds were not seen")
        leaks = [f for f in findings["findings"] if f["severity"] == "leak"]
        notes = [note_of(f) for f in findings["findings"] if f["severity"] in TOLD]
        notes += [line_note(line) for line in self.lines_without_finding(findings)]
        growth = sum(f["bytes_per_step"] or 0 for f in leaks)
        if leaks and (growth > self.limits.max_growth or not growth):
            return Judgement("leak", leak_text(leaks, report), notes)
        if findings["verdict"] == "unknown":
            return Judgement("unknown", findings["reason"], notes)
        allowed = ["within max_growth, " + note_of(f) for f in leaks]
        return Judgement("clean", "", allowed + notes)

    def lines_without_finding(self, findings):
        """Of the rounds, those that keep some of what they make, but are no leak."""
        told = {(w["file"], w["line"]) for f in findings["findings"] for w in f["where"]}
        for line in findings["considered"]:
            is_ours = line["per"] == self.series and line["came_to"] in QUIET_GROWTH
            if is_ours and (line["file"], line["line"]) not in told:
                yield line


def line_note(line):
    words = (os.path.basename(line["file"]), line["line"], size_text(line["bytes"]))
    return "%s: %s:%d: %s now" % (line["came_to"], *words)


def note_of(finding):
    where = finding["where"][0] if finding["where"] else None
    place = "%s:%d: " % (os.path.basename(where["file"]), where["line"]) if where else ""
    why = "; " + finding["why"] if finding["why"] else ""
    return "%s: %s%s%s" % (finding["severity"], place, finding["title"], why)


def leak_text(leaks, report):
    """One line that is enough in a summary, then the findings as `tenure show` tells them."""
    holder = leaks[0]["holder"]
    kept = ", kept by " + holder["text"] if holder else ""
    parts = [part for part in report.split("\n\n") if part.lstrip()[:1].isdigit()]
    growth = size_text(leaks[0]["bytes_per_step"] or leaks[0]["bytes"])
    return "leak: %s every round%s\n\n%s" % (growth, kept, "\n\n".join(parts))


def size_text(size):
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return "%.1f %s" % (size / unit, name)
    return "%d bytes" % size


def peak_text(peak, most):
    return "peak of %s above the level at its start, more than max_peak (%s)" % (
        size_text(peak),
        size_text(most),
    )


def read_record(record, series):
    """The findings about this process from the first round on, and the same as a report."""
    environment = dict(os.environ, TENURE_LEAVE_OUT="1")
    with tempfile.TemporaryDirectory(prefix="tenure-") as folder:
        json_file = os.path.join(folder, "findings.json")
        command = [tenure_program(), "show", "--json", json_file, "--steps", series]
        command += ["--process", str(os.getpid()), record]
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=PATIENCE,
        )
        if done.returncode != 0:
            raise ValueError(done.stderr.decode("utf-8", "replace").strip())
        with open(json_file, encoding="utf-8") as file:
            return json.load(file), done.stdout.decode("utf-8", "replace").strip("\n")
