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
        ("src/ledger/reader.cpp", "analyze/growth.h"),
        ("src/inproc/hooks/libc.cpp", "report/terminal.h"),
        ("src/inproc/os/memory.cpp", "inproc/accounting/accounting.h"),
        ("src/analyze/growth.cpp", "inproc/os/memory.h"),
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
