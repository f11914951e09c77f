"""`tenure live` in a pseudo terminal: what its screen shows, as far as the view uses the terminal."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from typing import Callable, Dict, List, Optional

PATIENCE = 90  # seconds, on a busy machine
PIECE = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b.|([^\x1b]+)")
HALF = re.compile(r"\x1b(\[[?0-9;]*)?$")  # a sequence whose end is still to come


class Screen:
    """Rows of text from the few sequences that the view sends: place the cursor, clear, colours, the other screen."""

    def __init__(self) -> None:
        self.rows: Dict[int, str] = {}
        self.row = 1
        self.is_own = False
        self.has_cursor = True
        self.after = ""  # text outside of the view's own screen

    def feed(self, text: str) -> None:
        for words, letter, plain in PIECE.findall(text):
            if plain and self.is_own:
                self.rows[self.row] = self.rows.get(self.row, "") + plain
            elif plain:
                self.after += plain
            elif letter == "H":
                self.row = int(words.split(";")[0])
            elif letter == "K":
                self.rows[self.row] = ""
            elif letter == "J":
                self.rows = {}
            elif letter in "hl":
                self.switch(words, letter == "h")

    def switch(self, words: str, is_on: bool) -> None:
        if words == "?1049":
            self.is_own = is_on
        if words == "?25":
            self.has_cursor = is_on

    @property
    def text(self) -> str:
        return "\n".join(self.rows.get(row, "") for row in range(1, max(self.rows, default=0) + 1))


class Viewer:
    def __init__(
        self,
        command: List[str],
        cwd: str,
        rows: int = 24,
        columns: int = 80,
        environ: Optional[Dict[str, str]] = None,
    ) -> None:
        self.terminal, self.inside = pty.openpty()
        self.size(rows, columns)
        self.before = termios.tcgetattr(self.inside)
        words = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(environ or {})}
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdin=self.inside,
            stdout=self.inside,
            stderr=self.inside,
            env={**os.environ, **words},
            start_new_session=True,
            preexec_fn=self.take_terminal,
        )
        self.screen = Screen()
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.pending = ""

    @staticmethod
    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def size(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def take_in(self, seconds: float) -> None:
        if not select.select([self.terminal], [], [], seconds)[0]:
            return
        self.pending += self.decoder.decode(os.read(self.terminal, 65536))
        half = HALF.search(self.pending)
        end = half.start() if half else len(self.pending)
        self.screen.feed(self.pending[:end])
        self.pending = self.pending[end:]

    def wait_for(self, condition: Callable[[Screen], bool]) -> str:
        """The screen as it was when the condition came true."""
        end = time.monotonic() + PATIENCE
        while not condition(self.screen):
            assert time.monotonic() < end, f"never came; last seen:\n{self.screen.text}"
            self.take_in(0.2)
        return self.screen.text

    def wait_for_text(self, words: str) -> str:
        return self.wait_for(lambda screen: words in screen.text)

    def wait_for_end(self) -> int:
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it did not end; last seen:\n{self.screen.text}"
            self.take_in(0.1)
        while select.select([self.terminal], [], [], 0)[0]:
            self.take_in(0)
        return self.process.returncode

    def is_given_back(self) -> bool:
        """The keys, the screen and the cursor are as they were."""
        return (
            termios.tcgetattr(self.inside) == self.before
            and not self.screen.is_own
            and self.screen.has_cursor
        )

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self.inside)
        os.close(self.terminal)
