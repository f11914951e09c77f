"""`tenure export` on a real record: each format read back, by the tool it is for where that is here."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import subprocess

import pytest

from .conftest import CLEAN, LEAKY
from .test_check import check_sarif


def exported(run_tenure, record: str, form: str, *options: str) -> str:
    done = run_tenure(["export", record, "--format", form, *options])
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_collapsed_has_bytes_of_whole_stacks(run_tenure, recorded):
    first = exported(run_tenure, recorded(LEAKY), "collapsed").splitlines()[0]
    stack, amount = first.rsplit(" ", 1)
    assert stack == "<module> (program.py:9);work (program.py:5)"
    assert int(amount) >= 200 * 100_000


def test_figures_differ(run_tenure, recorded):
    sums = {}
    for figure in ("peak", "live", "total"):
        lines = exported(run_tenure, recorded(CLEAN), "collapsed", "--figure", figure)
        sums[figure] = sum(int(line.rsplit(" ", 1)[1]) for line in lines.splitlines())
    assert sums["live"] <= sums["peak"] < sums["total"]
    assert sums["total"] >= 200 * 100_000


def test_csv_has_the_line(run_tenure, recorded):
    rows = list(csv.DictReader(io.StringIO(exported(run_tenure, recorded(LEAKY), "csv"))))
    assert (rows[0]["file"], rows[0]["line"], rows[0]["function"]) == ("program.py", "5", "work")
    assert int(rows[0]["peak_bytes"]) >= 200 * 100_000
    assert all(len(row) == 11 for row in rows)


def test_speedscope_has_consistent_profiles(run_tenure, recorded):
    document = json.loads(exported(run_tenure, recorded(LEAKY), "speedscope"))
    assert document["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = document["shared"]["frames"]
    for profile in document["profiles"]:
        assert profile["type"] == "sampled"
        assert len(profile["samples"]) == len(profile["weights"])
        assert sum(profile["weights"]) == profile["endValue"]
        assert all(0 <= at < len(frames) for stack in profile["samples"] for at in stack)
    assert "work" in {frame["name"] for frame in frames}


def test_trace_rises_with_the_leak(run_tenure, recorded):
    events = json.loads(exported(run_tenure, recorded(LEAKY), "trace"))["traceEvents"]
    live = [e for e in events if e["ph"] == "C" and e["name"] == "live memory"]
    assert max(e["args"]["bytes"] for e in live) >= 100 * 100_000
    assert [e["ts"] for e in live] == sorted(e["ts"] for e in live)
    steps = [e["args"]["steps"] for e in events if e["name"] == "steps"]
    assert steps == sorted(steps)
    assert 0 < max(steps) <= 200
    assert any(e["ph"] == "M" and e["args"]["name"] == "program.py" for e in events)


def test_sarif_has_all_findings(run_tenure, recorded):
    results = check_sarif(json.loads(exported(run_tenure, recorded(LEAKY), "sarif")))
    assert [result["ruleId"] for result in results] == ["retained-python"]


def test_pprof_is_read_by_go(run_tenure, recorded, tmp_path):
    exported(run_tenure, recorded(LEAKY), "pprof", "-o", "out.pprof")
    assert gzip.decompress((tmp_path / "out.pprof").read_bytes())
    go = shutil.which("go")
    if not go:
        pytest.skip("go is not installed: the real pprof cannot be asked")
    asked = [go, "tool", "pprof", "-top", "-unit=b", "out.pprof"]
    done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "Type: peak_space" in done.stdout
    (line,) = [line for line in done.stdout.splitlines() if line.endswith(" work")]
    assert float(line.split()[0].rstrip("B")) >= 200 * 100_000


@pytest.mark.parametrize(
    "options, words",
    [
        (["--format", "xml"], "there is no format `xml`"),
        (["--format", "csv", "--figure", "most"], "there is no figure `most`"),
        (["--format", "pprof"], "name its file with -o FILE"),
        (["--format", "csv", "-o", "absent/file"], "cannot write absent/file"),
        ([], "--format is required"),
    ],
)
def test_wrong_options_are_one_sentence(run_tenure, recorded, options, words):
    done = run_tenure(["export", recorded(CLEAN), *options])
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_no_record(run_tenure):
    assert run_tenure(["export", "absent", "--format", "csv"]).returncode == 2
