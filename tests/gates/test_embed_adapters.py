"""What the library carries of the adapters is what each interpreter would compile itself."""

from __future__ import annotations

import importlib.util
import marshal
import sys
from pathlib import Path

import embed_adapters
import find_python
import pytest


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    file = tmp_path / "_one.py"
    file.write_text('"""One."""\n\n\ndef answer(text="?\\\\"):\n    return text * 2\n')
    return file


def test_code_of_this_interpreter_runs(adapter: Path) -> None:
    compiled = embed_adapters.compiled_by(sys.executable, [str(adapter)])
    assert compiled is not None
    magic, codes = compiled
    assert magic == int.from_bytes(importlib.util.MAGIC_NUMBER, "little")
    space: dict = {}
    exec(marshal.loads(codes["_one"]), space)
    assert space["answer"]() == "?\\?\\"
    assert space["answer"].__code__.co_filename == "<tenure>/_one.py"


def test_every_version_that_is_found_is_in_the_table(adapter: Path) -> None:
    table = "\n".join(embed_adapters.compiled_table([str(adapter)]))
    for version in find_python.SUPPORTED:
        assert (f"// CPython {version}" in table) == (find_python.find(version) is not None)


def test_an_interpreter_that_fails_is_left_out(adapter: Path, tmp_path: Path) -> None:
    assert embed_adapters.compiled_by("/bin/false", [str(adapter)]) is None


def test_bytes_survive_as_a_literal_of_c() -> None:
    every = bytes(range(256))
    text = embed_adapters.literal([every])
    assert "?" not in text.replace("\\077", ""), "no trigraphs"
    assert eval("b" + text.strip()) == every
