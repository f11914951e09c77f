"""A record is for its owner alone, and is not written through somebody's links."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from .packing import found_packer


def test_only_the_owner_may_read_a_record(run_tenure, tmp_path):
    program = ["--", sys.executable, "-c", "kept = bytearray(5_000_000)"]
    for options in ([], ["-o", str(tmp_path / "named")]):
        run_tenure(["run", *options, *program])
    records = [path.parent for path in tmp_path.glob("*/ledger.*")]
    assert len(records) == 2
    for record in records:
        assert stat.S_IMODE(record.stat().st_mode) == 0o700
        files = {path.name: stat.S_IMODE(path.stat().st_mode) for path in record.iterdir()}
        assert {"run.json", "findings.json"} < set(files)
        assert set(files.values()) == {0o600}, files


@pytest.mark.parametrize(
    "name", ["ledger.%d", "ledger.%d.new", "run.json", "run.json.new", "findings.json"]
)
def test_a_link_in_the_way_is_not_followed(run_tenure, tmp_path, name):
    """The program puts it where a file of its own record will be written next."""
    victim, record = tmp_path / "victim", tmp_path / "record"
    victim.write_text("untouched")
    script = f"""
import os
name = {name!r}
place = os.path.join({str(record)!r}, name % os.getpid() if "%" in name else name)
if os.path.lexists(place):
    os.unlink(place)
os.symlink({str(victim)!r}, place)
kept = bytearray(5_000_000)
"""
    outcome = run_tenure(["run", "-o", str(record), "--", sys.executable, "-c", script])
    assert outcome.returncode == 0, outcome.stderr
    assert victim.read_text() == "untouched"
    for path in record.iterdir():
        assert not path.is_symlink(), path
    assert run_tenure(["show", str(record)]).returncode == 0


def test_a_record_among_temporary_files_has_a_name_that_nobody_can_guess(tenure, tmp_path):
    """The folder is not there any more, so that the record must go to where all users write."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    script = f"cd gone && rmdir ../gone && {tenure} run /bin/true"
    for _ in range(3):
        (tmp_path / "gone").mkdir()
        environ = {**os.environ, "TMPDIR": str(shared)}
        subprocess.run(["/bin/sh", "-c", script], cwd=tmp_path, env=environ, check=True)
    names = [path.name for path in shared.iterdir()]
    assert len(names) == 3
    assert all(re.fullmatch(r"tenure-[A-Za-z0-9]{6}", name) for name in names), names


def everything_in(record: Path) -> bytes:
    """All files of the record, unpacked."""
    packer, parts = found_packer(), []
    for path in record.iterdir():
        data = path.read_bytes()
        parts.append(
            packer.unpack(data) if path.name.startswith(("ledger.", "snapshot.")) else data
        )
    return b"".join(parts)


def test_what_blocks_texts_and_variables_contain_is_not_stored(run_tenure, tmp_path):
    secret, record, program = "correct-horse-staple", tmp_path / "record", tmp_path / "program.py"
    program.write_text(
        """
import os, tenure
secret = os.environ["SECRET"]
held = [(secret * 2000).encode() for _ in range(200)]
texts = {i: secret + str(i) for i in range(2000)}
big = bytearray((secret * 300_000).encode())
tenure.snapshot()
"""
    )
    command = ["run", "-o", str(record), "--", sys.executable, str(program)]
    outcome = run_tenure(command, environ={"SECRET": secret})
    assert outcome.returncode == 0, outcome.stderr
    stored = everything_in(record)
    assert b"program.py" in stored and b"texts" in stored
    assert secret.encode() not in stored


def test_nobody_talks_to_a_network(tenure, tmp_path):
    """Neither the supervisor nor what it puts into the program opens any socket but those of this machine."""
    if not shutil.which("strace"):
        pytest.skip("no strace here")
    trace = tmp_path / "trace"
    strace = ["strace", "-f", "-o", str(trace), "-e", "trace=socket,socketpair"]
    run = [
        tenure,
        "run",
        "-o",
        str(tmp_path / "r"),
        "--",
        sys.executable,
        "-c",
        "bytearray(9 << 20)",
    ]
    done = subprocess.run([*strace, *run], capture_output=True, text=True)
    if not trace.exists() or "exited with 0" not in trace.read_text():
        pytest.skip(f"nothing can be traced here: {done.stderr}")
    families = set(re.findall(r"socket(?:pair)?\((\w+),", trace.read_text()))
    assert families == {"AF_UNIX"}
