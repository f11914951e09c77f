#!/usr/bin/env python3
"""Makes stub CUDA libraries, so that a torch wheel works on the CPU without the CUDA wheels.

usage: cuda_stubs.py SITE_PACKAGES       the folder that holds torch/

For test environments only. The stubs are made from what torch's own libraries need: each library
that is not on this machine gets one, with every symbol (and symbol version) torch asks it for. A
stub function returns 100, CUDA's "no device". They are written into torch/lib, where torch's own
search path ends, so no environment variable is needed. Needs cc, nm and readelf.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Set

# What is missing and is none of these means a broken machine or wheel: that is an error.
CUDA_LIBRARY = re.compile(r"lib(cu[a-zA-Z]+|nvrtc|nccl|nvshmem_host|nvToolsExt|nvJitLink)\.so")
NO_DEVICE = 100


class Stub:
    """One library to be made: its symbols by version; "" holds those without one."""

    def __init__(self) -> None:
        self.symbols: Dict[str, Set[str]] = {}

    def add(self, symbol: str, version: str) -> None:
        self.symbols.setdefault(version, set()).add(symbol)

    def source(self) -> str:
        names = sorted(set().union(*self.symbols.values())) if self.symbols else []
        return "\n".join(function_text(name) for name in names) + "\n"

    def version_script(self) -> str:
        nodes = [
            "%s { global: %s; };" % (version, "; ".join(sorted(names)))
            for version, names in sorted(self.symbols.items())
            if version
        ]
        return "\n".join(nodes) + "\n"


def function_text(name: str) -> str:
    if name.endswith(("GetErrorString", "GetErrorName")):
        return 'const char *%s(void) { return "no CUDA device (stub library)"; }' % name
    if name.startswith("__cuda"):  # registration at load time: must look like success
        return "void *%s(void) { return 0; }" % name
    return "int %s(void) { return %d; }" % (name, NO_DEVICE)


def output_of(*command: str) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode(errors="replace")


def needed_by(library: Path) -> List[str]:
    return re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-d", str(library)))


def file_of_version(library: Path) -> Dict[str, str]:
    """Symbol version -> the library it is expected from."""
    files: Dict[str, str] = {}
    current = ""
    for line in output_of("readelf", "-V", "-W", str(library)).splitlines():
        file = re.search(r"Version: \d+\s+File: (\S+)\s+Cnt:", line)
        name = re.search(r"Name: (\S+)\s+Flags: .*Version: \d+", line)
        if file:
            current = file[1]
        elif name and current:
            files[name[1]] = current
    return files


def defined_in(library: Path) -> Set[str]:
    lines = output_of("nm", "-D", "--defined-only", "--format=posix", str(library)).splitlines()
    return {line.split()[0].split("@")[0] for line in lines}


def undefined_in(library: Path) -> List[str]:
    """Strong undefined symbols, as name or name@VERSION."""
    lines = output_of(
        "nm", "-D", "--undefined-only", "--with-symbol-versions", "--format=posix", str(library)
    ).splitlines()
    words = [line.split() for line in lines]
    return [w[0].replace("@@", "@") for w in words if len(w) > 1 and w[1] == "U"]


def is_on_this_machine(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
        return True
    except OSError:
        return False


def plan(libraries: List[Path]) -> Dict[str, Stub]:
    own = {library.name for library in libraries}
    provided: Set[str] = set().union(*(defined_in(library) for library in libraries))
    stubs: Dict[str, Stub] = {}
    for library in libraries:
        others = [n for n in needed_by(library) if n not in own]
        absent = [n for n in others if n in stubs or not is_on_this_machine(n)]
        strange = [n for n in absent if not CUDA_LIBRARY.match(n)]
        if strange:
            raise SystemExit(f"{library.name} needs {', '.join(strange)}, which is no CUDA library")
        for soname in absent:
            stubs.setdefault(soname, Stub())
        files = file_of_version(library)
        for symbol in undefined_in(library):
            name, _, version = symbol.partition("@")
            if name.startswith(("Py", "_Py")):  # answered by the interpreter
                continue
            if version and files.get(version) in stubs:
                stubs[files[version]].add(name, version)
            elif not version and absent and name not in provided:
                # Without a version any library of the same load order answers.
                stubs[absent[0]].add(name, "")
    return stubs


def compile_stub(soname: str, stub: Stub, folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        source, script = Path(scratch, "stub.c"), Path(scratch, "stub.map")
        source.write_text(stub.source())
        script.write_text(stub.version_script())
        command = ["cc", "-shared", "-fPIC", "-O1", "-w", "-fno-builtin", "-Wl,-soname," + soname]
        command += ["-o", str(folder / soname), str(source)]
        if any(stub.symbols):
            command.append("-Wl,--version-script=" + str(script))
        subprocess.run(command, check=True)


def make(site_packages: Path) -> List[str]:
    folder = site_packages / "torch" / "lib"
    libraries = sorted(p for p in folder.glob("lib*.so*") if not CUDA_LIBRARY.match(p.name))
    if not libraries:
        raise SystemExit(f"no torch libraries in {folder}")
    stubs = plan(libraries)
    for soname, stub in stubs.items():
        compile_stub(soname, stub, folder)
    return sorted(stubs)


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: cuda_stubs.py SITE_PACKAGES", file=sys.stderr)
        return 2
    print("stubs: " + " ".join(make(Path(sys.argv[1]))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
