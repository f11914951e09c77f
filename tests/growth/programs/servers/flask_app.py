"""Flask: /leak keeps 200 KiB of every request in a module's list, /fine keeps nothing."""

from flask import Flask

app = Flask(__name__)
seen = []


@app.route("/leak")
def leak():
    rows = bytearray(204_800)
    seen.append(rows)
    return "ok"


@app.route("/fine")
def fine():
    return str(len(bytearray(204_800)))
