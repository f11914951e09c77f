"""Every way to start Python and to hand it code: same words, same end, and the memory is seen."""

from __future__ import annotations

import subprocess
import sys
import zipapp
from pathlib import Path

import find_python
import pytest

MIB = 1 << 20
WORK = """import sys
kept = []
for i in range(40):
    kept.append(bytearray(500_000))
print('kept', len(kept), __name__, sys.flags.optimize, sys.flags.isolated, len(sys.argv))
sys.exit(5)
"""
HELD = 40 * 500_000


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "work.py"
    file.write_text(WORK)
    return file


@pytest.fixture
def python(env) -> str:
    return str(env("tools"))


def saw_it(pair) -> None:
    assert pair.plain.code == 5
    assert b"kept 40" in pair.plain.stdout
    assert pair.findings["memory"]["peak_bytes"] >= HELD
    assert pair.findings["program"]["exit"] == 5
    assert pair.findings["program"]["python"]


@pytest.mark.parametrize(
    "options", ["-E", "-I", "-S", "-ESI", "-O", "-OO", "-B", "-u", "-s", "-Xutf8", "-Xfaulthandler"]
)
def test_options_of_the_interpreter(both, python, script, options):
    saw_it(both([python, options, script]))


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONMALLOC": "malloc"},
        {"PYTHONMALLOC": "debug"},
        {"PYTHONMALLOC": "malloc_debug"},
        {"PYTHONMALLOC": "pymalloc_debug"},
        {"PYTHONDEVMODE": "1"},
        {"PYTHONTRACEMALLOC": "5"},
        {"PYTHONHASHSEED": "0"},
        {"PYTHONUNBUFFERED": "1"},
        {"PYTHONSAFEPATH": "1"},
        {"MALLOC_PERTURB_": "165"},
        {"MALLOC_ARENA_MAX": "1"},
        {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"},
        {"LC_ALL": "C"},
        {"LANG": "xx_XX.nonsense"},
    ],
    ids=lambda variables: "=".join(*variables.items()),
)
def test_variables_of_the_interpreter(both, python, script, variables):
    saw_it(both([python, script], environ=variables))


def test_code_in_a_word(both, python):
    saw_it(both([python, "-c", WORK, "more", "words"]))


def test_a_script_on_standard_input(both, python):
    saw_it(both([python], stdin=WORK.encode()))
    saw_it(both([python, "-", "word"], stdin=WORK.encode()))


def test_a_module(both, python, script):
    saw_it(both([python, "-m", "work"], cwd=script.parent))


def test_a_package_that_is_run(both, python, tmp_path):
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__main__.py").write_text(WORK)
    saw_it(both([python, "-m", "package"], cwd=tmp_path))
    saw_it(both([python, "package"], cwd=tmp_path))


def test_an_archive(both, python, tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "__main__.py").write_text(WORK)
    zipapp.create_archive(tmp_path / "source", tmp_path / "app.pyz")
    saw_it(both([python, tmp_path / "app.pyz"]))


def test_a_link_to_a_script(both, python, script):
    (script.parent / "linked.py").symlink_to(script)
    saw_it(both([python, script.parent / "linked.py"]))


def test_an_environment_of_links(both, tmp_path, script):
    subprocess.run([sys.executable, "-m", "venv", "--symlinks", "--without-pip", tmp_path / "v"])
    saw_it(both([tmp_path / "v" / "bin" / "python", script]))


def test_a_script_that_names_its_interpreter(both, python, script):
    script.write_text(f"#!{python}\n" + WORK)
    script.chmod(0o755)
    saw_it(both([script]))


def test_a_script_named_in_other_letters(both, python, tmp_path):
    file = tmp_path / "naïve Œuvre 日本.py"
    file.write_text(WORK)
    pair = both([python, file])
    saw_it(pair)


def test_a_script_whose_name_is_no_text(both, python, tmp_path):
    file = bytes(tmp_path) + b"/n\xefve.py"
    Path(file.decode(errors="surrogateescape")).write_text(WORK)
    saw_it(both([python, file.decode(errors="surrogateescape")]))


def test_a_script_in_an_old_encoding(both, python, tmp_path):
    file = tmp_path / "old.py"
    file.write_bytes(b"# -*- coding: latin-1 -*-\nname = '\xe9t\xe9'\n" + WORK.encode())
    saw_it(both([python, file]))


def test_a_leak_in_a_file_whose_name_is_no_text(both, python, tmp_path):
    """The finding names the file all the same, in valid JSON."""
    file = (bytes(tmp_path) + b"/l\xe4ck.py").decode(errors="surrogateescape")
    Path(file).write_text("kept = []\nfor i in range(400):\n    kept.append(bytearray(100_000))\n")
    pair = both([python, file])
    (leak,) = pair.findings["findings"]
    assert leak["where"][0]["line"] == 3
    assert leak["where"][0]["file"].endswith("ck.py")


NOTEBOOK = """
import linecache
cells = ["kept = []", "for i in range(400):\\n    kept.append(bytearray(100_000))\\n", "print(len(kept))"]
space = {"__name__": "__main__"}
for number, cell in enumerate(cells):
    name = f"<cell {number}>"
    linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)
    exec(compile(cell, name, "exec"), space)
"""


def test_cells_of_a_notebook(both, python, tmp_path):
    file = tmp_path / "notebook.py"
    file.write_text(NOTEBOOK)
    pair = both([python, file])
    assert pair.findings["verdict"] == "leak"
    (leak,) = pair.findings["findings"]
    assert (leak["where"][0]["file"], leak["where"][0]["line"]) == ("<cell 1>", 2)
    assert "kept" in leak["holder"]["text"]


@pytest.mark.parametrize("name", ["", "<>", "no such file.py", "x" * 3000, "a\nb", "%s%n", "é"])
def test_code_with_odd_names_of_files(both, python, name):
    code = f"exec(compile({WORK!r}, {name!r}, 'exec'))"
    saw_it(both([python, "-c", code]))


def test_times_of_imports(python, tenure, tmp_path, script):
    """The times differ, and Tenure's own part needs a few modules more."""
    run = [tenure, "run", "--quiet", "-o", str(tmp_path / "r"), "--"]
    words = [python, "-X", "importtime", "-I", str(script)]
    plain, traced = (
        subprocess.run([*way, *words], capture_output=True, text=True) for way in ([], run)
    )
    assert (traced.stdout, traced.returncode) == (plain.stdout, plain.returncode)
    told, seen = (
        {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
        for done in (plain, traced)
    )
    assert len(told) > 10 and told <= seen


def test_a_run_of_pytest(python, tenure, tmp_path):
    file = tmp_path / "test_it.py"
    file.write_text(
        "def test_good():\n    assert len(bytearray(30_000_000))\n\n"
        "def test_bad():\n    assert 1 == 2\n"
    )
    words = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    run = [tenure, "run", "--quiet", "-o", str(tmp_path / "r"), "--"]
    plain, traced = (
        subprocess.run([*way, *words], capture_output=True, text=True, cwd=tmp_path)
        for way in ([], run)
    )
    assert traced.returncode == plain.returncode == 1
    assert traced.stdout.split(" in ")[0] == plain.stdout.split(" in ")[0]
    shown = subprocess.run([tenure, "show", str(tmp_path / "r")], capture_output=True)
    assert shown.returncode == 0


@pytest.mark.parametrize("version", find_python.SUPPORTED)
def test_interpreters_beside_the_first_one(both, programs, version):
    interpreter = find_python.find(version)
    if not interpreter:
        pytest.skip(find_python.missing_hint(version))
    pair = both([interpreter, programs / "interpreters.py"])
    assert pair.plain.stdout == b"I/O operation on closed file\n"
    assert pair.plain.code == 0
