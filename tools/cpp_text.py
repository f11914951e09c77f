"""C++ text without what the compiler does not act on, for checks that look for words.

Comments, strings and characters become spaces; every other character keeps its line and column.
"""

from __future__ import annotations

import re

# A quote after a digit or a name is a separator, as in 100'000, or a prefix's, as in u8'x'.
SKIPPED = re.compile(
    r"""//(?:\\\n|[^\n])*                                # to the end of the line
      | /\*.*?\*/                                        # over lines
      | \bR"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"   # raw string
      | "(?:\\.|[^"\\\n])*"
      | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL,
)
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def code_of(text: str) -> str:
    """The text with comments and literals of text blanked out."""
    return SKIPPED.sub(blank, text)
