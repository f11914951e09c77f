"""docs/findings.schema.json is a valid schema, takes what the contract allows and nothing else."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import jsonschema
import pytest

SCHEMA_FILE = Path(__file__).resolve().parents[2] / "docs" / "findings.schema.json"
SCHEMA: Dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))

LEAK: Dict[str, Any] = {
    "schema": "tenure-findings/2",
    "verdict": "leak",
    "reason": None,
    "ending": None,
    "program": {
        "argv": ["python", "train.py"],
        "python": "3.11.7",
        "frameworks": {"torch": "2.9.0"},
        "exit": 0,
        "signal": None,
        "processes": 1,
        "running": False,
    },
    "memory": {
        "peak_bytes": 3_328_599_654,
        "joint_peak_bytes": 3_328_599_654,
        "live_bytes": 2_791_728_742,
        "resident_peak_bytes": 3_650_722_201,
        "unseen_bytes": 12_582_912,
        "unseen_growth_bytes": 0,
        "at_peak": {},
        "parts": {
            "resident_bytes": 0,
            "tracked_live_bytes": 0,
            "other_live_bytes": 0,
            "allocator_retention_bytes": 0,
            "code_and_stacks_bytes": 0,
            "file_pages_bytes": 0,
            "own_bytes": 0,
            "unknown_bytes": 0,
        },
    },
    "losses": {"small-blocks": "blocks below 1 KiB are sampled"},
    "cost": {
        "time_share": 0.004,
        "bytes": 18_874_368,
        "processor_seconds": {
            "hooks": 0.3,
            "adapters": 0.1,
            "snapshots": 0,
            "supervisor": 0,
            "analysis": 0,
            "program": 100,
        },
    },
    "steps": 214,
    "per": "iteration of train.py:36",
    "considered": [
        {
            "file": "train.py",
            "line": 42,
            "function": "train",
            "came_to": "leak",
            "rule": "survivors",
            "holder": "global list `losses`",
            "bytes": 2_791_728_742,
            "count": 214,
            "most_bytes": 2_791_728_742,
            "bytes_per_step": 13_002_342.4,
            "steps": 214,
            "per": "iteration of train.py:36",
        }
    ],
    "balance": [
        {
            "pid": 4711,
            "device": "cpu",
            "at_peak": {
                "total_bytes": 3_328_599_654,
                "came_to": {"leak": 2_791_728_742, "dismissed": 536_000_000},
                "small_lines_bytes": 870_912,
                "own_bytes": 0,
            },
            "at_end": {"total_bytes": 0, "came_to": {}, "small_lines_bytes": 0, "own_bytes": 0},
        }
    ],
    "processes": [
        {
            "pid": 4711,
            "parent_pid": 4710,
            "argv": ["python", "train.py"],
            "began_seconds": 0,
            "ended_seconds": 12.5,
            "peak_bytes": 3_328_599_654,
            "live_bytes": 2_791_728_742,
            "resident_peak_bytes": 3_650_722_201,
            "leaks": True,
            "role": "main",
        }
    ],
    "findings": [
        {
            "kind": "retained-autograd",
            "severity": "leak",
            "title": "losses keep their autograd graphs",
            "why": "every stored loss keeps the whole autograd graph of its step",
            "fix": "store loss.item() or loss.detach()",
            "confidence": 0.95,
            "where": [
                {
                    "file": "train.py",
                    "line": 42,
                    "function": "train",
                    "role": "made at",
                    "source": "loss = criterion(model(x), y)",
                }
            ],
            "holder": {
                "text": "global list `losses`",
                "path": [{"name": "losses", "type": "list"}],
            },
            "op": None,
            "device": "cpu",
            "bytes": 2_791_728_742,
            "count": 214,
            "bytes_per_step": 13_002_342.4,
            "steps": 214,
            "per": "iteration of train.py:36",
            "steps_till_full": 170,
            "processes": [7],
            "accepted_by": None,
            "error": None,
        }
    ],
}

# What is planted: a path into the document and the value put there.
FAULTS = [
    ("schema", "tenure-findings/1"),
    ("verdict", "leaky"),
    ("verdict", "clean"),  # with a leak among the findings
    ("verdict", "lifetime-error"),  # without an error among the findings
    ("verdict", "unknown"),  # without a reason
    ("reason", "a leak needs none"),
    ("extra", 1),
    ("findings", []),  # a leak without a finding
    ("findings", None),
    ("program/argv", "python train.py"),
    ("program/argv", [1]),
    ("program/exit", "0"),
    ("program/signal", 0),
    ("program/running", None),
    ("program/frameworks", {"torch": None}),
    ("program/pid", 7),
    ("memory/peak_bytes", -1),
    ("memory/peak_bytes", 1.5),
    ("memory/free_bytes", 1),
    ("memory/parts/own_bytes", None),
    ("memory/parts/other", 1),
    ("losses", []),
    ("losses/small-blocks", 3),
    ("balance/0/at_peak/came_to", {"lost": 1}),
    ("balance/0/at_end/total_bytes", -1),
    ("processes/0/leaks", "yes"),
    ("memory/joint_peak_bytes", -1),
    ("cost/time_share", None),
    ("cost/seconds", 1),
    ("steps", -1),
    ("per", ""),
    ("findings/0/kind", "leak"),
    ("findings/0/severity", "fatal"),
    ("findings/0/severity", "warning"),  # a verdict of leak without a leak
    ("findings/0/confidence", 1.1),
    ("findings/0/title", None),
    ("findings/0/fix", None),
    ("findings/0/where/0/role", "closed"),
    ("findings/0/where/0/line", -1),
    ("findings/0/where/0/column", 1),
    ("findings/0/holder", "losses"),
    ("findings/0/holder/text", "x" * 161),
    ("findings/0/holder/path/0/size", 1),
    ("findings/0/device", ""),
    ("findings/0/bytes_per_step", "12 MiB"),
    ("findings/0/steps", 0.5),
    ("findings/0/error", "RuntimeError"),
    ("findings/0/error", {"type": "RuntimeError"}),
    ("findings/0/hint", ""),
]


def inside(path: str) -> Tuple[Dict[str, Any], Any, str]:
    """A fresh document, the object in it that holds the path's last name, and that name."""
    document = copy.deepcopy(LEAK)
    *way, last = path.split("/")
    target: Any = document
    for key in way:
        target = target[int(key)] if isinstance(target, list) else target[key]
    return document, target, last


def planted(path: str, value: Any) -> Dict[str, Any]:
    document, target, last = inside(path)
    target[last] = value
    return document


def is_valid(document: Dict[str, Any]) -> bool:
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


def objects_of(schema: Dict[str, Any]) -> Iterator[Tuple[str, Dict[str, Any]]]:
    """Every schema of an object with fields of its own, conditions left out."""
    parts = [("", schema)] + [(f"$defs/{name}", part) for name, part in schema["$defs"].items()]
    return ((name, part) for name, part in parts if part.get("type") == "object")


def required_fields(document: Any, path: str = "") -> Iterator[str]:
    if isinstance(document, list):
        for index, item in enumerate(document):
            yield from required_fields(item, f"{path}{index}/")
    elif isinstance(document, dict):
        for name, value in document.items():
            if path not in ("losses/", "program/frameworks/") and not path.endswith("/came_to/"):
                yield path + name
            yield from required_fields(value, f"{path}{name}/")


def test_is_a_valid_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_accepts_a_leak() -> None:
    jsonschema.validate(LEAK, SCHEMA)


def test_accepts_an_unknown_run_that_saw_nothing() -> None:
    document = planted("verdict", "unknown")
    document.update(reason="the hooks were off", findings=[], losses={}, per=None, steps=0)
    document["program"].update(python=None, frameworks={}, exit=None, signal=9)
    jsonschema.validate(document, SCHEMA)


def test_accepts_a_lifetime_error() -> None:
    document = planted("verdict", "lifetime-error")
    error = {"type": "RuntimeError", "message": "Attempted to use a closed Session."}
    nothing = {"holder": None, "bytes_per_step": None, "steps": None, "per": None}
    document["findings"][0].update(kind="closed-session", severity="error", error=error, **nothing)
    jsonschema.validate(document, SCHEMA)


def test_counts_the_holder_in_characters_not_bytes() -> None:
    assert is_valid(planted("findings/0/holder/text", "é" * 160))


@pytest.mark.parametrize(("path", "value"), FAULTS)
def test_rejects(path: str, value: Any) -> None:
    assert not is_valid(planted(path, value))


@pytest.mark.parametrize("path", sorted(required_fields(LEAK)))
def test_requires(path: str) -> None:
    document, target, last = inside(path)
    del target[last]
    assert not is_valid(document)


def test_describes_every_field() -> None:
    silent = [
        f"{name}/{field}"
        for name, part in objects_of(SCHEMA)
        for field, rule in part.get("properties", {}).items()
        if not rule.get("description") and not described_elsewhere(rule)
    ]
    assert silent == []


def described_elsewhere(rule: Dict[str, Any]) -> bool:
    target = SCHEMA["$defs"].get(rule.get("$ref", "").rpartition("/")[2], {})
    return bool(target.get("description"))


def test_closes_every_object() -> None:
    is_open = [
        name for name, part in objects_of(SCHEMA) if part.get("additionalProperties") is not False
    ]
    assert is_open == []
