"""Every gate of `make check` with a planted fault: it fails with the fault and passes without."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest

Plant = Callable[[str, str], Path]


def run(*command: object) -> subprocess.CompletedProcess:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace")


@pytest.fixture
def tool(root: Path) -> Callable[..., subprocess.CompletedProcess]:
    return lambda name, *args: run(sys.executable, root / "tools" / name, *args)


@pytest.fixture
def tree(root: Path, tmp_path: Path) -> Path:
    """A git work tree with this clone's settings and nothing else."""
    folder = tmp_path / "tree"
    folder.mkdir()
    run("git", "init", "-q", folder)
    for name in (".clang-format", ".clang-tidy", "ruff.toml", "mypy.ini"):
        shutil.copy(root / name, folder / name)
    return folder


@pytest.fixture
def plant(tree: Path) -> Plant:
    def write(name: str, text: str) -> Path:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        run("git", "-C", tree, "add", name)
        return path

    return write


@pytest.fixture
def gate(tool, tree: Path) -> Callable[[str], subprocess.CompletedProcess]:
    return lambda name: tool("check.py", "--root", tree, "--only", name)


# layers


def test_layers_pass_when_includes_point_down(tool, tree, plant):
    plant("src/ledger/writer.h", '#include "base/ids.h"\n#include <vector>\n')
    assert tool("check_layers.py", tree / "src").returncode == 0


@pytest.mark.parametrize(
    "name, included",
    [
        ("src/base/ids.h", "ledger/layout.h"),
        ("src/ledger/reader.cpp", "analyze/growth/growth.h"),
        ("src/inproc/hooks/libc.cpp", "report/terminal.h"),
        ("src/inproc/os/memory.cpp", "inproc/accounting/accounting.h"),
        ("src/analyze/growth/growth.cpp", "inproc/os/memory.h"),
        ("src/report/html.cpp", "cli/run.h"),
        ("src/lib/scope.cpp", "inproc/os/memory.h"),
    ],
)
def test_layers_fail_on_a_forbidden_include(tool, tree, plant, name, included):
    plant(name, f'#pragma once\n#include "{included}"\n')
    outcome = tool("check_layers.py", tree / "src")
    assert outcome.returncode == 1
    assert f"{name[4:]}:2" in outcome.stdout


def test_layers_fail_on_a_public_header_that_includes_what_is_behind_it(tool, tree, plant):
    plant("src/base/ids.h", "#pragma once\n")
    plant("include/tenure/scope.h", '#pragma once\n#include "lib/record.h"\n')
    outcome = tool("check_layers.py", tree / "src")
    assert outcome.returncode == 1
    assert "tenure/scope.h:2" in outcome.stdout


def test_layers_fail_on_a_folder_that_is_not_in_the_table(tool, tree, plant):
    plant("src/helpers/misc.h", "#pragma once\n")
    assert tool("check_layers.py", tree / "src").returncode == 1


def test_layers_fail_on_an_include_that_is_not_a_path_from_src(tool, tree, plant):
    plant("src/base/clock.cpp", '#include "clock.h"\n')
    assert tool("check_layers.py", tree / "src").returncode == 1


def test_layers_fail_when_there_is_nothing_to_check(tool, tmp_path):
    assert tool("check_layers.py", tmp_path).returncode == 1


# modules


def test_modules_pass_when_a_source_and_another_header_include_one_header(tool, tree, plant):
    plant("src/base/ids.h", "#pragma once\n#include <vector>\n")
    plant("src/base/ids.cpp", '#include "base/ids.h"\n')
    plant("src/ledger/writer.h", '#pragma once\n#include "base/ids.h"\n')
    outcome = tool("check_modules.py", tree / "src")
    assert outcome.returncode == 0, outcome.stdout


def test_modules_fail_when_two_headers_include_each_other(tool, tree, plant):
    plant("src/base/a.h", '#include "base/b.h"\n')
    plant("src/base/b.h", '#include "base/a.h"\n')
    outcome = tool("check_modules.py", tree / "src")
    assert outcome.returncode == 1
    assert "base/a -> base/b -> base/a" in outcome.stdout


def test_modules_fail_on_a_cycle_that_no_compiler_sees(tool, tree, plant):
    plant("src/base/a.h", "#pragma once\n")
    plant("src/base/a.cpp", '#include "base/a.h"\n#include "base/b.h"\n')
    plant("src/base/b.h", '#pragma once\n#include "base/c.h"\n')
    plant("src/base/c.h", "#pragma once\n")
    plant("src/base/c.cpp", '#include "base/a.h"\n')
    outcome = tool("check_modules.py", tree / "src")
    assert outcome.returncode == 1
    assert "base/a -> base/b -> base/c -> base/a" in outcome.stdout
    assert 'base/c.cpp includes "base/a.h"' in outcome.stdout


def test_modules_fail_on_a_cycle_of_public_headers(tool, tree, plant):
    plant("src/base/ids.h", "#pragma once\n")
    plant("include/tenure/scope.h", '#include "tenure/buffer.h"\n')
    plant("include/tenure/buffer.h", '#include "tenure/scope.h"\n')
    assert tool("check_modules.py", tree / "src").returncode == 1


def test_modules_fail_in_the_gate_too(gate, plant):
    plant("src/base/a.h", '#include "base/b.h"\n')
    plant("src/base/b.h", '#include "base/a.h"\n')
    assert gate("modules").returncode == 1


def test_modules_fail_when_there_is_nothing_to_check(tool, tmp_path):
    assert tool("check_modules.py", tmp_path).returncode == 1


# no files in the analysis: test_analysis_gates.py has more faults


def test_no_files_fail_on_a_file_that_the_analysis_opens(gate, plant):
    plant("src/analyze/run/run.cpp", "std::ifstream file(path);\n")
    assert gate("no-files").returncode == 1
    plant("src/analyze/run/run.cpp", "int steps;\n")
    assert gate("no-files").returncode == 0


# thresholds: test_analysis_gates.py has more faults


def test_thresholds_fail_on_a_fraction_outside_of_the_rules(gate, plant):
    plant("src/analyze/growth/growth.cpp", "bool is_steady = pace > 0.7;\n")
    assert gate("thresholds").returncode == 1
    plant("src/analyze/growth/growth.cpp", "bool is_steady = pace > kSteady;\n")
    assert gate("thresholds").returncode == 0


# exports

EXPORT_MAP = "{ global: malloc; free; local: *; };\n"
TWO_HOOKS = "int malloc(void) { return 0; } int free(void) { return 0; }\n"


@pytest.fixture
def library(tmp_path: Path) -> Callable[..., Path]:
    def build(source: str, linker_map: str, *flags: str) -> Path:
        code, script, out = tmp_path / "x.c", tmp_path / "link.map", tmp_path / "libx.so"
        code.write_text(source)
        script.write_text(linker_map)
        command = ["cc", "-w", "-shared", "-fPIC", "-nostdlib", "-fno-builtin", "-o", out, code]
        done = run(*command, f"-Wl,--version-script={script}", *flags)
        assert done.returncode == 0, done.stderr
        return out

    return build


@pytest.fixture
def export_map(tmp_path: Path) -> Path:
    path = tmp_path / "exports.map"
    path.write_text(EXPORT_MAP)
    return path


def test_exports_pass_when_library_and_list_agree(tool, library, export_map):
    outcome = tool("check_exports.py", library(TWO_HOOKS, EXPORT_MAP, "-lc"), export_map)
    assert outcome.returncode == 0, outcome.stdout


def test_exports_pass_with_a_versioned_list_and_comments(tool, library, tmp_path):
    text = "TENURE_1 {\n  global:\n    malloc; /* hooks */\n    free;  # too\n  local: *;\n};\n"
    (tmp_path / "exports.map").write_text(text)
    built = library(TWO_HOOKS, text)
    outcome = tool("check_exports.py", built, tmp_path / "exports.map")
    assert outcome.returncode == 0, outcome.stdout


def test_exports_fail_on_a_symbol_too_many(tool, library, export_map):
    loose = "{ global: malloc; free; surprise; local: *; };\n"
    built = library(TWO_HOOKS + "int surprise;\n", loose)
    outcome = tool("check_exports.py", built, export_map)
    assert outcome.returncode == 1
    assert "exports surprise" in outcome.stdout


def test_exports_fail_on_a_hook_that_is_missing(tool, library, export_map):
    outcome = tool("check_exports.py", library("int malloc;\n", EXPORT_MAP), export_map)
    assert outcome.returncode == 1
    assert "does not export free" in outcome.stdout


def test_exports_fail_on_another_library_than_libc(tool, library, export_map):
    built = library(TWO_HOOKS, EXPORT_MAP, "-Wl,--no-as-needed", "-lm")
    outcome = tool("check_exports.py", built, export_map)
    assert outcome.returncode == 1
    assert "needs libm" in outcome.stdout


def test_exports_fail_on_a_wildcard(tool, library, export_map):
    export_map.write_text("{ global: malloc; free; tenure_*; local: *; };\n")
    assert tool("check_exports.py", library(TWO_HOOKS, EXPORT_MAP), export_map).returncode == 1


def test_exports_fail_when_the_library_is_not_built(tool, export_map, tmp_path):
    assert tool("check_exports.py", tmp_path / "absent.so", export_map).returncode == 1


# paths. The planted words are put together here, so that this file passes the gate itself.


def test_paths_pass_on_relative_and_system_paths(tool, tree, plant):
    plant("notes.md", "see src/work/x.h, ~/.cache/tenure, $HOME/x, /usr/lib, homework/root\n")
    outcome = tool("check_paths.py", tree)
    assert outcome.returncode == 0, outcome.stdout


@pytest.mark.parametrize("folder", ["work", "root", "home"])
def test_paths_fail_on_a_path_of_a_machine(tool, tree, plant, folder):
    plant("notes.md", "fine\nopen('" + "/" + folder + "/somebody/x')\n")
    outcome = tool("check_paths.py", tree)
    assert outcome.returncode == 1
    assert "notes.md:2" in outcome.stdout


@pytest.mark.parametrize(
    "host", [("pypi", "org"), ("registry.npmjs", "org"), ("deb.debian", "org")]
)
def test_paths_fail_on_the_host_name_of_a_registry(tool, tree, plant, host):
    plant("settings.cfg", "index = https://" + ".".join(host) + "/simple\n")
    assert tool("check_paths.py", tree).returncode == 1


# vocabulary

VOCABULARY = """{
  "Severity": {"about": "How much it matters.", "python": "codes", "words": [{"code": "error"}, {"code": "note"}]},
  "Kind": {"about": "What it is.", "python": "codes", "groups": {"growth": [{"code": "a-b"}], "death": [{"code": "c"}]}},
  "PlaceRole": {"about": "Why a line is named.", "words": [{"code": "made at"}]},
  "Verdict": {"about": "What is said.", "words": [{"code": "clean"}]},
  "GrowthClass": {"about": "What a line came to.", "words": [{"code": "leak"}]},
  "Rule": {"about": "Which rule decided.", "words": [{"code": "gone"}]}
}
"""
SCHEMA_ROW = '  "%s": {\n    "description": "x",\n    "enum": []\n  }'
SCHEMA_NAMES = ("verdict", "severity", "kind", "role", "growth_class", "rule")
SCHEMA = "{\n" + ",\n".join(SCHEMA_ROW % name for name in SCHEMA_NAMES) + "\n}\n"
MADE_FILES = ("src/base/vocabulary.h", "python/tenure/_vocabulary.py", "docs/findings.schema.json")


@pytest.fixture
def vocabulary(tool, tree: Path, plant: Plant) -> Path:
    """A tree whose files were made from its vocabulary."""
    plant("src/base/vocabulary.json", VOCABULARY)
    plant("docs/findings.schema.json", SCHEMA)
    plant("python/tenure/__init__.py", "")
    outcome = tool("gen_vocabulary.py", "--root", tree)
    assert outcome.returncode == 0, outcome.stderr
    return tree


def test_vocabulary_passes_when_all_was_made_from_it(gate, vocabulary):
    assert '"enum": ["a-b", "c"]' in (vocabulary / "docs/findings.schema.json").read_text()
    assert "A_B = " in (vocabulary / "python/tenure/_vocabulary.py").read_text()
    assert "enum class KindGroup" in (vocabulary / "src/base/vocabulary.h").read_text()
    assert gate("vocabulary").returncode == 0


@pytest.mark.parametrize("name", MADE_FILES)
def test_vocabulary_fails_on_a_file_that_was_changed_by_hand(gate, vocabulary, name):
    path = vocabulary / name
    path.write_text(path.read_text().replace("a-b", "a-z"))
    outcome = gate("vocabulary")
    assert outcome.returncode == 1
    assert name in outcome.stdout


def test_vocabulary_fails_on_a_word_that_was_added_but_not_made(gate, vocabulary, plant):
    plant("src/base/vocabulary.json", VOCABULARY.replace('{"code": "c"}', '{"code": "d"}'))
    outcome = gate("vocabulary")
    assert outcome.returncode == 1
    assert all(name in outcome.stdout for name in MADE_FILES)


def test_vocabulary_fails_on_a_word_that_stands_twice(gate, vocabulary, plant):
    plant("src/base/vocabulary.json", VOCABULARY.replace('{"code": "note"}', '{"code": "error"}'))
    assert "twice" in gate("vocabulary").stdout


# acts

ACTS = """{"acts": [
  {"name": "figures", "kinds": ["retained-python"], "path": ["Gcf.figs"], "text": "close it: \\"now\\""},
  {"name": "limit", "growth": "bounded", "text": "lower it"}
]}
"""
MADE_ACTS = ("src/analyze/findings/known_acts.cpp", "src/report/texts/acts.cpp")


@pytest.fixture
def acts(tool, tree: Path, plant: Plant) -> Path:
    """A tree whose table of acts was made from its data."""
    plant("src/report/texts/acts.json", ACTS)
    plant("src/analyze/findings/known_acts.h", "")
    outcome = tool("gen_acts.py", "--root", tree)
    assert outcome.returncode == 0, outcome.stderr
    return tree


def test_acts_pass_when_all_was_made_from_them(gate, acts):
    assert '"act.limit"' in (acts / MADE_ACTS[0]).read_text()
    assert "lower it" in (acts / MADE_ACTS[1]).read_text()
    assert gate("acts").returncode == 0


@pytest.mark.parametrize("name", MADE_ACTS)
def test_acts_fail_on_a_file_that_was_changed_by_hand(gate, acts, name):
    path = acts / name
    path.write_text(path.read_text().replace("act.limit", "act.bound"))
    outcome = gate("acts")
    assert outcome.returncode == 1
    assert name in outcome.stdout


@pytest.mark.parametrize(
    "before, after, complaint",
    [
        ('"limit"', '"figures"', "twice"),
        ('"growth": "bounded"', '"kinds": ["retained-python"]', "evidence"),
        ('"growth": "bounded"', '"growth": "large"', "not known"),
    ],
)
def test_acts_fail_on_an_entry_that_is_wrong(gate, acts, plant, before, after, complaint):
    plant("src/report/texts/acts.json", ACTS.replace(before, after))
    assert complaint in gate("acts").stdout


# sentences

TEXTS = 'constexpr SentenceText kTexts[] = {\n    {"tf.end.why",\n     "it ended "\n     "at {line}"},\n};\n'


@pytest.fixture
def sentences(gate, plant: Plant) -> Callable[..., str]:
    """What the gate says of an adapter; empty when it passes."""

    def said_of(adapter: str, texts: str = TEXTS) -> str:
        plant("src/report/texts/tensorflow.cpp", texts)
        plant("python/tenure/_tf_ends.py", adapter)
        outcome = gate("sentences")
        return outcome.stdout if outcome.returncode else ""

    return said_of


def test_sentences_pass_when_each_has_its_text_and_parameters(sentences):
    assert sentences('sentence("tf.end.why", line=3)\n') == ""
    assert sentences('what = "tf.end"\nsentence(what + ".why", line=3)\n') == ""


@pytest.mark.parametrize(
    "adapter, said",
    [
        ('sentence("tf.end.why", line=3)\nsentence("tf.end.fix")\n', "tf.end.fix has no text"),
        ('sentence("tf.end.why")\n', "needs {line}"),
        ('sentence("tf.end.why", line=3, name=4)\n', "shows {name}"),
        ("x = 1\n", "nobody sends tf.end.why"),
    ],
)
def test_sentences_fail_when_sender_and_text_do_not_agree(sentences, adapter, said):
    assert said in sentences(adapter)


def test_sentences_fail_on_a_code_of_cpp_without_a_text(sentences, plant):
    plant("src/lib/link.cpp", 'Words why("tf.end.fox");\n')
    assert "src/lib/link.cpp:1: tf.end.fox has no text" in sentences(
        'sentence("tf.end.why", line=1)\n'
    )


@pytest.mark.parametrize(
    "call, said",
    [
        ('sentence("tf.end.why", {{"line", place(1, 2)}})', ""),
        ('sentence(has_ended ? "tf.end.why" : "tf.end.fox", {{"line", 1}})', "tf.end.fox has no"),
        (
            'sentence("tf.end.why")',
            "src/analyze/run/ends.cpp:1: the text of tf.end.why needs {line}",
        ),
        ('sentence("tf.end.why", {{"line", 1}, {"name", "n"}})', "shows {name}"),
        (
            'sentence("tf.end.why", {{"line", sentence("end-of", {{"at", 1}})}})',
            "end-of has no text",
        ),
    ],
)
def test_sentences_of_the_analysis_agree_with_their_texts(sentences, plant, call, said):
    plant("src/analyze/run/ends.cpp", f"auto why = {call};\n")
    found = sentences("x = 1\n")
    assert said in found and bool(said) == bool(found)


def test_sentences_may_leave_a_parameter_out_where_it_does_not_fit(sentences):
    texts = 'SentenceText kTexts[] = {\n    {"tf.end", "it ended{at?}", kMostBytes},\n};\n'
    assert sentences('sentence("tf.end", at=3)\n', texts=texts) == ""
    assert "needs {at}" in sentences('sentence("tf.end")\n', texts=texts)


def test_sentences_fail_when_there_are_no_texts(sentences):
    assert "no texts" in sentences("x = 1\n", texts="")


# formatters, linters, types


def test_clang_format_passes_on_formatted_code(gate, plant):
    plant("src/base/x.h", "#pragma once\nint f(int a);\n")
    assert gate("clang-format").returncode == 0


def test_clang_format_fails_on_unformatted_code(gate, plant):
    plant("src/base/x.h", "#pragma once\nint   f( int a ) ;\n")
    assert gate("clang-format").returncode == 1


def test_clang_format_leaves_the_exam_alone(gate, plant):
    plant("tests/exam/X-1/program.cpp", "int   main( ) {return 0 ;}\n")
    assert gate("clang-format").returncode == 0


def test_ruff_passes_on_clean_code(gate, plant):
    plant("tools/x.py", "import sys\n\nprint(sys.argv)\n")
    assert gate("ruff").returncode == 0


def test_ruff_fails_on_an_unused_import(gate, plant):
    plant("tools/x.py", "import sys\n")
    assert gate("ruff").returncode == 1


def test_ruff_fails_on_syntax_newer_than_37_in_the_adapters(gate, plant):
    plant("python/tenure/x.py", "if (n := 3) > 2:\n    print(n)\n")
    assert gate("ruff").returncode == 1


def test_ruff_leaves_the_exam_alone(gate, plant):
    plant("tests/exam/X-1/program.py", "import sys\n")
    assert gate("ruff").returncode == 0


def test_ruff_format_fails_on_unformatted_code(gate, plant):
    plant("tools/x.py", "x = [1,\n  2]\n")
    assert gate("ruff-format").returncode == 1


def test_mypy_passes_on_typed_code(gate, plant):
    plant("tools/x.py", "def f(n: int) -> int:\n    return n + 1\n")
    assert gate("mypy").returncode == 0


def test_mypy_fails_on_a_wrong_type(gate, plant):
    plant("tools/x.py", 'def f(n: int) -> int:\n    return n + "1"\n')
    assert gate("mypy").returncode == 1


def test_mypy_fails_on_an_untyped_tool(gate, plant):
    plant("tools/envs.py", "def f(n):\n    return n\n")
    assert gate("mypy").returncode == 1


@pytest.fixture
def tidy_tree(tree: Path, plant: Plant) -> Callable[[str], Path]:
    if not any(shutil.which(name) for name in ("clang-tidy-19", "clang-tidy")):
        pytest.skip("clang-tidy is not installed: tools/setup.py check")

    def with_source(text: str) -> Path:
        source = plant("src/base/x.cpp", text)
        entry = {"directory": str(tree), "file": str(source), "command": f"c++ -c {source}"}
        (tree / "build").mkdir(exist_ok=True)
        (tree / "build" / "compile_commands.json").write_text(json.dumps([entry]))
        return tree

    return with_source


def test_clang_tidy_fails_on_a_bug_and_passes_when_it_is_gone(gate, tidy_tree):
    tidy_tree("int* f() { return 0; }\n")
    assert gate("clang-tidy").returncode == 1
    tidy_tree("int* f() { return nullptr; }\n")
    assert gate("clang-tidy").returncode == 0


def test_clang_tidy_looks_again_when_a_header_changes(gate, plant, tidy_tree):
    plant("src/base/x.h", "#pragma once\nint f(int* p = nullptr);\n")
    tree = tidy_tree('#include "base/x.h"\nint g() { return f(); }\n')
    database = tree / "build" / "compile_commands.json"
    database.write_text(database.read_text().replace("c++ -c", f"c++ -I{tree}/src -c"))
    assert gate("clang-tidy").returncode == 0
    plant("src/base/x.h", "#pragma once\nint f(int* p = 0);\n")
    assert gate("clang-tidy").returncode == 1


def test_an_unknown_gate_is_a_usage_error(gate):
    assert gate("no-such-gate").returncode == 2


# page


def test_page_fails_on_a_wrong_type_and_passes_on_a_right_one(root, gate, tree, plant):
    modules = root / "build" / "web" / "node_modules"
    if not (modules / "typescript").exists() or not shutil.which("node"):
        pytest.skip("this build has no report page: TypeScript came with none")
    (tree / "build" / "web").mkdir(parents=True)
    (tree / "build" / "web" / "node_modules").symlink_to(modules)
    plant("web/tsconfig.json", (root / "web" / "tsconfig.json").read_text(encoding="utf-8"))
    plant("web/src/size.ts", "export const size: number = 1;\n")
    assert gate("page").returncode == 0
    plant("web/src/size.ts", 'export const size: number = "1";\n')
    outcome = gate("page")
    assert outcome.returncode == 1 and "size.ts" in outcome.stdout
