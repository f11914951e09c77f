"""DuckDB, or one sentence that says how to get it."""

import sys


class Refused(Exception):
    """Why something cannot be done, as a sentence for people."""


def duckdb():
    try:
        import duckdb as engine
    except ImportError as error:
        if getattr(error, "name", None) not in (None, "duckdb"):
            raise Refused("DuckDB cannot be loaded by %s: %s" % (sys.executable, error))
        raise Refused(
            "this needs DuckDB, which %s has not: %s -m pip install duckdb (or 'tenure[fleet]' "
            "where Tenure came as a wheel), or name another interpreter with --python"
            % (sys.executable, sys.executable)
        )
    return engine


def words_of(error):
    """DuckDB's message on one line, without its kind and its drawing of the place."""
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    kept = []
    for line in lines:
        if line.startswith(("LINE ", "^")):
            break
        kept.append(line)
    return " ".join(kept or ["no reason was given"])


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def named(name):
    return '"' + name.replace('"', '""') + '"'
