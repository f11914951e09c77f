"""What a notebook shows of an answer: a sentence, a bar for each line, who keeps it. Nothing is computed here but widths.

Pure functions. No script and no style sheet: notebooks are stored, sent and shown where neither is run.
"""

from html import escape

CELL = "padding:2px 12px 2px 0;text-align:left;vertical-align:top;border:none;background:none"
FIGURE = CELL.replace("left", "right") + ";white-space:nowrap"
BAR = "display:inline-block;height:0.7em;background:#c0504d;width:%dpx"
DIM = "opacity:0.7"
WIDEST = 120  # pixels of a bar


def element(name, text, style=""):
    attribute = ' style="%s"' % style if style else ""
    return "<%s%s>%s</%s>" % (name, attribute, text, name)


def bar(size, most):
    return element("span", "", BAR % max(1, round(WIDEST * size / most)) if most else "")


def row_of(line, most):
    words = element("code", escape(line["source"])) if line["source"] else ""
    details = [escape(line["at"]) + (" " + words if words else "")]
    if line["made_at"]:
        details.append(element("span", "made at " + escape(line["made_at"]), DIM))
    if line["note"]:
        details.append(element("span", escape(line["note"]), DIM))
    if line["kept_by"]:
        details.append("kept by " + escape(line["kept_by"]))
    if line["fix"]:
        details.append("fix: " + escape(line["fix"]))
    figures = element("td", escape(line["size"]), FIGURE) + element(
        "td", bar(line["bytes"], most), CELL
    )
    return element("tr", figures + element("td", "<br>".join(details), CELL))


def page_of_cell(since):
    most = max((line["bytes"] for line in since["lines"]), default=0)
    rows = "".join(row_of(line, most) for line in since["lines"])
    parts = [element("div", element("b", "tenure") + " " + escape(since["sentence"]))]
    if rows:
        parts.append(element("table", element("tbody", rows), "border:none;margin:4px 0"))
    parts += [
        element("div", escape(since[word]), DIM) for word in ("rest", "unknown") if since[word]
    ]
    return element("div", "".join(parts))


def page_of_notebook(findings, text):
    """The findings that grow with a bar each, and the whole report below."""
    grown = [f for f in findings["findings"] if f["bytes"]]
    most = max((f["bytes"] for f in grown), default=0)
    rows = "".join(row_of_finding(finding, most) for finding in grown)
    first, _, rest = text.partition("\n")
    parts = [element("div", escape(first))]
    if rows:
        parts.append(element("table", element("tbody", rows), "border:none;margin:4px 0"))
    if rest.strip():
        whole = element("summary", "the whole report") + element("pre", escape(rest.strip("\n")))
        parts.append(element("details", whole))
    return element("div", "".join(parts))


def row_of_finding(finding, most):
    details = [escape(finding["severity"]) + " " + escape(finding["title"])]
    for place in finding["where"]:
        source = " " + element("code", escape(place["source"])) if place["source"] else ""
        at = "%s:%d" % (place["file"], place["line"])
        if place["file"].startswith("In["):
            at = "%s, line %d" % (place["file"], place["line"])
        details.append("%s %s%s" % (escape(place["role"]), escape(at), source))
    if finding["holder"]:
        details.append("kept by " + escape(finding["holder"]["text"]))
    if finding["fix"]:
        details.append("fix: " + escape(finding["fix"]))
    bars = element("td", bar(finding["bytes"], most), CELL)
    return element("tr", bars + element("td", "<br>".join(details), CELL))
