"""docs/tour.md tells what a user of today gets: its commands are run, and its way through the page is taken."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import pytest
import tour

MOST_PICTURE_BYTES = 200_000
# The rows that the tour explains, with what goes on below them.
ROWS = re.compile(
    r"^(?:tenure:| *\d*  LEAK| +fixed| +made at| +made by| +kept by| +kept at| +why| +fix|[<>]) .*(?:\n {14}.*)*",
    re.MULTILINE,
)
# Not that of `train.py:19`, which has to stay.
FIGURE = re.compile(r"(?<![\w:.])(?:at least )?\d[\d,.]*(?: (?:[KMG]i)?B\b| %)?")


def rows_in(printed: str) -> List[str]:
    """Without figures, the width of columns, and peak and cost, which are told as the run went."""
    rows = (" ".join(row.split()).split(" Peak ")[0] for row in ROWS.findall(printed))
    return [FIGURE.sub("#", row) for row in rows]


@pytest.fixture(scope="module")
def taken(
    has_page: None,
    tenure: str,
    env: Callable[[str], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Tuple[Path, Dict[str, str]]:
    """The folder with the tour's records, and what each of its commands printed."""
    place = tmp_path_factory.mktemp("tour")
    return place, tour.run(list(said()), tenure, env("torch"), place)


def said() -> Dict[str, str]:
    return tour.told(tour.TOUR.read_text(encoding="utf-8"))


def test_commands_of_the_tour_print_what_it_says(taken):
    _, printed = taken
    assert len(printed) == 4
    for command, text in said().items():
        assert rows_in(text), command
        assert rows_in(printed[command]) == rows_in(text), printed[command]


def test_tour_tells_the_leak_its_holder_the_fix_and_that_it_is_gone():
    leak, change, clean, difference = map(rows_in, said().values())
    assert any(row.startswith("# LEAK # every step") and "retained-autograd" in row for row in leak)
    assert any(row.startswith("made at train.py:19 in Classifier.forward()") for row in leak)
    assert any(row.startswith("kept by") and "`curve` of `Trainer`" in row for row in leak)
    assert any(row.startswith("kept at train.py:39 in Trainer.validate()") for row in leak)
    assert any(row.startswith("fix keep .item()") for row in leak)
    assert change == ["< self.curve.append(loss)", "> self.curve.append(loss.item())"]
    assert clean[0].startswith("tenure: clean.")
    assert difference[0].startswith("tenure: fixed: # every step, gone; it was made at train.py:19")


def test_way_of_the_tour_through_the_page_can_be_taken(taken, browse):
    place, _ = taken
    seen: Dict[str, Any] = browse("tour", place / "train.tenure" / "report.html")
    assert seen["errors"] == [] and seen["requests"] == []
    assert "1 leak in 150 steps" in seen["first"][0]
    assert [link.split()[:3] for link in seen["chain"][::2]] == [
        ["made", "at", "train.py:19"],
        ["kept", "by", "curve"],
        ["in", "__main__", "dict"],
    ]
    finding = seen["finding"][0]
    assert finding.rindex("made at") < finding.index("kept at")
    assert seen["fix"] == ["keep .item() or .detach() of it, or compute it under torch.no_grad()"]
    assert "of 150" in seen["tip"][0] and "train.py:19" in seen["tip"][0]
    assert "made in the range and alive" in seen["range_head"]
    assert seen["range_line"].startswith("train.py:19")
    assert "survivors by birth" in seen["line"][0] and "at a steady pace" in seen["line"][0]
    assert seen["way"][:2] == ["module __main__", "global `trainer` Trainer"]
    assert any("NllLossBackward0" in step for step in seen["way"])
    fixed = browse("tour", place / "train_fixed.tenure" / "report.html")
    assert fixed["errors"] == [] and fixed["first"][0].startswith("Clean")


def test_pictures_of_the_tour_are_there_small_and_all_shown():
    shown = re.findall(r"\]\(tour/([\w-]+\.png)\)", tour.TOUR.read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(picture.name for picture in tour.PICTURES.iterdir())
    for name in shown:
        assert (tour.PICTURES / name).stat().st_size < MOST_PICTURE_BYTES, name


def test_command_that_prints_something_else_is_noticed():
    text = next(iter(said().values()))
    for old, new in (
        ("train.py:19", "train.py:18"),
        ("retained-autograd", "retained-python"),
        ("`curve`", "`losses`"),
    ):
        assert rows_in(text.replace(old, new)) != rows_in(text)
    assert rows_in(text.replace("150 steps", "149 steps")) == rows_in(text)


def test_commands_of_the_tour_are_those_that_its_reader_has():
    words = {command.split()[0] for command in said()}
    assert words == {"tenure", "diff"} and all(shutil.which(word) for word in words - {"tenure"})
