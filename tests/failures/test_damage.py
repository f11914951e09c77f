"""A record that is damaged, foreign or newer is told in one sentence; nothing ever crashes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Tuple

import pytest

from .packing import changed_header, found_packer


@pytest.fixture
def copy(good_record: Path, tmp_path: Path) -> Tuple[Path, Path]:
    """A record to be damaged, and its one ledger."""
    record = tmp_path / "copy.tenure"
    shutil.copytree(good_record, record)
    (ledger,) = record.glob("ledger.*")
    return record, ledger


@pytest.fixture
def show(tenure: str) -> Callable[[Path], subprocess.CompletedProcess]:
    def run(record: Path) -> subprocess.CompletedProcess:
        command = [tenure, "show", str(record)]
        return subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=60
        )

    return run


def sentence_of(done: subprocess.CompletedProcess) -> str:
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("tenure: ")
    assert done.stderr.count("\n") == 1
    return str(done.stderr)


def test_the_good_record_is_good(show, good_record):
    done = show(good_record)
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.parametrize("length", [0, 1, 7, 8, 39, 40, 41, 500, -1])
def test_a_ledger_cut_short(show, copy, length):
    record, ledger = copy
    ledger.write_bytes(ledger.read_bytes()[:length])
    assert "is damaged" in sentence_of(show(record))


def test_a_ledger_with_something_behind_it(show, copy):
    record, ledger = copy
    ledger.write_bytes(ledger.read_bytes() + b"\0")
    assert "is damaged" in sentence_of(show(record))


@pytest.mark.parametrize("at", [16, 24, 31, 32, 39, 40, 60, 300, 1000])
def test_a_flipped_bit(show, copy, at):
    record, ledger = copy
    data = bytearray(ledger.read_bytes())
    data[at] ^= 0x10
    ledger.write_bytes(data)
    assert "is damaged" in sentence_of(show(record))


def test_a_file_that_is_no_ledger(show, copy):
    record, ledger = copy
    ledger.write_bytes(b"something else altogether, and long enough for a header of a file")
    assert "is not a ledger of Tenure" in sentence_of(show(record))


def test_a_ledger_of_a_newer_version(show, copy):
    record, ledger = copy
    ledger.write_bytes(changed_header(ledger.read_bytes(), version=999))
    assert "format 999" in sentence_of(show(record))


def test_a_ledger_of_another_machine(show, copy):
    record, ledger = copy
    ledger.write_bytes(changed_header(ledger.read_bytes(), architecture=243))
    assert "another kind of machine" in sentence_of(show(record))


def test_a_record_of_a_newer_version(show, copy):
    record, _ = copy
    (record / "run.json").write_text(json.dumps({"schema": "tenure-run/3", "tenure": "9.0"}))
    assert "was recorded by Tenure 9.0 in the format tenure-run/3" in sentence_of(show(record))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "5", '{"schema": 5}', '{"schema": "tenure-run/2", "main_pid": "x"}']
)
def test_the_ledger_tells_without_the_list_of_processes(show, copy, text):
    record, _ = copy
    (record / "run.json").write_text(text)
    done = show(record)
    assert done.returncode == 0
    assert "run.json is damaged" in " ".join(done.stdout.split())


def test_the_ledger_tells_where_the_list_is_missing(show, copy):
    record, _ = copy
    (record / "run.json").unlink()
    assert show(record).returncode == 0


def test_nothing_is_left(show, copy):
    record, ledger = copy
    ledger.unlink()
    (record / "run.json").unlink()
    assert "is no record of Tenure" in sentence_of(show(record))


@pytest.mark.parametrize("name", ["no-such-record", "/dev/null", "x" * 5000, ""])
def test_a_name_that_is_no_record(show, name):
    assert "is no record of Tenure" in sentence_of(show(Path(name) if name else "./"))


@pytest.mark.parametrize("length", [0, 1, 39, 40, 41, 300, -1])
def test_a_snapshot_cut_short(show, copy, length):
    record, _ = copy
    snapshot = min(record.glob("snapshot.*"))
    snapshot.write_bytes(snapshot.read_bytes()[:length])
    told_without(show(record), snapshot)


@pytest.mark.parametrize("at", [0, 8, 16, 24, 32, 40, 60, 200])
def test_a_flipped_bit_in_a_snapshot(show, copy, at):
    record, _ = copy
    snapshot = min(record.glob("snapshot.*"))
    data = bytearray(snapshot.read_bytes())
    data[at] ^= 0x10
    snapshot.write_bytes(data)
    told_without(show(record), snapshot)


def test_a_snapshot_that_is_gone(show, copy):
    record, _ = copy
    snapshot = min(record.glob("snapshot.*"))
    snapshot.unlink()
    told_without(show(record), snapshot)


def told_without(done: subprocess.CompletedProcess, file: Path) -> None:
    """What the ledger knows is told all the same, and what could not be read as well."""
    assert done.returncode == 0, done.stderr
    assert "LEAK" in done.stdout
    assert file.name in done.stdout


@pytest.mark.parametrize("name", ["/dev/zero", "../copy.tenure/ledger.1", "/etc/passwd"])
@pytest.mark.parametrize("key", ["ledger", "snapshots"])
def test_a_list_that_leads_out_of_the_record(show, copy, key, name):
    record, _ = copy
    run = json.loads((record / "run.json").read_text())
    run["processes"][0][key] = name if key == "ledger" else [name]
    (record / "run.json").write_text(json.dumps(run))
    done = show(record)
    assert done.returncode == 0
    assert "run.json is damaged" in " ".join(done.stdout.split())


@pytest.mark.parametrize("key", ["exit_code", "main_pid", "resident_peak", "seconds"])
@pytest.mark.parametrize("number", [1e308, -2.5])
def test_a_list_with_numbers_that_cannot_be(show, copy, key, number):
    record, _ = copy
    run = json.loads((record / "run.json").read_text())
    run[key] = number
    (record / "run.json").write_text(json.dumps(run))
    done = show(record)
    assert done.returncode == 0
    assert "run.json is damaged" in " ".join(done.stdout.split())


def corrupted(data: bytes, dice: random.Random) -> bytes:
    """One of the ways in which bytes go wrong."""
    bad, how = bytearray(data), dice.randrange(5)
    at = dice.randrange(len(bad))
    if how == 0:
        bad[at] ^= 1 << dice.randrange(8)
    elif how == 1:
        for _ in range(dice.randrange(1, 200)):
            bad[dice.randrange(len(bad))] = dice.randrange(256)
    elif how == 2:
        del bad[at:]
    elif how == 3:
        bad[at : at + 64] = b"\xff" * len(bad[at : at + 64])
    else:
        bad[at : at + 4096] = bad[: len(bad[at : at + 4096])]
    return bytes(bad)


def never_crashes(done: subprocess.CompletedProcess) -> None:
    assert done.returncode in (0, 2), done.stderr
    if done.returncode == 2:
        sentence_of(done)


def test_200_random_corruptions_of_the_file(show, copy):
    record, ledger = copy
    good, dice = ledger.read_bytes(), random.Random(1)
    for _ in range(200):
        ledger.write_bytes(corrupted(good, dice))
        never_crashes(show(record))


def test_100_random_corruptions_behind_a_fitting_checksum(show, copy):
    packer = found_packer()
    record, ledger = copy
    good, dice = ledger.read_bytes(), random.Random(2)
    raw = packer.unpack(good)
    assert show_is_same(show, record, ledger, packer.pack(good, raw))
    for _ in range(100):
        ledger.write_bytes(packer.pack(good, corrupted(raw, dice)))
        never_crashes(show(record))


def show_is_same(show, record: Path, ledger: Path, data: bytes) -> bool:
    before = show(record).stdout
    ledger.write_bytes(data)
    return bool(show(record).stdout == before)
