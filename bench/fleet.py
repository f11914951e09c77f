#!/usr/bin/env python3
"""What a dataset of many ranks costs: bytes per rank, seconds per query, on a fleet made from the records of a real job.

usage: fleet.py [--ranks 1000] [--hosts 125] [--keep FOLDER]

Records a job of four ranks under Tenure, exports it, and multiplies its rows: each rank gets a number, a host and sizes of its own
(up to 10 % off). The queries are those of the cookbook, each asked by `tenure sql` in a process of its own, three times; the
middle one counts.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import envs  # noqa: E402
import fleet_job  # noqa: E402

TENURE = ROOT / "build" / "bin" / "tenure"
RANKS_OF_JOB = 4
ROUNDS = 3

MULTIPLY = """\
import pathlib, sys, duckdb
source, target, ranks, hosts = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for folder in sorted(pathlib.Path(source).iterdir()):
    if not folder.is_dir():
        continue
    read = f"read_parquet('{folder}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)"
    columns = duckdb.sql(f"DESCRIBE SELECT * FROM {read}").fetchall()
    bytes_of = [n for n, t, *_ in columns if t == "BIGINT" and n.endswith("bytes") and n != "machine_bytes"]
    scaled = ", ".join(f"CAST({n} * (0.95 + 0.1 * ((copy * 7919) % 1000) / 1000) AS BIGINT) AS {n}" for n in bytes_of)
    times = ranks // 4
    (pathlib.Path(target) / folder.name).mkdir(parents=True)
    duckdb.sql(f"COPY (SELECT * REPLACE ('node' || lpad(CAST((copy * 4 + rank) % {hosts} AS VARCHAR), 4, '0') AS host, "
               f"CAST(1000 + copy * 4 + rank AS VARCHAR) AS process, copy * 4 + rank AS rank{', ' if scaled else ''}{scaled}) "
               f"FROM {read}, (SELECT unnest(range({times})) AS copy) WHERE rank IS NOT NULL) "
               f"TO '{target}/{folder.name}' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (run, host, process), OVERWRITE_OR_IGNORE)")
"""


def ask(python: str, *words: str) -> str:
    command = [str(TENURE), *words, "--python", python]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def seconds_of(python: str, query: str, dataset: Path) -> float:
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        ask(python, "sql", query, str(dataset))
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def make_fleet(folder: Path, python: str, ranks: int, hosts: int) -> Path:
    records = fleet_job.recorded(str(TENURE), folder, [fleet_job.STEPS // 2, fleet_job.STEPS])
    job, fleet = folder / "job", folder / "fleet"
    began = time.perf_counter()
    for number, record in enumerate(records):
        ask(python, "export", "--parquet", str(job), "--run", f"release-{number}", str(record))
    exported = time.perf_counter() - began
    print(f"export of {len(records)} records: {exported / len(records):.2f} s each")
    words = [str(job), str(fleet), str(ranks), str(hosts)]
    subprocess.run([python, "-c", MULTIPLY, *words], check=True)
    shutil.copy(job / "tenure-fleet.json", fleet)
    return fleet


def main() -> int:
    parser = argparse.ArgumentParser(description="What a dataset of many ranks costs.")
    parser.add_argument("--ranks", type=int, default=1000)
    parser.add_argument("--hosts", type=int, default=125)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    python = envs.path("fleet")
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        fleet = make_fleet(folder, python, options.ranks, options.hosts)
        files = [path for path in fleet.rglob("*.parquet")]
        size = sum(path.stat().st_size for path in files)
        runs = 2
        print(f"{options.ranks} ranks on {options.hosts} hosts, {runs} runs: {len(files)} files")
        print(f"{size / (runs * options.ranks):.0f} bytes for each rank of a run")
        for query in sorted((ROOT / "python" / "tenure" / "fleet" / "queries").glob("*.sql")):
            print(f"{query.stem:24} {seconds_of(python, query.stem, fleet):6.2f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
