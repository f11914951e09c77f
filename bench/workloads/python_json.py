"""Texts of 100 KB written and read as JSON."""

import json

import measured


def loop(n):
    for _ in range(n):
        json.loads(json.dumps(data))


data = {f"key{i}": {"name": "x" * (i % 60), "values": list(range(i % 30))} for i in range(1000)}
measured.steady(loop, 3, 60)
