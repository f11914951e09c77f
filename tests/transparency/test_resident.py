"""Every byte of resident memory is in one part of the report, and the parts add up."""

from __future__ import annotations

import json
import subprocess

import pytest

PARTS = ["tracked_live", "other_live", "allocator_retention", "code_and_stacks", "file_pages"]
PARTS += ["own", "unknown"]


@pytest.mark.parametrize("options", [[], ["--observe"]], ids=["own heap", "observed"])
@pytest.mark.parametrize("way", ["arrays", "lazy zeros", "objects", "bytes", "freed"])
def test_parts_add_up_to_what_the_program_sees(tenure, env, programs, tmp_path, way, options):
    findings = tmp_path / "findings.json"
    run = [tenure, "run", "--quiet", "-o", str(tmp_path / "r"), "--json", str(findings), *options]
    command = [
        *run,
        "--",
        env("numpy"),
        str(programs / "resident.py"),
        way,
        str(tmp_path / "r" / "run.json"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    parts = json.loads(findings.read_text())["memory"]["parts"]
    total = sum(parts[f"{part}_bytes"] for part in PARTS)
    seen = int(done.stdout)
    assert abs(total - seen) <= 0.02 * seen
    assert total == parts["resident_bytes"]
    assert parts["unknown_bytes"] <= 0.1 * seen, parts
