"""What a report says, down to what is the same on every machine: no bytes, no times, no line numbers.

Programs mark the lines that matter: `# made` where the memory comes from, `# kept` where it is put, `# created`,
`# ended` and `# used`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List, Optional


def mark_of(place: Dict[str, Any]) -> str:
    """`made` or another mark of the line, else the function and its file."""
    path = Path(place["file"])
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = re.search(r"# (made|kept|created|ended|used)$", lines[place["line"] - 1]) if lines else None
    return found[1] if found else f"{place['function']} of {path.name}"


def first_of_role(finding: Dict[str, Any], role: str) -> Optional[str]:
    marks = [mark_of(place) for place in finding["where"] if place["role"] == role]
    return marks[0] if marks else None


def first_name(finding: Dict[str, Any]) -> Optional[str]:
    names = re.findall(r"`([^`]+)`", finding["holder"]["text"]) if finding["holder"] else []
    return names[0] if names else None


def summary_of(findings: Dict[str, Any]) -> Dict[str, Any]:
    told: List[Dict[str, Any]] = [
        {
            "severity": finding["severity"],
            "kind": finding["kind"],
            "first": mark_of(finding["where"][0]),
            "kept": first_of_role(finding, "kept at"),
            "holder": first_name(finding),
        }
        for finding in findings["findings"]
    ]
    return {"verdict": findings["verdict"], "findings": told}
