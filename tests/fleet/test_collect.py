"""Records from shared storage come together once each, whole, and nothing is changed where they were."""

from __future__ import annotations

import json
import os
import platform
import shutil
from pathlib import Path
from typing import Any, Dict

import pytest
from fleet_job import asked


def state_of(folder: Path) -> Dict[str, Any]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def storage(records, tmp_path: Path) -> Path:
    """Two records of this host, one of another."""
    folder = tmp_path / "storage"
    for number, record in enumerate(records):
        shutil.copytree(record, folder / f"jobs/{number}/{record.name}")
    other = folder / "node7" / "job.tenure"
    shutil.copytree(records[0], other)
    placement = json.loads((other / "placement.json").read_text())
    (other / "placement.json").write_text(json.dumps({**placement, "host": "../node7"}))
    return folder


def test_each_record_comes_once_and_the_source_stays(tenure, storage, records, tmp_path):
    before = state_of(storage)
    shutil.copytree(storage / "jobs/0", storage / "backup")
    done = asked(tenure, "collect", storage, tmp_path / "all")
    assert (
        done.stdout == "3 records: 3 copied, 0 brought up to date, 0 there already; 1 found twice\n"
    )
    shutil.rmtree(storage / "backup")
    assert state_of(storage) == before
    found = sorted(path.parent for path in (tmp_path / "all").rglob("run.json"))
    assert len(found) == 3
    # What a host calls itself is no path.
    assert {path.parent.name for path in found} == {"_._node7", platform.node().replace(" ", "_")}
    assert all(path.parent.parent == tmp_path / "all" for path in found)
    (same,) = [path for path in found if path.name.startswith("job1")]
    assert asked(tenure, "show", same).stdout == asked(tenure, "show", records[1]).stdout


def test_it_goes_on_where_it_was_interrupted(tenure, storage, tmp_path):
    asked(tenure, "collect", storage, tmp_path / "all")
    whole = state_of(tmp_path / "all")
    record = next((tmp_path / "all").rglob("run.json")).parent
    partial = record.parent / f".{record.name}.partial"
    record.rename(partial)
    ledger = next(partial.glob("ledger.*"))
    untouched = (partial / "run.json").stat().st_ino
    (partial / (ledger.name + ".part")).write_bytes(ledger.read_bytes()[:100])
    ledger.unlink()
    done = asked(tenure, "collect", storage, tmp_path / "all")
    assert "1 copied, 0 brought up to date, 2 there already" in done.stdout
    assert state_of(tmp_path / "all") == whole
    assert (record / "run.json").stat().st_ino == untouched


def test_a_record_that_went_on_is_brought_up_to_date(tenure, storage, tmp_path):
    run = storage / "jobs/0/job0.tenure/run.json"
    whole = json.loads(run.read_text())
    run.write_text(json.dumps({**whole, "has_ended": False, "seconds": whole["seconds"] / 2}))
    done = asked(tenure, "collect", storage, tmp_path / "all")
    assert "1 without an end" in done.stdout
    run.write_text(json.dumps(whole))
    done = asked(tenure, "collect", storage, tmp_path / "all")
    assert "0 copied, 1 brought up to date, 2 there already" in done.stdout
    run.write_text(json.dumps({**whole, "has_ended": False}))  # an older copy does not undo it
    done = asked(tenure, "collect", storage, tmp_path / "all")
    assert "0 brought up to date, 3 there already" in done.stdout


def test_half_files_are_told_and_the_rest_is_there(tenure, storage, tmp_path):
    ledger = next((storage / "jobs/1/job1.tenure").glob("ledger.*"))
    ledger.write_bytes(ledger.read_bytes()[: ledger.stat().st_size // 2])
    (storage / "broken.tenure").mkdir()
    (storage / "broken.tenure" / "run.json").write_text('{"schema": "tenure-r')
    done = asked(tenure, "collect", storage, tmp_path / "all", code=2)
    assert "broken.tenure/run.json is damaged; it is left out" in done.stderr
    assert "is not whole" in done.stderr
    assert done.stdout.startswith("3 records: 3 copied")


def test_a_clock_that_is_ahead_is_told(tenure, storage, tmp_path):
    run = storage / "node7/job.tenure/run.json"
    ended = json.loads(run.read_text())
    at = ended["started_ns"] / 1e9 + ended["seconds"] - 90
    os.utime(run, (at, at))
    done = asked(tenure, "collect", storage, tmp_path / "all")
    assert "the clock of ../node7 is " in done.stderr
    assert done.stderr.count("clock") == 1


@pytest.mark.parametrize(
    "words, told",
    [
        (["absent", "all"], "absent is no folder"),
        (["empty", "all"], "empty has no record in it"),
        (["all"], "collect SRC... DEST"),
    ],
)
def test_nothing_to_collect_is_one_sentence(tenure, tmp_path, monkeypatch, words, told):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    done = asked(tenure, "collect", *words, code=2)
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
