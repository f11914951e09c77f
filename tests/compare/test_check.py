"""`tenure check` on real programs: the exit code, and what each format says."""

from __future__ import annotations

import json
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, Dict, List
from urllib.parse import unquote

import pytest

from .conftest import ANOTHER, CLEAN, LEAKY, MOVED, SHORT, WORSE

LIFETIME = """\
file = open(__file__)
file.close()
file.read()
"""


def test_clean_is_within_and_a_leak_is_beyond(run_tenure, recorded):
    clean = run_tenure(["check", recorded(CLEAN)])
    assert clean.returncode == 0
    assert clean.stdout.startswith("tenure: within the limits: no leak, no lifetime error.")
    leak = run_tenure(["check", recorded(LEAKY)])
    assert leak.returncode == 1
    assert leak.stdout.startswith("tenure: beyond the limits: 1 problem")
    assert "program.py:5 in work()  kept.append(bytearray(100_000))" in leak.stdout
    assert leak.stderr == ""


def test_too_short_a_run_cannot_tell(run_tenure, recorded):
    record = recorded(SHORT)
    unknown = run_tenure(["check", record])
    assert unknown.returncode == 2
    assert unknown.stdout.startswith("tenure: cannot tell: ")
    assert run_tenure(["check", record, "--unknown-is-ok"]).returncode == 0


@pytest.mark.parametrize(
    "limits, code",
    [
        (["--max-growth", "0B/step"], 1),
        (["--max-growth", "90kB/step"], 1),
        (["--max-growth", "1MiB/step"], 0),
        (["--max-growth", "1MiB"], 0),
        (["--max-peak", "10MB"], 1),
        (["--max-peak", "2GiB"], 0),
        (["--max-accumulated", "1MiB"], 1),
        (["--max-accumulated", "0.5GiB"], 0),
        (["--no-lifetime-errors"], 0),
        (["--max-growth", "1MiB/step", "--max-peak", "10MB"], 1),
    ],
)
def test_limits(run_tenure, recorded, limits, code):
    done = run_tenure(["check", recorded(LEAKY), *limits])
    assert done.returncode == code, done.stdout


def test_a_leak_that_no_limit_asks_about_is_told(run_tenure, recorded):
    done = run_tenure(["check", recorded(LEAKY), "--max-peak", "2GiB"])
    assert "not asked about: 1 leak or error" in done.stdout


def test_one_of_several_records_decides(run_tenure, recorded):
    done = run_tenure(["check", recorded(CLEAN), recorded(SHORT), recorded(LEAKY)])
    assert done.returncode == 1
    assert done.stdout.count("tenure: ") == 3
    assert run_tenure(["check", recorded(CLEAN), recorded(SHORT)]).returncode == 2


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["--max-peak", "2XB"], "`2XB` of --max-peak is not a size"),
        (["--max-peak", "-1MB"], "`-1MB` of --max-peak is not a size"),
        (["--max-peak", "2"], "`2` of --max-peak is not a size"),
        (["--max-peak", "1MB/step"], "`1MB/step` of --max-peak is not a size"),
        (["--max-growth", "fast/step"], "`fast/step` of --max-growth is not a size"),
        (["--max-accumulated", "99999999TiB"], "of --max-accumulated is not a size"),
        (["--format", "html"], "there is no format `html`"),
        (["--update-baseline"], "--update-baseline needs --baseline FILE"),
        (["--baseline", "absent.json"], "cannot read the baseline absent.json"),
        (["-o", "absent/result", "--format", "sarif"], "cannot write absent/result"),
    ],
)
def test_wrong_options_are_one_sentence(run_tenure, recorded, arguments, words):
    done = run_tenure(["check", recorded(CLEAN), *arguments])
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_no_record_and_none_named(run_tenure):
    assert run_tenure(["check", "absent"]).returncode == 2
    assert run_tenure(["check"]).returncode == 2


def test_a_damaged_record_is_not_within(run_tenure, recorded, tmp_path):
    record = tmp_path / "damaged"
    shutil.copytree(recorded(CLEAN), record)
    ledger = next(record.glob("ledger.*"))
    ledger.write_bytes(ledger.read_bytes()[: ledger.stat().st_size // 2])
    done = run_tenure(["check", str(record)])
    assert done.returncode == 2
    assert "tenure: " in done.stdout + done.stderr


def test_a_lifetime_error_is_beyond(run_tenure, tmp_path):
    (tmp_path / "closed.py").write_text(LIFETIME, encoding="utf-8")
    run_tenure(["run", "-o", "record", "--", sys.executable, "closed.py"])
    for limits in ([], ["--no-lifetime-errors"]):
        done = run_tenure(["check", "record", *limits])
        assert done.returncode == 1, done.stdout
        assert "closed-file" in done.stdout
        assert "the program itself failed" in done.stdout
    assert run_tenure(["check", "record", "--max-growth", "0B/step"]).returncode == 0


# the baseline


def baseline_of(run_tenure, record: str) -> None:
    done = run_tenure(["check", record, "--baseline", "baseline.json", "--update-baseline"])
    assert done.returncode == 0, done.stderr
    assert "the baseline baseline.json accepts" in done.stdout


def test_a_baseline_accepts_moved_lines_and_renamed_files(run_tenure, recorded):
    baseline_of(run_tenure, recorded(LEAKY))
    for record in (recorded(LEAKY), recorded(MOVED), recorded(LEAKY, "renamed.py")):
        done = run_tenure(["check", record, "--baseline", "baseline.json"])
        assert done.returncode == 0, done.stdout
        assert "1 accepted by the baseline" in done.stdout


def test_a_baseline_accepts_no_other_leak_and_no_faster_one(run_tenure, recorded):
    baseline_of(run_tenure, recorded(LEAKY))
    other = run_tenure(["check", recorded(ANOTHER), "--baseline", "baseline.json"])
    assert other.returncode == 1
    assert "more.append(bytearray(200_000))" in other.stdout
    assert "kept.append" not in other.stdout
    worse = run_tenure(["check", recorded(WORSE), "--baseline", "baseline.json"])
    assert worse.returncode == 1
    assert "the baseline accepts" in worse.stdout


def test_what_is_gone_from_a_baseline_is_told(run_tenure, recorded, tmp_path):
    baseline_of(run_tenure, recorded(LEAKY))
    done = run_tenure(["check", recorded(CLEAN), "--baseline", "baseline.json"])
    assert done.returncode == 0
    assert "no longer there: 1 entry of baseline.json" in done.stdout
    baseline_of(run_tenure, recorded(CLEAN))
    text = (tmp_path / "baseline.json").read_text(encoding="utf-8")
    assert json.loads(text)["accepted"] == []


def test_a_run_that_cannot_tell_leaves_the_baseline_alone(run_tenure, recorded, tmp_path):
    baseline_of(run_tenure, recorded(LEAKY))
    before = (tmp_path / "baseline.json").read_bytes()
    update = ["--baseline", "baseline.json", "--update-baseline"]
    assert run_tenure(["check", recorded(SHORT), *update]).returncode == 2
    assert (tmp_path / "baseline.json").read_bytes() == before


def test_without_source_text_the_function_tells(run_tenure, recorded):
    record = recorded(LEAKY, "program.py", "--no-source")
    baseline_of(run_tenure, record)
    done = run_tenure(["check", recorded(MOVED), "--baseline", "baseline.json"])
    assert done.returncode == 0, done.stdout


# formats


def test_github_annotations_are_read_back(run_tenure, recorded):
    done = run_tenure(["check", recorded(LEAKY), "--format", "github"])
    lines = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert len(lines) == 1
    command, properties, message = re.fullmatch(r"::(\w+) (.*?)::(.*)", lines[0]).groups()
    values: Dict[str, str] = dict(pair.split("=", 1) for pair in properties.split(","))
    assert command == "error"
    assert values["file"] == "program.py"
    assert values["line"] == "5"
    assert unquote(values["title"]) == "tenure: retained-python"
    assert unquote(message).splitlines()[0].startswith("97.7 KiB every step")
    assert done.returncode == 1


def check_sarif(document: Dict[str, Any]) -> List[Dict[str, Any]]:
    """What SARIF 2.1.0 demands of the parts that are written; the results of the one run."""
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "Tenure"
    rules = [rule["id"] for rule in driver["rules"]]
    assert len(rules) == len(set(rules))
    for base in run["originalUriBaseIds"].values():
        assert re.fullmatch(r"file:///.*/", base["uri"])
    for result in run["results"]:
        assert result["ruleId"] in rules
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        for place in [*result.get("locations", []), *result.get("relatedLocations", [])]:
            physical = place["physicalLocation"]
            assert " " not in physical["artifactLocation"]["uri"]
            base_id = physical["artifactLocation"].get("uriBaseId")
            assert base_id is None or base_id in run["originalUriBaseIds"]
            assert physical.get("region", {"startLine": 1})["startLine"] >= 1
    return run["results"]


def test_sarif_has_the_line(run_tenure, recorded, tmp_path):
    done = run_tenure(["check", recorded(LEAKY), "--format", "sarif", "-o", "check.sarif"])
    assert done.returncode == 1
    assert done.stdout.startswith("tenure: beyond")
    (result,) = check_sarif(json.loads((tmp_path / "check.sarif").read_text(encoding="utf-8")))
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "program.py"
    assert physical["region"]["startLine"] == 5
    moved = json.loads(run_tenure(["check", recorded(MOVED), "--format", "sarif"]).stdout)
    assert check_sarif(moved)[0]["partialFingerprints"] == result["partialFingerprints"]


def test_sarif_of_a_clean_run_has_no_results(run_tenure, recorded):
    done = run_tenure(["check", recorded(CLEAN), "--format", "sarif"])
    assert check_sarif(json.loads(done.stdout)) == []


def test_junit_counts_what_failed(run_tenure, recorded):
    done = run_tenure(["check", recorded(CLEAN), recorded(LEAKY), "--format", "junit"])
    suites = ElementTree.fromstring(done.stdout).findall("testsuite")
    assert [suite.get("failures") for suite in suites] == ["0", "1"]
    (failure,) = suites[1].iter("failure")
    assert "program.py:5 in work()" in (failure.text or "")
    unknown = run_tenure(["check", recorded(SHORT), "--format", "junit"])
    assert ElementTree.fromstring(unknown.stdout).find(".//error") is not None


# run --check


def run_checked(run_tenure, tmp_path: Path, source: str, *options: str):
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    return run_tenure(["run", "--check", *options, "--", sys.executable, "program.py"])


@pytest.mark.parametrize(
    "source, code",
    [
        (CLEAN, 0),
        (LEAKY, 1),
        (SHORT, 2),
        (LEAKY + "raise SystemExit(7)\n", 7),
        (CLEAN + "raise SystemExit(7)\n", 7),
    ],
)
def test_run_check_ends_with_the_programs_failure_first(run_tenure, tmp_path, source, code):
    assert run_checked(run_tenure, tmp_path, source).returncode == code


def test_run_check_knows_limits_and_files(run_tenure, tmp_path):
    within = run_checked(run_tenure, tmp_path, LEAKY, "--max-growth", "1MB/step")
    assert within.returncode == 0
    assert "within the limits: no leak above 977 KiB every step" in within.stderr
    options = ["--format", "junit", "--check-output", "result.xml"]
    assert run_checked(run_tenure, tmp_path, LEAKY, *options).returncode == 1
    assert ElementTree.parse(tmp_path / "result.xml").find(".//failure") is not None


def test_run_check_refuses_wrong_limits_before_the_program(run_tenure, tmp_path):
    done = run_checked(run_tenure, tmp_path, "print('ran')\n", "--max-peak", "much")
    assert (done.returncode, done.stdout) == (2, "")
    alone = run_tenure(["run", "--max-peak", "1MB", "--", sys.executable, "-c", "print('ran')"])
    assert (alone.returncode, alone.stdout) == (2, "")
    assert "--check" in alone.stderr


def test_run_check_inside_of_a_run_does_not_pass_unseen(run_tenure, tenure):
    inner = [tenure, "run", "--check", "--", sys.executable, "-c", "print('ran')"]
    done = run_tenure(["run", "--", *inner])
    assert (done.returncode, done.stdout) == (2, "")
    assert "give it to the outer one" in done.stderr
