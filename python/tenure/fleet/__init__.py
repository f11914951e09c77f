"""Records of many processes and hosts as tables: written as Parquet, asked in SQL. docs/fleet.md tells of it.

Started by `tenure export --format parquet` and `tenure sql`. Needs DuckDB: `pip install duckdb`, or the extra `tenure[fleet]`.
"""
