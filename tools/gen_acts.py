#!/usr/bin/env python3
"""Makes the table of known acts for C++ from src/report/texts/acts.json: what to do about memory that is kept in a known way.

usage: gen_acts.py [--check] [--root DIR]

Writes src/analyze/findings/known_acts.cpp (what to look for) and src/report/texts/acts.cpp (what to say). They are
committed; --check says which of them is not what acts.json asks for, and is a gate of `make check`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict, List

import generated_files

SOURCE = "src/report/texts/acts.json"
PATTERNS = "src/analyze/findings/known_acts.cpp"
TEXTS = "src/report/texts/acts.cpp"
FIELDS = {
    "name",
    "kinds",
    "path",
    "piled",
    "below",
    "point",
    "items",
    "growth",
    "library",
    "made",
    "own_class",
    "text",
}
EVIDENCE = FIELDS - {"name", "kinds", "text", "piled"}
GROWTHS = {
    "": "any",
    "one-block": "one_block",
    "bounded": "bounded",
    "partly-freed": "partly_freed",
    "never-freed": "never_freed",
}

Act = Dict[str, Any]

PATTERNS_TOP = """\
// analyze/findings/known_acts.cpp: what is looked for to know what to do. Made by tools/gen_acts.py from
// report/texts/acts.json: change that.
// clang-format off
#include "analyze/findings/known_acts.h"

namespace tenure::analyze {
namespace {

"""
TEXTS_TOP = """\
// report/texts/acts.cpp: what to do about memory that is kept in a known way. Made by tools/gen_acts.py from
// report/texts/acts.json: change that.
// clang-format off
#include "report/texts/texts.h"

namespace tenure::report {
namespace {

constexpr SentenceText kTexts[] = {
"""
TEXTS_END = """\
};

}  // namespace

SentenceTexts act_texts() { return kTexts; }

}  // namespace tenure::report
"""


def checked(acts: List[Act]) -> List[Act]:
    names = [act["name"] for act in acts]
    for act in acts:
        if not act.get("text") or not EVIDENCE & set(act):
            raise ValueError(f"{act['name']} needs a text and evidence")
        if set(act) - FIELDS or act.get("growth", "") not in GROWTHS:
            raise ValueError(f"{act['name']} has a field that is not known")
        if names.count(act["name"]) > 1:
            raise ValueError(f"{act['name']} stands twice")
    return acts


def strings(values: List[str]) -> str:
    return ", ".join(json.dumps(value) for value in values)


def array(kind: str, name: str, act: Act, values: str) -> str:
    return f"constexpr {kind} k{name}_{act['name']}[] = {{{values}}};\n" if values else ""


def row(act: Act) -> str:
    kinds = f"kKinds_{act['name']}" if act.get("kinds") else "{}"
    path = f"kPath_{act['name']}" if act.get("path") else "{}"
    texts = strings(
        [act.get(field, "") for field in ("below", "point", "items", "library", "made")]
    )
    growth = "ActGrowth::" + GROWTHS[act.get("growth", "")]
    flags = ", ".join("true" if act.get(flag) else "false" for flag in ("own_class", "piled"))
    return f'    {{"act.{act["name"]}", {kinds}, {path}, {texts}, {growth}, {flags}}},\n'


def patterns_text(acts: List[Act]) -> str:
    parts = [PATTERNS_TOP]
    for act in acts:
        kinds = ", ".join("Kind::" + kind.replace("-", "_") for kind in act.get("kinds", []))
        parts.append(array("Kind", "Kinds", act, kinds))
        parts.append(array("std::string_view", "Path", act, strings(act.get("path", []))))
    parts.append("\nconstexpr KnownAct kActs[] = {\n")
    parts += [row(act) for act in acts]
    parts.append(
        "};\n\n}  // namespace\n\nstd::span<const KnownAct> known_acts() { return kActs; }\n"
    )
    return "".join(parts) + "\n}  // namespace tenure::analyze\n"


def texts_text(acts: List[Act]) -> str:
    rows = [f'    {{"act.{act["name"]}", {json.dumps(act["text"])}}},\n' for act in acts]
    return TEXTS_TOP + "".join(rows) + TEXTS_END


def made_from(root: Path) -> Dict[str, str]:
    """The files as they should be, by path."""
    acts = checked(json.loads((root / SOURCE).read_text(encoding="utf-8"))["acts"])
    return {PATTERNS: patterns_text(acts), TEXTS: texts_text(acts)}


def errors_in(root: Path) -> List[str]:
    return generated_files.errors_in(root, made_from, SOURCE, "gen_acts")


if __name__ == "__main__":
    sys.exit(generated_files.main(made_from, SOURCE, "gen_acts", "Makes the table of known acts."))
