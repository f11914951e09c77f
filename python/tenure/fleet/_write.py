"""Rows as `tenure export` hands them on become Parquet files of a dataset.

TABLE/run=R/host=H/process=P/RECORD.parquet. A file is written elsewhere in the dataset and renamed into its place, so that readers see
it whole or not at all; names that begin with a dot are no part of a dataset for any engine.
"""

import json
import os
import shutil

from ._engine import Refused, duckdb, named, quoted, words_of
from .schema import MARKER, PARTITIONS, TABLES, VERSION


def columns_of(table):
    return [(name, "VARCHAR") for name in PARTITIONS] + TABLES[table]


def check_columns(path, table):
    """The program and this package may be of different versions: then columns would be lost without a word."""
    with open(path, encoding="utf-8") as file:
        line = file.readline()
    expected, there = [name for name, _ in columns_of(table)], list(json.loads(line))
    if there != expected:
        raise Refused(
            "the program `tenure` and its Python package are of different versions: table %s has "
            "other columns; install both together" % table
        )


def write_table(connection, source, table, record, staging):
    names = "{%s}" % ", ".join("%s: %s" % (quoted(n), quoted(t)) for n, t in columns_of(table))
    read = "read_json(%s, format = 'newline_delimited', columns = %s, maximum_object_size = %d)"
    text = (
        "COPY (SELECT * FROM %s) TO %s (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (%s), FILENAME_PATTERN %s)"
        % (
            read % (quoted(source), names, 64 << 20),
            quoted(staging),
            ", ".join(named(name) for name in PARTITIONS),
            quoted(record),
        )
    )
    connection.execute(text)


def files_below(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(place, name), folder)


def files_of_records(dataset):
    """{(table, record): [path]} of earlier exports: what a record no longer has must not stay."""
    found = {}
    for table in TABLES:
        for name in files_below(os.path.join(dataset, table)):
            record, ending = os.path.splitext(os.path.basename(name))
            if ending == ".parquet":
                path = os.path.join(dataset, table, name)
                found.setdefault((table, record), []).append(path)
    return found


def publish(staging, dataset, table, record):
    """Into the dataset, each under the name of its record: how engines number what they write is their own business."""
    target = os.path.join(dataset, table)
    for name in files_below(staging):
        folder = os.path.join(target, os.path.dirname(name))
        os.makedirs(folder, exist_ok=True)
        os.replace(os.path.join(staging, name), os.path.join(folder, record + ".parquet"))


def check_dataset(dataset):
    marker = os.path.join(dataset, MARKER)
    if os.path.exists(marker):
        with open(marker, encoding="utf-8") as file:
            schema = json.load(file).get("schema")
        if schema != VERSION:
            raise Refused(
                "%s is a dataset of another version (%s); this Tenure writes %s: name a new folder"
                % (dataset, schema, VERSION)
            )
        return
    if [name for name in os.listdir(dataset) if not name.startswith(".")]:
        raise Refused("%s has other files in it and is no dataset: name a new folder" % dataset)
    scratch = os.path.join(dataset, ".%s.%d" % (MARKER, os.getpid()))
    with open(scratch, "w", encoding="utf-8") as file:
        json.dump({"schema": VERSION}, file)
        file.write("\n")
    os.replace(scratch, marker)


def write_record(connection, folder, dataset, earlier):
    """`folder`: named after the record, with a file for each table that has rows."""
    record = os.path.basename(folder)
    for table in TABLES:
        source = os.path.join(folder, table + ".ndjson")
        staging = os.path.join(folder, table)
        if os.path.exists(source):
            check_columns(source, table)
            write_table(connection, source, table, record, staging)
        for path in earlier.get((table, record), []):
            os.remove(path)
        if os.path.isdir(staging):
            publish(staging, dataset, table, record)


def write(dataset, rows):
    """Every record whose rows are in a folder below `rows`."""
    engine = duckdb()
    check_dataset(dataset)
    earlier = files_of_records(dataset)
    with engine.connect(":memory:") as connection:
        connection.execute("SET threads = 2; SET preserve_insertion_order = true")
        for name in sorted(os.listdir(rows)):
            folder = os.path.join(rows, name)
            try:
                write_record(connection, folder, dataset, earlier)
            except engine.Error as error:
                raise Refused("cannot write into %s: %s" % (dataset, words_of(error)))
            shutil.rmtree(folder, ignore_errors=True)


def main(dataset, rows):
    try:
        write(dataset, rows)
    except OSError as error:
        raise Refused("cannot write into %s: %s" % (dataset, error.strerror))
