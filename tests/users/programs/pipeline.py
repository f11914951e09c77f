"""A pipeline over CSV text that groups rows by user for good: small objects only."""

import csv
import io
import sys
from collections import defaultdict

def make_csv(n):
    out = io.StringIO()
    w = csv.writer(out)
    for k in range(300):
        w.writerow([n, k, f"user-{n}-{k}", "note " * 12])
    return out.getvalue()

class Aggregator:
    def __init__(self):
        self.by_user = defaultdict(list)
        self.counts = defaultdict(int)

    def feed(self, text):
        for row in csv.DictReader(io.StringIO(text), ["day", "k", "user", "note"]):
            if CLEAN:
                self.counts[row["k"]] += 1
            else:
                self.by_user[row["user"]].append(row)  # kept

def main():
    agg = Aggregator()
    for n in range(200):
        agg.feed(make_csv(n))
    print(len(agg.by_user), len(agg.counts))

CLEAN = "clean" in sys.argv
main()
