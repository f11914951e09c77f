#!/usr/bin/env python3
"""Fails when a sentence is sent that has no text, lacks a parameter of its text or brings one that no text shows.

usage: check_sentences.py [ROOT]

Adapters, the preloaded library, the C++ library and the analysis send codes (base/sentence.h); the English is in
src/report/texts. In Python `sentence("code", name=...)` is read from the syntax tree; where the code is put together
(`what + ".fix"`), it is any text that begins with a string of the framework's adapters and ends so. In C++ calls of
`sentence("code", {{"name", ...}})` are read; elsewhere a code is a string that begins like those of the tables. A text that
nobody sends is an error as well.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Set

import cpp_strings

TEXTS = "src/report/texts"
PYTHON = "python/tenure"
CPP_SENDERS = ("src/inproc", "src/lib", "src/analyze")
STRING = cpp_strings.STRING
ROW = re.compile(rf"\{{({STRING}),\s*((?:{STRING}\s*)+)(?:,\s*\w+)?\}}")
PLACEHOLDER = re.compile(r"\{(\w+)(?::bytes|:number)?\??\}")
DOTTED = re.compile(r'"([a-z][a-z_]*(?:\.[a-z_]+)+)"')


class Sent(NamedTuple):
    place: str
    codes: List[str]  # one of them; a code without a text when there is none
    parameters: Set[str]
    is_open: bool  # more parameters may come: **given


def texts_in(root: Path) -> Dict[str, str]:
    texts: Dict[str, str] = {}
    for path in sorted((root / TEXTS).glob("*.cpp")):
        for code, text in ROW.findall(path.read_text(encoding="utf-8")):
            parts = [ast.literal_eval(part) for part in re.findall(STRING, text)]
            texts[ast.literal_eval(code)] = "".join(parts)
    return texts


def trees_in(root: Path) -> Dict[Path, ast.Module]:
    paths = sorted((root / PYTHON).glob("*.py"))
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def framework_of(path: Path) -> str:
    return path.stem.lstrip("_").partition("_")[0]


def constants_in(trees: Dict[Path, ast.Module], framework: str) -> Set[str]:
    ours = [tree for path, tree in trees.items() if framework_of(path) == framework]
    nodes = [node for tree in ours for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {node.value for node in nodes if isinstance(node.value, str)}


def codes_of(code: ast.expr, constants: Set[str], texts: Dict[str, str]) -> List[str]:
    """The codes that the first argument of sentence() may be; nothing where it comes from elsewhere."""
    if isinstance(code, ast.Constant):
        return [str(code.value)]
    if isinstance(code, ast.IfExp):
        parts = (code.body, code.orelse)
        return [found for part in parts for found in codes_of(part, constants, texts)]
    if isinstance(code, ast.Attribute):
        return [code.attr.lower()]  # a state of the vocabulary
    if not isinstance(code, ast.BinOp):
        return [text for text in texts if text in constants]  # a variable: any constant
    if isinstance(code.op, ast.Mod) and isinstance(code.left, ast.Constant):
        pattern = re.escape(str(code.left.value)).replace("%s", r"[a-z_]+")
        return [text for text in texts if re.fullmatch(pattern, text)] or [str(code.left.value)]
    suffix = str(code.right.value) if isinstance(code.right, ast.Constant) else ""
    return [name + suffix for name in constants if name + suffix in texts] or [f"...{suffix}"]


def sent_by_python(root: Path, texts: Dict[str, str]) -> Iterator[Sent]:
    trees = trees_in(root)
    frameworks = {framework_of(path) for path in trees}
    constants = {framework: constants_in(trees, framework) for framework in frameworks}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "sentence"):
                continue
            names = {keyword.arg for keyword in node.keywords}
            yield Sent(
                f"{path.relative_to(root)}:{node.lineno}",
                codes_of(node.args[0], constants[framework_of(path)], texts),
                {name for name in names if name is not None},
                None in names,
            )


def strings_in(code: str) -> List[str]:
    return [ast.literal_eval(text) for text in re.findall(STRING, code)]


def called_with(call: cpp_strings.Call, place: str) -> Sent:
    """What sentence("code", {{"name", value}, ...}) sends; several codes where one of them is chosen."""
    code, *rest = cpp_strings.split_arguments(call.arguments)
    given = cpp_strings.split_arguments(rest[0][1:-1]) if rest else []
    names = [strings_in(argument)[:1] for argument in given]
    return Sent(place, strings_in(code), {name for one in names for name in one}, False)


def sent_by_cpp(root: Path, texts: Dict[str, str]) -> Iterator[Sent]:
    prefixes = {code.partition(".")[0] for code in texts if "." in code}
    for folder in CPP_SENDERS:
        for path in sorted((root / folder).rglob("*.cpp")):
            source = path.read_text(encoding="utf-8")
            for call in cpp_strings.calls_in(source, "sentence"):
                yield called_with(call, f"{path.relative_to(root)}:{call.line}")
            for number, line in enumerate(source.splitlines(), 1):
                for code in DOTTED.findall(line):
                    if code.partition(".")[0] in prefixes:
                        yield Sent(f"{path.relative_to(root)}:{number}", [code], set(), True)


def errors_of(sent: Sent, texts: Dict[str, str]) -> Iterator[str]:
    for code in sent.codes:
        if code not in texts:
            yield f"{sent.place}: {code} has no text in {TEXTS}"
    shown = {name for code in sent.codes for name in PLACEHOLDER.findall(texts.get(code, ""))}
    for name in sorted(sent.parameters - shown if sent.codes else ()):
        yield f"{sent.place}: no text of {', '.join(sent.codes)} shows {{{name}}}"
    if len(sent.codes) == 1 and not sent.is_open:
        for name in sorted(shown - sent.parameters):
            yield f"{sent.place}: the text of {sent.codes[0]} needs {{{name}}}"


def errors_in(root: Path) -> List[str]:
    texts = texts_in(root)
    if not texts:
        return [f"no texts in {TEXTS}"]
    sent = [*sent_by_python(root, texts), *sent_by_cpp(root, texts)]
    errors = [error for one in sent for error in errors_of(one, texts)]
    known = {code for one in sent for code in one.codes}
    return errors + [f"{TEXTS}: nobody sends {code}" for code in texts if code not in known]


def main() -> int:
    here = Path(__file__).resolve().parent.parent
    errors = errors_in(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
    print("\n".join(errors) or "sentences ok")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
