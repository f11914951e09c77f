"""`tenure diff` on real programs: before and after a fix, and two releases of one program."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Dict

import jsonschema

from .conftest import ANOTHER, CLEAN, LEAKY, MOVED, SHORT, WORSE

DOCS = Path(__file__).resolve().parents[2] / "docs"


def told(run_tenure, before: str, after: str) -> str:
    done = run_tenure(["diff", before, after])
    assert done.returncode == 0, done.stderr
    return done.stdout


def document_of(run_tenure, before: str, after: str) -> Dict[str, Any]:
    done = run_tenure(["diff", before, after, "--json", "-"])
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def changes(document: Dict[str, Any]) -> list:
    return [change["change"] for change in document["findings"]]


def test_a_fix_is_told_first(run_tenure, recorded):
    text = told(run_tenure, recorded(LEAKY), recorded(CLEAN))
    assert text.startswith("tenure: fixed: 97.7 KiB every step, gone; it was made at program.py:5")
    assert "19.1 MiB, gone" in text


def test_a_leak_that_came_is_told_first(run_tenure, recorded):
    text = told(run_tenure, recorded(CLEAN), recorded(LEAKY))
    assert text.startswith("tenure: new leak: 97.7 KiB every step, made at program.py:5 in work()")


def test_moved_lines_and_renamed_files_are_the_same_leak(run_tenure, recorded):
    for after in (recorded(MOVED), recorded(LEAKY, "renamed.py")):
        document = document_of(run_tenure, recorded(LEAKY), after)
        assert changes(document) == ["same"]
        assert not [line for line in document["lines"] if "kept.append" in str(line)]


def test_a_second_leak_and_a_faster_one(run_tenure, recorded):
    another = document_of(run_tenure, recorded(LEAKY), recorded(ANOTHER))
    assert changes(another) == ["new", "same"]
    assert another["findings"][0]["after"]["where"][0]["function"] == "grow"
    assert changes(document_of(run_tenure, recorded(LEAKY), recorded(WORSE))) == ["worse"]
    assert changes(document_of(run_tenure, recorded(WORSE), recorded(LEAKY))) == ["better"]


def test_a_run_that_cannot_tell_has_fixed_nothing(run_tenure, recorded):
    found = changes(document_of(run_tenure, recorded(LEAKY), recorded(SHORT)))
    assert "unclear" in found
    assert "gone" not in found
    assert "fixed" not in told(run_tenure, recorded(LEAKY), recorded(SHORT))


def test_nothing_in_either(run_tenure, recorded):
    text = told(run_tenure, recorded(CLEAN), recorded(CLEAN))
    assert text.startswith("tenure: no leak and no lifetime error in either run.")


def test_json_keeps_to_its_schema(run_tenure, recorded):
    schema = json.loads((DOCS / "diff.schema.json").read_text(encoding="utf-8"))
    findings = json.loads((DOCS / "findings.schema.json").read_text(encoding="utf-8"))
    schema["$defs"].update(findings["$defs"])
    schema["$defs"]["finding"]["additionalProperties"] = False
    for pair in ((LEAKY, CLEAN), (CLEAN, ANOTHER), (LEAKY, SHORT)):
        jsonschema.validate(document_of(run_tenure, *map(recorded, pair)), schema)


def test_no_record(run_tenure, recorded, tmp_path):
    for pair in (("absent", recorded(CLEAN)), (recorded(CLEAN), "absent")):
        done = run_tenure(["diff", *pair])
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
    assert run_tenure(["diff", recorded(CLEAN)]).returncode == 2
    damaged = tmp_path / "damaged"
    shutil.copytree(recorded(CLEAN), damaged)
    for ledger in damaged.glob("ledger.*"):
        ledger.write_bytes(b"nothing")
    assert run_tenure(["diff", recorded(CLEAN), str(damaged)]).returncode == 2
