"""The tables of a dataset. docs/fleet.md says what the columns mean; src/report/formats/fleet_rows.cpp fills them.

Whole numbers are 64 bits with a sign, which every engine reads as such. `run`, `host` and `process` are the names of folders and
always texts, whatever they look like.
"""

PARTITIONS = ["run", "host", "process"]
MARKER = "tenure-fleet.json"  # in the dataset's folder
VERSION = "tenure-fleet/1"

INT, REAL, TEXT, FLAG = "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN"

WHERE = [("record", TEXT), ("pid", INT), ("rank", INT)]
PLACE = [("file", TEXT), ("line", INT), ("function", TEXT)]

TABLES = {
    "processes": [
        *WHERE,
        ("parent_pid", INT),
        ("is_main", FLAG),
        ("command", TEXT),
        ("began_ns", INT),
        ("ended_ns", INT),
        ("seconds", REAL),
        ("steps", INT),
        ("per", TEXT),
        ("peak_bytes", INT),
        ("live_bytes", INT),
        ("resident_peak_bytes", INT),
        ("leaks", FLAG),
        ("verdict", TEXT),
        ("exit_code", INT),
        ("signal", INT),
        ("machine_bytes", INT),
        ("available_bytes", INT),
        ("tenure", TEXT),
    ],
    "lines": [
        *WHERE,
        *PLACE,
        ("kind", TEXT),
        ("role", TEXT),
        ("op", TEXT),
        ("came_to", TEXT),
        ("peak_bytes", INT),
        ("peak_count", INT),
        ("live_bytes", INT),
        ("live_count", INT),
        ("total_bytes", INT),
        ("total_count", INT),
    ],
    "growth": [
        *WHERE,
        *PLACE,
        ("came_to", TEXT),
        ("rule", TEXT),
        ("holder", TEXT),
        ("bytes", INT),
        ("count", INT),
        ("most_bytes", INT),
        ("bytes_per_step", REAL),
        ("steps", INT),
        ("per", TEXT),
    ],
    "holders": [
        *WHERE,
        *PLACE,
        ("op", TEXT),
        ("block", TEXT),
        ("holder", TEXT),
        ("bytes", INT),
        ("age_steps", REAL),
    ],
    "timeline": [
        *WHERE,
        ("at_ns", INT),
        ("seconds", REAL),
        ("tick", INT),
        ("step", REAL),
        ("live_bytes", INT),
        ("anonymous_bytes", INT),
    ],
    "findings": [
        *WHERE,
        ("number", INT),
        ("kind", TEXT),
        ("severity", TEXT),
        ("title", TEXT),
        ("why", TEXT),
        ("fix", TEXT),
        ("confidence", REAL),
        *PLACE,
        ("holder", TEXT),
        ("op", TEXT),
        ("device", TEXT),
        ("bytes", INT),
        ("count", INT),
        ("bytes_per_step", REAL),
        ("steps", INT),
        ("per", TEXT),
        ("accepted_by", TEXT),
    ],
}
