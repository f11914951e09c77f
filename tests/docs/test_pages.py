"""What docs/ and the README say is so today: links, kinds, settings, verbs and options, and the site that is made of it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

import gen_docs
import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)#\s]*)(#[^)\s]*)?\)")
FENCE = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def slugs(page: Path) -> Set[str]:
    """The anchors of its headings, as GitHub and MkDocs make them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = (
        re.sub(r"[^\w\s-]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head)) for head in heads
    )
    return {re.sub(r"\s+", "-", head.strip().lower()) for head in plain}


def broken_links(page: Path) -> Iterator[str]:
    for target, anchor in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"\w+:", target):
            continue
        file = page.parent / target if target else page
        if not file.exists():
            yield f"{page.name}: {target} is not there"
        elif anchor and file.suffix == ".md" and anchor[1:] not in slugs(file):
            yield f"{page.name}: {file.name} has no heading {anchor}"


def test_every_link_leads_somewhere(tmp_path: Path) -> None:
    assert [error for page in PAGES for error in broken_links(page)] == []
    planted = tmp_path / "page.md"
    planted.write_text("# A head\n[a](none.md) [b](#a-head) [c](#another)\n")
    assert len(list(broken_links(planted))) == 2


def test_every_kind_of_finding_has_a_program_that_shows_it() -> None:
    words = json.loads((ROOT / "src" / "base" / "vocabulary.json").read_text(encoding="utf-8"))
    kinds = {word["code"] for group in words["Kind"]["groups"].values() for word in group}
    text = (DOCS / "kinds.md").read_text(encoding="utf-8")
    parts = dict(re.findall(r"^### (\S+)\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(parts) == kinds
    without = {kind for kind, part in parts.items() if not gen_docs.RUN.search(part)}
    assert without == {"allocator-retention"}  # a note, which no program has to show
    for kind in kinds - without:
        assert re.search(rf"  {kind}$", parts[kind], re.MULTILINE), f"{kind}: it is not told"


def test_pages_show_the_programs_as_they_are() -> None:
    assert list(gen_docs.shown())
    for page, folder, made in gen_docs.shown():
        program = gen_docs.Program(folder)
        assert made.startswith(gen_docs.block(program, "").split("```\n```")[0][:-4]), (
            page,
            folder,
        )
        assert f"$ {program.shown_command()}\ntenure: " in made, (page, folder)


# ---- the command line ----


def test_page_of_the_command_line_is_what_the_program_says(tenure: str) -> None:
    assert gen_docs.COMMAND_LINE.read_text(encoding="utf-8") == gen_docs.command_line(tenure), (
        "make it again: tools/gen_docs.py --command-line"
    )


def options_by_verb() -> Dict[str, Set[str]]:
    text = gen_docs.COMMAND_LINE.read_text(encoding="utf-8")
    parts = re.findall(r"^## tenure (\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    rows = {
        verb: " ".join(re.findall(r"^\| `(-.*?)` \|", part, re.MULTILINE)) for verb, part in parts
    }
    return {verb: set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", row)) for verb, row in rows.items()}


def commands_in(text: str) -> Iterator[Tuple[str, str]]:
    """(verb, what comes behind it) of each `tenure ...` in code, up to the program that is run."""
    code = [*FENCE.findall(text), *re.findall(r"(?<!`)`([^`\n]+)`(?!`)", FENCE.sub("", text))]
    for line in (line for piece in code for line in piece.splitlines()):
        found = re.match(r"(?:\$ )?tenure ([a-z]+)\b(.*)$", line.strip())
        if found:
            yield found[1], re.split(r"\s#|\s--\s|\||;|\S+\.py|\./", found[2])[0]


def unknown_words(text: str) -> List[str]:
    known = options_by_verb()
    wrong = []
    for verb, rest in commands_in(text):
        typed = re.findall(r"(?<!\S)--?[a-z][\w-]*", rest)
        wrong += [f"tenure {verb}"] * (verb not in known)
        wrong += [f"tenure {verb} {word}" for word in typed if word not in known.get(verb, typed)]
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_on_a_page_are_such_as_there_are(page: Path) -> None:
    assert unknown_words(page.read_text(encoding="utf-8")) == []


def test_a_command_that_is_gone_is_noticed() -> None:
    assert unknown_words("`tenure runs x`\n```\n$ tenure show r --wy  # --no\n```\n") == [
        "tenure show --wy",
        "tenure runs",
    ]
    assert unknown_words("`tenure run --report train.py --anything`") == []


def test_readme_tells_of_every_verb() -> None:
    told = {verb for verb, _ in commands_in((ROOT / "README.md").read_text(encoding="utf-8"))}
    assert told >= set(options_by_verb())


@pytest.mark.parametrize("form", ["bash", "zsh", "fish", "man"])
def test_completions_and_manual_page_know_every_verb_and_option(tenure: str, form: str) -> None:
    words = [tenure, "--print-for", form]
    text = subprocess.run(words, capture_output=True, check=True, encoding="utf-8").stdout
    text = text.replace("\\-", "-")
    for verb, options in options_by_verb().items():
        assert re.search(rf"\b{verb}\b", text), verb
        for option in options:
            as_told = option if form != "fish" else re.sub("^--?", "-[ls] ", option)
            assert re.search(rf"(?<![\w-]){as_told}(?![\w-])", text), f"{verb} {option}"


def test_bash_completes_verbs_and_options(tenure: str, tmp_path: Path) -> None:
    script = tmp_path / "completion"
    with script.open("w") as file:
        subprocess.run([tenure, "--print-for", "bash"], stdout=file, check=True)
    ask = 'source "$1"; COMP_WORDS=("${@:2}"); COMP_CWORD=$(($# - 2)); _tenure; echo "${COMPREPLY[@]}"'

    def completed(*words: str) -> List[str]:
        command = ["bash", "-c", ask, "bash", str(script), *words]
        done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8")
        assert done.stderr == ""
        return done.stdout.split()

    assert completed("tenure", "d") == ["diff", "doctor"]
    assert completed("tenure", "run", "--ob") == ["--observe"]
    assert completed("tenure", "show", "--ob") == []


# ---- settings ----


def test_page_of_settings_knows_each_with_its_option_and_variable(
    run_tenure: Callable[..., Any], tmp_path: Path
) -> None:
    text = (DOCS / "configuration.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `([\w-]+)` \| .*? \| `(--[\w-]+)`, `(TENURE_\w+)` \|", text, re.MULTILINE
    )
    (tmp_path / "tenure.toml").write_text("zzzzzz = 1\n")
    said = run_tenure(["run", "--", "/bin/true"]).stderr
    assert [name for name, _, _ in rows] == re.findall(r"`([\w-]+)`", said)[1:]
    for name, option, variable in rows:
        assert option == f"--{name}"
        assert variable == "TENURE_" + name.upper().replace("-", "_")
        assert option in options_by_verb()["run"]


# ---- the site ----


def test_every_page_is_in_the_contents_of_the_site() -> None:
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.findall(r"^ +- ([\w-]+\.md)$", config, re.MULTILINE)
    assert sorted(named) == sorted(page.name for page in DOCS.glob("*.md"))


def test_the_site_is_built(env: Callable[[str], str], tmp_path: Path) -> None:
    words = [
        env("docs"),
        "-m",
        "mkdocs",
        "build",
        "--quiet",
        "--strict",
        "--site-dir",
        str(tmp_path),
    ]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, env=environ, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    for page in DOCS.glob("*.md"):
        assert (tmp_path / f"{page.stem}.html").stat().st_size > 1000
    asked = re.findall(r'(?:src|href)="(https?://[^"]+)"', (tmp_path / "index.html").read_text())
    assert not [link for link in asked if re.search(r"\.(?:js|css|woff2?)", link)], sys.version
