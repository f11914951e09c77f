"""Loading, unloading and looking up go on as they do without Tenure, and what libraries allocate is seen."""

from __future__ import annotations

import os
from pathlib import Path

import find_python
import pytest

MIB = 1 << 20
PROGRAMS = Path(__file__).resolve().parent / "programs"


@pytest.fixture(scope="module")
def plugins(compiled):
    return [
        compiled("plugin.c", "-shared", "-fPIC", f"-DWHICH={n}", name=f"libplugin{n}.so")
        for n in (1, 2)
    ]


def test_dlopen_and_dlclose_loops(both, compiled, plugins):
    both([compiled("host.c", "-rdynamic"), "loop", *plugins])


def test_dlopen_loops_beside_allocating_threads(both, compiled, plugins):
    both([compiled("host.c", "-rdynamic"), "loop-beside-threads", *plugins])


def test_constructors_and_destructors_of_linked_libraries_allocate(both, compiled, plugins):
    folder, name = os.path.split(plugins[0])
    flags = ["-rdynamic", f"-L{folder}", f"-l:{name}", f"-Wl,-rpath,{folder}", "-Wl,--no-as-needed"]
    both([compiled("host.c", "-Wl,--no-as-needed", *flags), "lookup"])


@pytest.mark.parametrize(("mode", "answer"), [("deep-now", 1), ("deep-lazy", 1), ("shallow", 100)])
def test_deep_binding_is_kept_and_its_blocks_are_seen(both, compiled, plugins, mode, answer):
    pair = both([compiled("host.c", "-rdynamic"), mode, plugins[0]])
    assert b"calls: %d\n" % answer in pair.plain.stdout
    assert pair.findings["memory"]["peak_bytes"] >= 64 * MIB
    assert pair.findings["memory"]["live_bytes"] < MIB


def test_deep_binding_with_sealed_tables(both, compiled):
    flags = ["-shared", "-fPIC", "-DWHICH=3", "-Wl,-z,relro,-z,now"]
    plugin = compiled("plugin.c", *flags, name="libsealed.so")
    pair = both([compiled("host.c", "-rdynamic"), "deep-lazy", plugin])
    assert pair.findings["memory"]["peak_bytes"] >= 64 * MIB


def test_functions_that_were_looked_up_are_ours(both, compiled):
    pair = both([compiled("host.c", "-rdynamic"), "lookup"])
    assert pair.findings["memory"]["peak_bytes"] >= 96 * MIB
    assert pair.findings["memory"]["live_bytes"] < MIB


def test_the_callers_runpath_is_kept(both, compiled):
    asker = compiled(
        "asker.c",
        *["-shared", "-fPIC", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/hidden"],
        name="libasker.so",
    )
    compiled("plugin.c", "-shared", "-fPIC", "-DWHICH=42", name="hidden/libneighbour.so")
    assert Path(asker).with_name("hidden").is_dir()
    pair = both([compiled("host.c", "-rdynamic"), "runpath", asker])
    assert b"RUNPATH: 42" in pair.plain.stdout


def test_an_interposer_after_us(both, compiled):
    library = compiled("interposer.c", "-shared", "-fPIC", name="libinterposer.so")
    pair = both([compiled("interposed.c")], environ={"LD_PRELOAD": library})
    assert b"interposer saw: 500, bad: 0" in pair.plain.stdout
    assert pair.findings["memory"]["peak_bytes"] >= 500 * 77000


def test_an_interposer_before_us(both, compiled):
    library = compiled("interposer.c", "-shared", "-fPIC", name="libinterposer.so")
    script = f'LD_PRELOAD="{library}:$LD_PRELOAD" exec {compiled("interposed.c")}'
    pair = both(["/bin/sh", "-c", script])
    assert b"interposer saw: 500, bad: 0" in pair.plain.stdout
    assert pair.findings["memory"]["peak_bytes"] >= 500 * 77000


def test_ctypes_lookups_are_counted(both, env):
    script = (
        "import ctypes\n"
        "for libc in (ctypes.CDLL(None), ctypes.CDLL('libc.so.6')):\n"
        "    libc.malloc.restype = ctypes.c_void_p\n"
        "    libc.malloc.argtypes = [ctypes.c_size_t]\n"
        "    libc.free.argtypes = [ctypes.c_void_p]\n"
        "    p = libc.malloc(200 << 20)\n"
        "    libc.free(p)\n"
        "print('looked up')\n"
    )
    pair = both([env("tools"), "-c", script])
    assert 200 * MIB <= pair.findings["memory"]["peak_bytes"] < 300 * MIB


def test_blocks_that_another_library_ends(both, env, plugins):
    pair = both([env("tools"), PROGRAMS / "ends_elsewhere.py", *plugins])
    assert pair.plain.stdout == b"ended: True\n"
    assert 32 * MIB <= pair.findings["memory"]["peak_bytes"] < 64 * MIB
    assert pair.findings["memory"]["live_bytes"] < 8 * MIB


@pytest.mark.parametrize("version", find_python.SUPPORTED)
def test_blocks_made_after_the_interpreter_ended(both, compiled, version):
    python = find_python.find(version)
    if not python:
        pytest.skip(find_python.missing_hint(version))
    library = compiled("late_blocks.c", "-shared", "-fPIC", name="liblate_blocks.so")
    pair = both([python, "-c", f"import ctypes; ctypes.CDLL({library!r}); print('loaded')"])
    assert pair.findings["memory"]["peak_bytes"] >= 100 * MIB
