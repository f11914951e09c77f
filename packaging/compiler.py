"""The wheel's compiler: zig from PyPI. It brings its own libc++ and the symbols of every old glibc, so that what it links
here runs there. It lives with the other environments (tools/envs.py), its cache beside them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Dict

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))

import envs  # noqa: E402
import find_python  # noqa: E402
import recipe  # noqa: E402

TOOLS = HERE / "zig"


def cache() -> Path:
    return find_python.cache_root() / "wheel"


def zig() -> Path:
    folder = Path(envs.path("zig")).parent.parent
    return next(folder.glob("lib/python*/site-packages/ziglang/zig"))


def version() -> str:
    (pin,) = envs.entry_of("zig")["packages"]
    return str(pin).split("==")[1]


def environment() -> Dict[str, str]:
    """What the scripts in packaging/zig need. ccache is told the version: of those scripts it could only see the time."""
    zig_cache = str(cache() / f"zig-{version()}")
    return {
        **os.environ,
        "TENURE_ZIG": str(zig()),
        "TENURE_ZIG_TARGET": recipe.TARGET,
        "ZIG_GLOBAL_CACHE_DIR": zig_cache,
        "ZIG_LOCAL_CACHE_DIR": zig_cache,
        "CCACHE_COMPILERCHECK": f"string:zig {version()} {recipe.TARGET}",
        "LC_ALL": "C",
        "TZ": "UTC",
    }
