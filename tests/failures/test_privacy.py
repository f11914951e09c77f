"""A record is for its owner alone, and is not written through somebody's links."""

from __future__ import annotations

import stat
import sys


def test_only_the_owner_may_read_a_record(run_tenure, tmp_path):
    program = ["--", sys.executable, "-c", "kept = bytearray(5_000_000)"]
    for options in ([], ["-o", str(tmp_path / "named")]):
        run_tenure(["run", *options, *program])
    records = [path.parent for path in tmp_path.glob("*/ledger.*")]
    assert len(records) == 2
    for record in records:
        assert stat.S_IMODE(record.stat().st_mode) == 0o700
        for ledger in record.glob("ledger.*"):
            assert stat.S_IMODE(ledger.stat().st_mode) == 0o600


def test_a_link_in_the_way_is_not_followed(run_tenure, tmp_path):
    """The program puts it where the next image of its own ledger will be written."""
    victim, record = tmp_path / "victim", tmp_path / "record"
    victim.write_text("untouched")
    script = f"""
import os
os.symlink({str(victim)!r}, os.path.join({str(record)!r}, "ledger.%d.new" % os.getpid()))
kept = bytearray(5_000_000)
"""
    outcome = run_tenure(["run", "-o", str(record), "--", sys.executable, "-c", script])
    assert outcome.returncode == 0, outcome.stderr
    assert victim.read_text() == "untouched"
    assert list(record.glob("ledger.*"))
