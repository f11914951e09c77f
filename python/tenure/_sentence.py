"""Sentences for the report: a code and named parameters in one text, in the form that src/base/sentence.h has.

The English is in src/report/texts. `sentence` is given to every adapter by the boot.
"""

BEGIN, END, NEXT = "\x02", "\x03", "\x1f"
NOT_PLAIN = {ord(byte): " " for byte in (BEGIN, END, NEXT)}


class Sentence(str):
    """One that is encoded: the only text that may bring its separators into another."""


def sentence(code, **parameters):
    """Parameters are texts, numbers or sentences; an empty one is as good as none."""
    parts = [code]
    for name, value in parameters.items():
        text = value if isinstance(value, Sentence) else str(value).translate(NOT_PLAIN)
        if text:
            parts.append("%s=%s" % (name, text))
    return Sentence(BEGIN + NEXT.join(parts) + END)
