"""One wheel, written so that the same contents are the same bytes: sorted names, one time, modes of our own."""

from __future__ import annotations

import base64
import hashlib
import time
import zipfile
from pathlib import Path
from typing import Dict, Tuple

EARLIEST = 315532800  # 1980: zip knows no earlier year


def record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


class Archive:
    """Files by name, then write() once."""

    def __init__(self, epoch: int) -> None:
        self._epoch = max(epoch, EARLIEST)
        self._files: Dict[str, Tuple[bytes, bool]] = {}

    def add(self, name: str, content: bytes, is_executable: bool = False) -> None:
        if name in self._files:
            raise ValueError(f"{name} is there twice")
        self._files[name] = (content, is_executable)

    def add_file(self, name: str, path: Path, is_executable: bool = False) -> None:
        self.add(name, path.read_bytes(), is_executable)

    def add_record(self, name: str) -> None:
        """The list of all files with their sums, which pip checks and uninstalls by."""
        lines = [record_line(other, content) for other, (content, _) in sorted(self._files.items())]
        self.add(name, "".join([*lines, f"{name},,\n"]).encode())

    def write(self, path: Path) -> None:
        moment = time.gmtime(self._epoch)[:6]
        scratch = path.with_name(path.name + ".new")
        with zipfile.ZipFile(scratch, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
            for name, (content, is_executable) in sorted(self._files.items()):
                entry = zipfile.ZipInfo(name, moment)
                entry.create_system = 3  # Unix: the mode below is meant
                entry.external_attr = (0o100755 if is_executable else 0o100644) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                out.writestr(entry, content)
        scratch.replace(path)
