"""IPython in a terminal: plain text, and a session instead of a notebook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from .conftest import ROOT

SHELL = """
from IPython.terminal.interactiveshell import TerminalInteractiveShell
shell = TerminalInteractiveShell.instance(colors="NoColor", simple_prompt=True)
for cell in (
    "%load_ext tenure",
    "import numpy as np\\nkept = []",
    "%%tenure\\nfor i in range(20):\\n    kept.append(bytearray(500_000))",
    "%%tenure\\nnp.ones(400_000)",
    "%%tenure\\nawait_me = bytearray(2_000_000)\\nimport asyncio\\nawait asyncio.sleep(0)",
    "get_ipython().run_cell_magic('tenure', '', 'called = bytearray(4_000_000)')",
):
    shell.run_cell(cell, store_history=True)
"""


def test_a_terminal_shows_plain_text(run_tenure, jupyter, tmp_path: Path) -> None:
    (tmp_path / "shell.py").write_text(SHELL, encoding="utf-8")
    command = ["run", "--no-report", "--", jupyter.python, "shell.py"]
    done = run_tenure(command, environ={"IPYTHONDIR": jupyter.environment["IPYTHONDIR"]})
    text = done.stdout
    assert "In[3] left 9.5 MiB behind" in text
    assert "In[3], line 3   kept.append(bytearray(500_000))" in text
    assert "kept by global list `kept` of the IPython session (20 items)" in text
    assert "kept by ndarray Out[4] of the IPython session" in text
    assert "kept by global bytearray `await_me` of the IPython session" in text
    assert "In[6] left" in text and "global bytearray `called`" in text
    assert "<div" not in text


def test_the_data_follow_the_schema(run_tenure, jupyter, tmp_path: Path) -> None:
    import jsonschema

    (tmp_path / "shell.py").write_text(SHELL, encoding="utf-8")
    run = ["run", "-o", "record", "--", jupyter.python, "shell.py"]
    run_tenure(run, environ={"IPYTHONDIR": jupyter.environment["IPYTHONDIR"]})
    schema = json.loads((ROOT / "docs" / "since.schema.json").read_text(encoding="utf-8"))
    for cell in ("In[3]", "In[4]"):
        shown = run_tenure(["show", "record", "--since", cell, "--json", "-"])
        jsonschema.validate(json.loads(shown.stdout), schema)
        assert json.loads(shown.stdout)["mark"] == cell


def test_the_magics_need_no_ipython_to_be_imported() -> None:
    lines = "from tenure.notebook import _magics as m\n"
    lines += "print(m.without_magic(['%%tenure on\\n', 'x\\n']), m.without_magic(['x = 1\\n']))\n"
    lines += "print(m.without_magic(['%%tenure\\n', '%%time\\n', 'x\\n']), m.without_magic([]))\n"
    lines += (
        "print(m.asks_to_be_judged('%%time\\n%%tenure\\nx'), m.asks_to_be_judged('x\\n%%tenure'))\n"
    )
    lines += "print(m.is_magic('%%tenures'))"
    done = subprocess.run(
        [sys.executable, "-c", lines],
        env={"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "['\\n', 'x\\n'] ['x = 1\\n']",
        "['%%time\\n', 'x\\n'] []",
        "True False",
        "False",
    ]
