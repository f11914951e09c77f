"""The queries of the cookbook give Apache Spark the rows that they give DuckDB, text for text.

Needs Java 17 or newer, and the environment `spark` of tools/envs.lock.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Callable, Dict, List

import fleet_job
import pytest
from fleet_job import STEPS, asked

ON_SPARK = """\
import json, sys
from pyspark.sql import SparkSession
dataset, tables, queries = sys.argv[1], json.loads(sys.argv[2]), json.load(sys.stdin)
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1").config("spark.sql.shuffle.partitions", "4")
    .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false").getOrCreate()
)
for table in tables:
    spark.read.parquet(f"{dataset}/{table}").createOrReplaceTempView(table)
rows = {name: [row.asDict() for row in spark.sql(text).collect()] for name, text in queries.items()}
print("ROWS" + json.dumps(rows, default=float))
"""


@pytest.fixture(scope="module")
def dataset(
    tenure: str, env: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("spark")
    records = fleet_job.recorded(tenure, folder, [STEPS // 2, STEPS])
    for number, record in enumerate(records):
        words = [
            "--parquet",
            folder / "set",
            "--run",
            f"release-{number}",
            "--python",
            env("spark"),
        ]
        asked(tenure, "export", *words, record)
    return folder / "set"


def is_equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and math.isclose(one, other, rel_tol=1e-9)
    return bool(one == other)


def test_the_cookbook_has_equal_results(
    tenure: str, env: Callable[[str], str], root: Path, dataset: Path
) -> None:
    if not shutil.which("java"):
        pytest.skip("no java: install openjdk-17-jre-headless")
    python = env("spark")
    folder = root / "python" / "tenure" / "fleet" / "queries"
    queries = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.sql")}
    tables = [path.name for path in dataset.iterdir() if path.is_dir()]
    if "holders" not in tables:  # no snapshot was taken of these short runs
        queries.pop("biggest-holders")
    done = subprocess.run(
        [python, "-c", ON_SPARK, str(dataset), json.dumps(tables)],
        input=json.dumps(queries),
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "PYSPARK_PYTHON": python},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("ROWS")]
    on_spark: Dict[str, List[Dict[str, Any]]] = json.loads(line[len("ROWS") :])
    for name, text in queries.items():
        words = [text, dataset, "--format", "json", "--python", python]
        here = json.loads(asked(tenure, "sql", *words).stdout)
        there = on_spark[name]
        assert len(here) == len(there), name
        for one, other in zip(here, there):
            assert list(one) == list(other), name
            assert all(is_equal(one[key], other[key]) for key in one), (name, one, other)
