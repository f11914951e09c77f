"""What Tenure told of a program, down to what must not depend on how the program is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from same_words.rewriting import Statements

NEAR = 0.02  # of a figure: two runs of one program differ by as much


@dataclass
class Growth:
    """One error or leak."""

    kind: str
    statements: Tuple[int, ...]  # where it was made, by number: the first, then the others in any order
    per: Optional[str]  # without lines and names
    steps: Optional[int]
    bytes_per_step: Optional[float]

    def is_like(self, other: Growth) -> bool:
        ours, theirs = self.bytes_per_step, other.bytes_per_step
        is_near = ours == theirs or bool(
            ours and theirs and abs(ours - theirs) <= NEAR * max(ours, theirs)
        )
        return is_near and (self.kind, self.statements, self.per, self.steps) == (
            other.kind,
            other.statements,
            other.per,
            other.steps,
        )


@dataclass
class Told:
    verdict: str
    loud: List[Growth]

    def is_like(self, other: Told) -> bool:
        return (
            self.verdict == other.verdict
            and len(self.loud) == len(other.loud)
            and all(a.is_like(b) for a, b in zip(self.loud, other.loud))
        )


def told(findings: Dict[str, Any], program: Path, text: str) -> Told:
    """`text` is what the program was when it ran."""
    statements = Statements(text)

    def growth(finding: Dict[str, Any]) -> Growth:
        # A line that keeps may make as well: which of the two roles it is told by is no difference.
        places = [w for w in finding["where"] if w["role"] != "kept at"]
        made = [w for w in places if Path(w["file"]).name == program.name]
        per = finding.get("per")
        # A statement that was wrapped may be told by two of its lines. Lines that made about as much change places.
        numbers = [statements.at(place["line"]) for place in made if place["line"]]
        return Growth(
            finding["kind"],
            (*numbers[:1], *sorted(set(numbers[1:]) - set(numbers[:1]))),
            re.sub(r"\w+\(\)", "function()", re.sub(r":\d+", ":line", per)) if per else None,
            finding.get("steps"),
            finding.get("bytes_per_step"),
        )

    loud = [f for f in findings["findings"] if f["severity"] in ("error", "leak")]
    return Told(findings["verdict"], [growth(finding) for finding in loud])
