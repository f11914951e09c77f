"""A record needs nothing but itself: not the program, its sources, its libraries, nor this machine's files."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import List

import pytest

KINDS = ["numpy", "native", "lifetime"]


@pytest.mark.parametrize("kind", KINDS)
def test_show_prints_the_same_when_all_files_are_gone(recorded, everything, kind):
    run = recorded(kind)
    before = everything(run.record)
    run.lose_everything()
    assert everything(run.record) == before


def test_the_reports_are_worth_comparing(recorded, show):
    texts = {}
    for kind in KINDS:
        run = recorded(kind)
        texts[kind] = show(run.record, "--sites", "--loops").decode()
        run.lose_everything()
        shutil.rmtree(run.record)
    assert re.search(r"made at\s+rows.py:10 in fill\(\)\s+rows.append\(np.zeros", texts["numpy"])
    assert re.search(r"made at\s+rows.cpp:9 in row\(\)\s+char\* made = ", texts["native"])
    assert "iteration of rows.cpp:16" in texts["native"]
    assert re.search(r"created\s+address.py:9 in address_of_levels\(\)", texts["lifetime"])
    assert "keep `levels` of line 9 alive" in texts["lifetime"].replace("\n              ", " ")


def test_show_says_what_run_said(recorded, show):
    run = recorded("native")
    said = [line for line in run.told.splitlines() if "again: " not in line and line]
    shown = show(run.record).decode()
    assert said and all(line in shown for line in said), shown


@pytest.mark.parametrize("kind", KINDS)
def test_changed_sources_change_no_word(recorded, everything, kind):
    run = recorded(kind)
    before = everything(run.record)
    for source in [*run.home.glob("*.py"), *run.home.glob("*.cpp")]:
        source.write_text("\n\n\n\n\n\n" + source.read_text(encoding="utf-8"), encoding="utf-8")
    assert everything(run.record) == before


def libraries_of(program: str) -> List[str]:
    listing = subprocess.run(["ldd", program], capture_output=True, encoding="utf-8", check=True)
    return re.findall(r"(/\S+) \(0x", listing.stdout)


@pytest.fixture
def bare_machine(tenure: str, tmp_path: Path) -> Path:
    """A root folder with Tenure and the libraries it is linked with: no /proc, no Python, nothing else."""
    root = tmp_path / "root"
    for file in [tenure, *libraries_of(tenure)]:
        target = root / file.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return root


@pytest.mark.parametrize("kind", KINDS)
def test_show_prints_the_same_on_a_machine_with_nothing_else(
    tenure, recorded, show, bare_machine, kind
):
    run = recorded(kind)
    shutil.copytree(run.record, bare_machine / "a.tenure")
    enter = ["chroot"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot"]
    options = ["--sites", "--loops", "--holders", "--scopes"]
    command = [*enter, str(bare_machine), tenure, "show", "/a.tenure", *options]
    there = subprocess.run(command, env={"PATH": os.environ["PATH"]}, capture_output=True)
    if there.returncode in (1, 125):
        pytest.skip(f"no other root can be entered here: {there.stderr.decode().strip()}")
    assert there.stdout + there.stderr == show(run.record, *options)


def without_texts(findings: Path) -> object:
    told = json.loads(findings.read_text(encoding="utf-8"))
    told["losses"].pop("source", None)
    told.pop("cost")
    for finding in told["findings"]:
        for place in finding["where"]:
            place.pop("source")
    return told["verdict"], [(f["kind"], f["where"], f["holder"]) for f in told["findings"]]


def test_without_source_only_the_texts_are_missing(recorded, show, tmp_path):
    answers = []
    for options in ([], ["--no-source"]):
        run = recorded("native", *options)
        answers.append((show(run.record).decode(), without_texts(run.record / "findings.json")))
        run.lose_everything()
        shutil.rmtree(run.record)
    (with_text, told), (bare, bare_told) = answers
    assert "char* made = " in with_text and "char* made = " not in bare
    assert bare.count("source text was left out (--no-source)") == 1
    assert told == bare_told


def test_without_source_no_line_of_it_is_in_the_record(recorded):
    run = recorded("numpy", "--no-source")
    for file in run.record.iterdir():
        assert b"np.zeros(20_000)" not in file.read_bytes()
    assert json.loads((run.record / "sources.json").read_text())["text"] is False


def test_the_record_knows_the_state_of_each_source(recorded):
    run = recorded("numpy")
    [file] = json.loads((run.record / "sources.json").read_text(encoding="utf-8"))["files"]
    assert file["file"].endswith("rows.py")
    assert file["state"] == "read"
    assert file["bytes"] == (run.home / "rows.py").stat().st_size
    assert re.fullmatch("[0-9a-f]{32}", file["digest"])
    assert [10, "rows.append(np.zeros(20_000))"] in file["lines"]


def test_a_source_that_changed_meanwhile_is_shown_without_text(env, run_tenure, tmp_path):
    program = tmp_path / "touched.py"
    program.write_text(
        "import os\nos.utime(__file__)\nkept = []\n"
        "for i in range(300):\n    kept.append(bytearray(20000))\n",
        encoding="utf-8",
    )
    done = run_tenure(["run", "--", env("numpy"), str(program)])
    [finding] = done.findings["findings"]
    assert finding["where"][0]["line"] == 5
    assert finding["where"][0]["source"] == ""
    assert "touched.py changed while the program ran" in done.findings["losses"]["source"]


def test_the_unit_of_growth_is_kept(recorded, show):
    run = recorded("native", "--steps", "none")
    assert "iteration of" not in show(run.record).decode()
    assert "iteration of" in show(run.record, "--steps", "auto").decode()


def test_the_record_says_what_wrote_it_and_where(recorded, tenure):
    run = recorded("native", "--observe")
    outcome = json.loads((run.record / "run.json").read_text(encoding="utf-8"))
    version = subprocess.run([tenure, "--version"], capture_output=True, encoding="utf-8").stdout
    assert outcome["tenure"] == version.strip()
    assert outcome["options"] == {
        "steps": "auto",
        "observe": True,
        "guard": False,
        "attach": False,
        "source": True,
        "ignore": [],
    }
    assert outcome["machine"]["architecture"] == os.uname().machine
    assert outcome["machine"]["kernel"] == f"Linux {os.uname().release}"
    assert outcome["machine"]["cpus"] == os.sysconf("SC_NPROCESSORS_ONLN")


def test_a_record_of_the_format_before_is_refused(recorded, tenure):
    run = recorded("native")
    file = run.record / "run.json"
    older = json.loads(file.read_text(encoding="utf-8"))
    older["schema"] = "tenure-run/1"
    del older["tenure"]
    file.write_text(json.dumps(older), encoding="utf-8")
    done = subprocess.run([tenure, "show", str(run.record)], capture_output=True, encoding="utf-8")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "was recorded by an older Tenure in the format tenure-run/1" in done.stderr
    assert "record the program again" in done.stderr


def test_an_unfinished_record_is_resolved_where_it_lies(recorded, show):
    run = recorded("native")
    for name in ("symbols", "sources.json"):
        (run.record / name).unlink()
    assert "char* made = " in show(run.record).decode()
    run.lose_everything()
    assert "rows" in show(run.record).decode()


@pytest.mark.parametrize("name", ["symbols", "sources.json"])
@pytest.mark.parametrize("length", [0, 1, 50])
def test_a_damaged_part_is_told_and_makes_nothing_clean(recorded, show, name, length):
    run = recorded("native")
    file = run.record / name
    file.write_bytes(file.read_bytes()[:length])
    text = " ".join(show(run.record).decode().split())
    assert f"{name} is damaged" in text
    assert "clean" not in text
