"""What holds the analysis to its record and its rules, with planted faults."""

from __future__ import annotations

from pathlib import Path

import check_no_files
import check_prose
import check_thresholds
import cpp_strings
import cpp_text
import pytest


@pytest.fixture
def plant(tmp_path: Path):
    """plant(name, text) writes a source below src/ and gives src/."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return tmp_path / "src"

    return write


def test_comments_and_texts_are_blanked_and_lines_stay():
    text = 'int a = 1\'000;  // fopen\n/* 0.75\n */ f("0.5\\"", \'x\', R"(0.5)");\n'
    code = cpp_text.code_of(text)
    assert code.count("\n") == text.count("\n") and len(code) == len(text)
    assert "1'000" in code and "f(" in code
    assert not any(word in code for word in ("fopen", "0.75", "0.5", "x"))


# no files


def test_the_analysis_may_take_names_of_files_apart(plant):
    src = plant(
        "analyze/run/run.cpp",
        "#include <filesystem>\n// fopen(path) would be wrong\n"
        'auto name = std::filesystem::path(file).filename();\nauto text = "open(this)";\n'
        "bool reopened = record.is_open;\n",
    )
    assert check_no_files.errors_in(src) == []


@pytest.mark.parametrize(
    "line",
    [
        "std::ifstream file(path);",
        "auto* file = fopen(path, mode);",
        "int fd = open(path, 0);",
        "int fd = ::openat(0, path, 0);",
        "auto reader = ledger::Reader::open(path);",
        "auto record = read_record(folder);",
        "if (std::filesystem::exists(path)) return;",
        "for (auto& entry : std::filesystem::directory_iterator(path)) use(entry);",
        "namespace fs = std::filesystem;",
        "#include <fstream>",
        "#include <fcntl.h>",
        '#include "ledger/record_file.h"',
    ],
)
def test_the_analysis_opens_no_file(plant, line):
    src = plant("analyze/heap/graph.cpp", f"#include <vector>\n{line}\n")
    (error,) = check_no_files.errors_in(src)
    assert error.startswith("analyze/heap/graph.cpp:2:")


def test_other_folders_may_open_files(plant):
    plant("record/read.cpp", "std::ifstream file(path);\n")
    assert check_no_files.errors_in(plant("analyze/run/run.cpp", "int x;\n")) == []


def test_no_files_fails_when_there_is_nothing_to_check(tmp_path):
    assert check_no_files.errors_in(tmp_path)


# thresholds


def test_thresholds_may_stand_in_the_rules_of_a_stage(plant):
    src = plant(
        "analyze/growth/rules.h",
        "inline constexpr double kSteady = 0.7;\nconstexpr int kMost = 8;\n",
    )
    assert check_thresholds.errors_in(src) == []


def test_whole_numbers_texts_and_marks_are_no_thresholds(plant):
    src = plant(
        "analyze/heap/graph.cpp",
        "constexpr uint32_t kNone = ~0u;\nconstexpr uint8_t kUnknown = 0xff;\n"
        'constexpr std::string_view kKind = "0.75";\nconstexpr const char* kOp = "at";\n'
        "double x = std::max(1.0, 2.0 * y) + sizes[3] + 1e9;\n// 0.75 of all\n",
    )
    assert check_thresholds.errors_in(src) == []


@pytest.mark.parametrize(
    "line",
    [
        "constexpr double kMost = 4;",
        "inline constexpr int kMost = 8;",
        "constexpr uint64_t kMost = 16 << 20;",
        "constexpr std::size_t kMost{8};",
        "  static constexpr unsigned long kMost = 3;",
        "if (part < 0.75) return;",
        "return share > .5 * all;",
        "double scale = 1e-3;",
    ],
)
def test_a_threshold_elsewhere_is_an_error(plant, line):
    src = plant("analyze/growth/growth.cpp", f"#include <vector>\n{line}\n")
    (error,) = check_thresholds.errors_in(src)
    assert error.startswith("analyze/growth/growth.cpp:2:")


def test_rules_that_are_not_of_a_stage_are_no_place_for_thresholds(plant):
    assert check_thresholds.errors_in(plant("analyze/rules.h", "constexpr int kMost = 8;\n"))


RULE = "inline constexpr int kMost = 8;\n"


@pytest.fixture
def plant_rules(plant, tmp_path):
    """plant_rules(text) writes the rules of a stage beside one unit test, and gives src/."""

    def write(text: str) -> Path:
        tests = tmp_path / "tests" / "unit" / "retention" / "heap_rules_test.cpp"
        tests.parent.mkdir(parents=True)
        tests.write_text("TEST(HeapRules, EightAreMost) {\n}\n", encoding="utf-8")
        return plant("analyze/heap/rules.h", text)

    return write


def test_a_threshold_that_names_its_test_is_fine(plant_rules):
    text = f"// Blocks.\n// Moved by: HeapRules.EightAreMost\n{RULE}"
    assert check_thresholds.errors_in(plant_rules(text)) == []


@pytest.mark.parametrize(
    "comment",
    [
        "",
        "// Blocks.\n",
        "// Moved by: HeapRules.NineAreMost\n",
        "// Moved by: HeapRules.EightAreMost, HeapRules.NineAreMost\n",
        "// Moved by: HeapRules.EightAreMost\n\n",
        "// Moved by: HeapRules.EightAreMost\ninline constexpr const char* kName = nullptr;\n",
    ],
)
def test_a_threshold_without_a_test_that_moves_it_is_an_error(plant_rules, comment):
    (error,) = check_thresholds.errors_in(plant_rules(comment + RULE))
    assert error.startswith("analyze/heap/rules.h:") and "kMost" in error


def test_thresholds_of_other_folders_are_not_looked_at(plant):
    plant("report/terminal.cpp", "constexpr int kWidth = 80;\n")
    assert check_thresholds.errors_in(plant("analyze/run/run.cpp", "int x;\n")) == []


def test_thresholds_fail_when_there_is_nothing_to_check(tmp_path):
    assert check_thresholds.errors_in(tmp_path)


# prose


def test_strings_side_by_side_are_one_and_comments_are_none():
    source = 'f("a "  // "no"\n  "b", \'"\', 100\'000);\n/* "no" */ g("c\\"d");\n'
    assert list(cpp_strings.literals_in(source)) == [(1, "a b"), (3, 'c"d')]


def test_arguments_are_split_outside_of_strings_and_braces():
    (call,) = cpp_strings.calls_in('x.f(1); y = f("a)", {{"b", g(1, 2)}});\n', "f")
    assert cpp_strings.split_arguments(call.arguments) == ['"a)"', '{{"b", g(1, 2)}}']


def test_the_analysis_may_send_codes_and_figures(plant):
    src = plant(
        "analyze/heap/holders.cpp",
        '// "who holds it"\n#include "base/sentence_writer.h"\n'
        'auto why = sentence("held.cycle.why", {{"count", 3}});\n'
        'auto key = fmt::format("{:x}", node), path = a + " " + b;\n'
        'bool is_local = label == " thread-local values" || type == "numpy.ndarray";\n',
    )
    assert check_prose.errors_in(src.parent) == []


@pytest.mark.parametrize(
    "line",
    [
        'return "it was killed";',
        'return fmt::format("{} blocks", count);',
        'text += " stored";',
        'text = "views in " + place;',
        'return "`" + name + "` in the closure";',
        'return "one "\n    "of them";',
        'constexpr const char* kNative = "native code";',
    ],
)
def test_the_analysis_makes_no_english(plant, line):
    src = plant("analyze/heap/holder_text.h", f"#pragma once\n{line}\n")
    (error,) = check_prose.errors_in(src.parent)
    assert error.startswith("src/analyze/heap/holder_text.h:2: ")


def test_others_may_make_english(plant):
    src = plant("report/why.cpp", 'return "it was killed";\n')
    assert check_prose.errors_in(src.parent) == []
