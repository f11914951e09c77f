"""`tenure sql`: one question in SQL to a dataset, answered by DuckDB as a table, CSV or JSON."""

import csv
import json
import os
import sys
import unicodedata

from ._engine import Refused, duckdb, named, quoted, words_of
from .schema import MARKER, PARTITIONS, TABLES, VERSION

HERE = os.path.dirname(os.path.abspath(__file__))
FORMATS = ["table", "csv", "json"]
WIDEST = 60  # columns of the terminal that one value of a table takes; CSV and JSON are whole


def cookbook():
    """{name: text} of the queries that come along."""
    folder = os.path.join(HERE, "queries")
    texts = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".sql"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                texts[name[: -len(".sql")]] = file.read()
    return texts


def question_of(asked):
    """SQL as it was typed, or that of the cookbook by its name."""
    if not asked.strip():
        raise Refused("there is no question: give SQL, or the name of a query: " + names_of_all())
    if asked.split() == [asked] and asked.replace("-", "").isalnum():
        texts = cookbook()
        if asked in texts:
            return texts[asked]
        raise Refused("there is no query `%s`; there are %s" % (asked, names_of_all()))
    return asked


def names_of_all():
    return ", ".join(cookbook())


def check_dataset(dataset):
    try:
        with open(os.path.join(dataset, MARKER), encoding="utf-8") as file:
            schema = json.load(file).get("schema")
    except (OSError, ValueError, AttributeError):
        raise Refused(
            "%s is no dataset: make one with `tenure export --parquet %s RECORD...`"
            % (dataset, dataset)
        )
    if schema != VERSION:
        raise Refused(
            "%s is a dataset of another version (%s); this Tenure reads %s: export the records again"
            % (dataset, schema, VERSION)
        )


def has_files(folder):
    return any(
        name.endswith(".parquet")
        for _, _, names in os.walk(folder, followlinks=True)
        for name in names
    )


def view_of(table, dataset):
    """A table without rows has columns, too."""
    columns = [(name, "VARCHAR") for name in PARTITIONS] + TABLES[table]
    chosen = ", ".join("CAST(%s AS %s) AS %s" % (named(n), t, named(n)) for n, t in columns)
    pattern = os.path.join(dataset, table, "**", "*.parquet")
    if has_files(os.path.join(dataset, table)):
        source = (
            "read_parquet(%s, hive_partitioning = true, hive_types_autocast = false, "
            "union_by_name = true)" % quoted(pattern)
        )
        return "CREATE VIEW %s AS SELECT %s FROM %s" % (named(table), chosen, source)
    empty = ", ".join("CAST(NULL AS %s) AS %s" % (t, named(n)) for n, t in columns)
    return "CREATE VIEW %s AS SELECT * FROM (SELECT %s) WHERE false" % (named(table), empty)


def lock(connection, dataset):
    """What was typed reads the dataset, and nothing else; no extension is fetched for it."""
    connection.execute("SET autoinstall_known_extensions = false")
    connection.execute("SET autoload_known_extensions = false")
    connection.execute("SET allowed_directories = [%s]" % quoted(os.path.join(dataset, "")))
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def check_is_question(engine, connection, text):
    statements = connection.extract_statements(text)
    if len(statements) != 1 or statements[0].type != engine.StatementType.SELECT:
        raise Refused("only one SELECT is answered, and nothing is changed")


def answer(dataset, asked):
    """(names of columns, rows). Raises Refused."""
    engine = duckdb()
    text = question_of(asked)
    check_dataset(dataset)
    dataset = os.path.abspath(dataset)
    with engine.connect(":memory:") as connection:
        for table in TABLES:
            connection.execute(view_of(table, dataset))
        lock(connection, dataset)
        try:
            check_is_question(engine, connection, text)
            result = connection.execute(text)
            return [column[0] for column in result.description], result.fetchall()
        except engine.Error as error:
            raise Refused("the SQL is not understood, or fails: " + words_of(error))


def plain(value):
    """What JSON has a word for."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return float(value) if type(value).__name__ == "Decimal" else str(value)


def shown(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(round(value, 3)) if isinstance(value, float) else str(value)
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"


def width_of(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text, width, is_right):
    space = " " * (width - width_of(text))
    return space + text if is_right else text + space


def write_table(names, rows, out):
    cells = [[shown(value) for value in row] for row in rows]
    is_number = [
        all(isinstance(row[i], (int, float, type(None))) for row in rows) for i in range(len(names))
    ]
    widths = [max(map(width_of, column)) for column in zip(names, *cells)]
    for row in [names, ["-" * width for width in widths], *cells]:
        line = "  ".join(
            padded(text, width, right) for text, width, right in zip(row, widths, is_number)
        )
        out.write(line.rstrip() + "\n")
    out.write("(%s)\n" % ("1 row" if len(rows) == 1 else "%s rows" % (len(rows) or "no")))


def write_csv(names, rows, out):
    writer = csv.writer(out)
    writer.writerow(names)
    writer.writerows(rows)


def write_json(names, rows, out):
    json.dump([dict(zip(names, map(plain, row))) for row in rows], out, indent=1)
    out.write("\n")


def main(asked, dataset, form):
    if form not in FORMATS:
        raise Refused("there is no format `%s`; there are %s" % (form, ", ".join(FORMATS)))
    names, rows = answer(dataset, asked)
    {"table": write_table, "csv": write_csv, "json": write_json}[form](names, rows, sys.stdout)
    sys.stdout.flush()
