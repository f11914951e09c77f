"""A dataset has what `analyze` computed, in types that every engine reads, and answers SQL."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fleet_job import BLOCK, LEAKING_RANK, STEPS, asked

TABLES = ["processes", "lines", "growth", "holders", "timeline", "findings"]


def test_the_leaking_line_of_the_leaking_rank_is_found(sql):
    worst = sql("leakiest-lines")[0]
    assert (worst["file"], worst["function"]) == ("rank.py", "load")
    assert worst["in_processes"] == 2  # one rank of each run
    assert worst["bytes"] >= BLOCK * STEPS
    rows = sql("SELECT DISTINCT rank FROM findings WHERE severity = 'leak'")
    assert [row["rank"] for row in rows] == [LEAKING_RANK]


def test_the_rank_that_differs_comes_first(sql):
    rows = sql("ranks-that-differ")
    assert (rows[0]["run"], rows[0]["rank"], rows[0]["ranks"]) == ("release-1", LEAKING_RANK, 4)


def test_what_grew_between_two_releases(sql):
    first = sql("growth-between-runs")[0]
    assert (first["file"], first["function"]) == ("rank.py", "load")
    assert first["more_bytes"] >= BLOCK * STEPS // 4


ASK_ALL = """\
import json, sys
sys.path.insert(0, sys.argv[1])
from tenure.fleet import _sql
print(json.dumps({name: len(_sql.answer(sys.argv[2], name)[1]) for name in _sql.cookbook()}))
"""


def test_every_query_of_the_cookbook_answers(root, dataset, fleet_python):
    command = [fleet_python, "-B", "-c", ASK_ALL, str(root / "python"), str(dataset)]
    rows = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert len(rows) == 10
    # whether a rank that does not grow was asked for a snapshot depends on the time it took
    assert not [name for name, count in rows.items() if not count and name != "biggest-holders"]


def test_figures_are_those_of_findings_json(sql, records):
    told = json.loads((records[1] / "findings.json").read_text(encoding="utf-8"))
    rows = sql("SELECT pid, peak_bytes, live_bytes, leaks FROM processes WHERE run = 'release-1'")
    names = ("pid", "peak_bytes", "live_bytes", "leaks")
    assert {tuple(row[name] for name in names) for row in rows} == {
        tuple(process[name] for name in names) for process in told["processes"]
    }
    considered = sql(
        "SELECT count(*) AS rows, sum(bytes) AS bytes FROM growth WHERE run = 'release-1'"
    )
    assert considered[0]["rows"] == len(told["considered"])
    assert considered[0]["bytes"] == sum(line["bytes"] for line in told["considered"])


def test_each_table_is_partitioned_and_has_no_unsigned_numbers(dataset, fleet_python):
    ask = (
        'import duckdb, sys, json; print(json.dumps(duckdb.sql("SELECT DISTINCT type, converted_type FROM '
        "parquet_schema('%s/**/*.parquet') WHERE type IS NOT NULL\" % sys.argv[1]).fetchall()))"
    )
    done = subprocess.run([fleet_python, "-c", ask, str(dataset)], capture_output=True, check=True)
    types = {(kind, converted) for kind, converted in json.loads(done.stdout)}
    assert {kind for kind, _ in types} <= {"INT64", "DOUBLE", "BYTE_ARRAY", "BOOLEAN"}
    assert not any("UINT" in (converted or "") for _, converted in types)
    for file in dataset.glob("*/**/*.parquet"):
        table, *partitions = file.relative_to(dataset).parts[:-1]
        assert table in TABLES
        assert [name.split("=")[0] for name in partitions] == ["run", "host", "process"]


def test_a_record_that_is_exported_again_replaces_its_rows(
    tenure, records, fleet_python, sql, tmp_path
):
    counts = []
    for _ in range(2):
        words = ["--parquet", tmp_path / "set", "--python", fleet_python]
        asked(tenure, "export", *words, *records)
        counts.append(
            sql("SELECT count(*) AS n, count(DISTINCT run) AS runs FROM timeline", tmp_path / "set")
        )
    assert counts[0] == counts[1]
    assert counts[0][0]["runs"] == 2
    assert not [path for path in (tmp_path / "set").iterdir() if path.name.startswith(".")]


def test_a_table_without_rows_still_has_its_columns(tenure, dataset, fleet_python, sql, tmp_path):
    shutil.copytree(dataset, tmp_path / "set")
    shutil.rmtree(tmp_path / "set" / "findings")
    assert sql("SELECT rank, bytes FROM findings", tmp_path / "set") == []
    table = asked(tenure, "sql", "leakiest-lines", tmp_path / "set", "--python", fleet_python)
    assert "(no rows)" in table.stdout


def test_a_host_that_looks_like_a_number_stays_a_text(tenure, dataset, fleet_python, sql, tmp_path):
    for folder in dataset.rglob("host=*"):
        target = tmp_path / "set" / folder.relative_to(dataset).parent / "host=1e3"
        shutil.copytree(folder, target, dirs_exist_ok=True)
    shutil.copy(dataset / "tenure-fleet.json", tmp_path / "set")
    assert sql("SELECT DISTINCT host FROM processes", tmp_path / "set") == [{"host": "1e3"}]


def test_csv_and_table_say_the_same(tenure, dataset, fleet_python):
    question = "SELECT rank, peak_bytes FROM processes WHERE rank IS NOT NULL ORDER BY run, rank"
    words = [question, dataset, "--python", fleet_python]
    rows = list(csv.reader(io.StringIO(asked(tenure, "sql", *words, "--format", "csv").stdout)))
    table = asked(tenure, "sql", *words).stdout.splitlines()
    assert rows[0] == ["rank", "peak_bytes"] == table[0].split()
    assert [row for row in rows[1:]] == [line.split() for line in table[2:-1]]
    assert table[-1] == "(8 rows)"


@pytest.mark.parametrize(
    "question, words",
    [
        ("SELECT nothing FROM processes", "not found"),
        ("SELEC 1", "syntax error"),
        ("DROP VIEW processes", "only one SELECT"),
        ("SELECT 1; SELECT 2", "only one SELECT"),
        ("COPY processes TO 'x.csv'", "only one SELECT"),
        ("SELECT * FROM read_text('/etc/hostname')", "disabled by configuration"),
        ("leakiest", "there is no query `leakiest`; there are biggest-holders"),
        (" ", "there is no question"),
    ],
)
def test_what_is_no_question_is_one_sentence(tenure, dataset, fleet_python, question, words):
    done = asked(tenure, "sql", question, dataset, "--python", fleet_python, code=2)
    assert words in done.stderr
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert done.stderr.startswith("tenure: ")


def test_no_dataset(tenure, fleet_python, tmp_path):
    done = asked(tenure, "sql", "SELECT 1", tmp_path, "--python", fleet_python, code=2)
    assert "is no dataset: make one with `tenure export --parquet" in done.stderr


def test_no_duckdb(tenure, dataset, records, tmp_path):
    """The environment of the tools has none."""
    for words in (
        ["sql", "SELECT 1", dataset],
        ["export", "--parquet", tmp_path / "set", records[0]],
    ):
        done = asked(tenure, *words, "--python", sys.executable, code=2)
        assert "-m pip install duckdb" in done.stderr
        assert done.stderr.count("\n") == 1
    assert not [path for path in (tmp_path / "set").iterdir() if path.name.startswith(".rows")]


def test_no_interpreter(tenure, dataset):
    done = asked(tenure, "sql", "SELECT 1", dataset, "--python", "absent-python", code=2)
    assert "there is no interpreter `absent-python`" in done.stderr


@pytest.mark.parametrize(
    "options, words",
    [
        (["--format", "parquet"], "name it with --parquet DIR"),
        (["--parquet", "set", "--format", "csv"], "leave --format and -o out"),
        (["--format", "csv", "again"], "only a dataset"),
    ],
)
def test_wrong_options_of_export_are_one_sentence(tenure, records, tmp_path, options, words):
    done = subprocess.run(
        [tenure, "export", str(records[0]), *options], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert words in done.stderr


def test_a_folder_with_other_files_is_left_alone(tenure, records, fleet_python, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    done = asked(
        tenure, "export", "--parquet", tmp_path, records[0], "--python", fleet_python, code=2
    )
    assert "is no dataset" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_record_that_cannot_be_read_is_told_and_the_others_are_written(
    tenure, records, fleet_python, sql, tmp_path
):
    words = ["--parquet", tmp_path / "set", "--python", fleet_python]
    done = asked(tenure, "export", *words, tmp_path / "absent", records[0], records[0], code=2)
    assert "absent is no record of Tenure" in done.stderr
    assert "is the same run as" in done.stderr
    assert sql("SELECT count(DISTINCT run) AS runs FROM processes", tmp_path / "set") == [
        {"runs": 1}
    ]


def test_the_documented_columns_are_those_of_the_schema(root: Path):
    sys.path.insert(0, str(root / "python" / "tenure" / "fleet"))
    import schema

    text = (root / "docs" / "fleet.md").read_text(encoding="utf-8")
    for table, columns in schema.TABLES.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{table}` |")]
        own = [name for name, _ in columns[len(schema.WHERE) :]]
        assert [part.strip() for part in row.split("|")[3].replace("`", "").split(",")] == own, (
            table
        )
