#!/usr/bin/env python3
"""Makes the closed sets of words for C++, Python and the JSON schema from src/base/vocabulary.json.

usage: gen_vocabulary.py [--check] [--root DIR]

Writes src/base/vocabulary.h, python/tenure/_vocabulary.py and the enums of docs/findings.schema.json. They are
committed; --check says which of them is not what vocabulary.json asks for, and is a gate of `make check`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Dict, List

import generated_files

SOURCE = "src/base/vocabulary.json"
HEADER = "src/base/vocabulary.h"
PYTHON = "python/tenure/_vocabulary.py"
SCHEMA = "docs/findings.schema.json"
# name of a definition in the schema -> the set whose codes it allows
SCHEMA_ENUMS = {
    "verdict": "Verdict",
    "severity": "Severity",
    "kind": "Kind",
    "role": "PlaceRole",
    "growth_class": "GrowthClass",
    "rule": "Rule",
}
SCHEMA_WIDTH = 118

Word = Dict[str, str]
Words = Dict[str, Any]


def words_of(words: Words) -> List[Word]:
    if "groups" in words:
        return [word for group in words["groups"].values() for word in group]
    return words["words"]


def name_of(word: Word) -> str:
    return word.get("name") or re.sub(r"[^a-z0-9]", "_", word["code"])


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


HEADER_TOP = """\
// base/vocabulary.h: the closed sets of words that programs compare, one enum each, and their codes as ledgers and JSON
// have them. Made by tools/gen_vocabulary.py from base/vocabulary.json: change that.
// World: both, and the C++ library. Pure.
// clang-format off
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tenure {
namespace vocabulary {

// The value whose code this is; nothing for a word that is not of the set.
template <class Value, std::size_t kCount>
constexpr std::optional<Value> find(const char* const (&codes)[kCount], std::string_view code) noexcept {
  for (std::size_t i = 0; i < kCount; ++i) {
    if (code == codes[i]) return static_cast<Value>(i);
  }
  return std::nullopt;
}

// Empty for a number that no value has: it may come from a damaged file.
template <std::size_t kCount>
constexpr const char* code(const char* const (&codes)[kCount], std::size_t value) noexcept {
  return value < kCount ? codes[value] : "";
}

}  // namespace vocabulary
"""


def enum_text(name: str, words: Words) -> str:
    rows = []
    for word in words_of(words):
        about = f"  // {word['about']}" if "about" in word else ""
        rows.append(f"  {name_of(word)},{about}")
    codes = "".join(f"\n    {json.dumps(word['code'])}," for word in words_of(words))
    return (
        f"\n// {words['about']}\nenum class {name} : std::uint8_t {{\n" + "\n".join(rows) + "\n};\n"
        f"inline constexpr std::size_t k{name}Count = {len(words_of(words))};\n"
        f"inline constexpr const char* k{name}Codes[] = {{{codes}\n}};\n"
        f"constexpr const char* code({name} value) noexcept {{\n"
        f"  return vocabulary::code(k{name}Codes, static_cast<std::size_t>(value));\n}}\n"
        f"constexpr std::optional<{name}> {snake(name)}_from(std::string_view code) noexcept {{\n"
        f"  return vocabulary::find<{name}>(k{name}Codes, code);\n}}\n"
    )


def group_text(name: str, words: Words) -> str:
    """The groups of a set: an enum of their names, and which value is in which."""
    groups = words["groups"]
    lines, first = [], 0
    for group, members in groups.items():
        first += len(members)
        lines.append(
            f"  if (static_cast<std::size_t>(value) < {first}) return {name}Group::{group};"
        )
    last = lines.pop().rpartition(" return ")[2]
    return (
        f"\nenum class {name}Group : std::uint8_t {{ {', '.join(groups)} }};\n"
        f"constexpr {name}Group group_of({name} value) noexcept {{\n"
        + "\n".join(lines)
        + f"\n  return {last}\n}}\n"
    )


def header_text(vocabulary: Dict[str, Words]) -> str:
    parts = [HEADER_TOP]
    for name, words in vocabulary.items():
        parts.append(enum_text(name, words))
        if "groups" in words:
            parts.append(group_text(name, words))
    return "".join(parts) + "\n}  // namespace tenure\n"


PYTHON_TOP = '''\
"""The closed sets of words that adapters send to the ledger.

Made by tools/gen_vocabulary.py from src/base/vocabulary.json: change that. Given to every adapter by the boot.
"""
'''


def python_text(vocabulary: Dict[str, Words]) -> str:
    parts = [PYTHON_TOP]
    for name, words in vocabulary.items():
        if "python" not in words:
            continue
        parts.append(f'\n\nclass {name}:\n    """{words["about"]}"""\n\n')
        for number, word in enumerate(words_of(words)):
            value = str(number) if words["python"] == "numbers" else json.dumps(word["code"])
            parts.append(f"    {name_of(word).upper()} = {value}\n")
    return "".join(parts)


def filled(items: List[str], indent: str) -> str:
    """The items, separated by commas, on as few lines as the schema's width allows."""
    lines = [indent + items[0]]
    for item in items[1:]:
        if len(lines[-1]) + len(item) + 3 > SCHEMA_WIDTH:  # ", " before, "," behind
            lines.append(indent + item)
        else:
            lines[-1] += ", " + item
    return ",\n".join(lines)


def enum_of_schema(words: Words, indent: int) -> str:
    """Codes as a JSON list: on one line where it fits, else wrapped, each group on lines of its own."""
    groups = words["groups"].values() if "groups" in words else [words["words"]]
    lists = [[json.dumps(word["code"]) for word in group] for group in groups]
    line = f"[{', '.join(code for codes in lists for code in codes)}]"
    if indent + len('"enum": ') + len(line) <= SCHEMA_WIDTH:
        return line
    inner = " " * (indent + 2)
    return "[\n" + ",\n".join(filled(codes, inner) for codes in lists) + "\n" + " " * indent + "]"


def schema_text(vocabulary: Dict[str, Words], schema: str) -> str:
    for definition, name in SCHEMA_ENUMS.items():
        pattern = re.compile(
            rf'("{definition}": \{{\s*"description": "[^"]*",\n( *)"enum": )\[[^\]]*\]'
        )
        found = pattern.search(schema)
        if found is None:
            raise ValueError(f"{SCHEMA}: no definition of {definition} with an enum")
        enum = found[1] + enum_of_schema(vocabulary[name], len(found[2]))
        schema = schema[: found.start()] + enum + schema[found.end() :]
    return schema


def made_from(root: Path) -> Dict[str, str]:
    """The files as they should be, by path."""
    vocabulary = json.loads((root / SOURCE).read_text(encoding="utf-8"))
    for name, words in vocabulary.items():
        names = [name_of(word) for word in words_of(words)]
        if len(set(names)) != len(names):
            raise ValueError(f"{SOURCE}: a word stands twice in {name}")
    schema = (root / SCHEMA).read_text(encoding="utf-8")
    return {
        HEADER: header_text(vocabulary),
        PYTHON: python_text(vocabulary),
        SCHEMA: schema_text(vocabulary, schema),
    }


def errors_in(root: Path) -> List[str]:
    return generated_files.errors_in(root, made_from, SOURCE, "gen_vocabulary")


if __name__ == "__main__":
    sys.exit(
        generated_files.main(made_from, SOURCE, "gen_vocabulary", "Makes the closed sets of words.")
    )
