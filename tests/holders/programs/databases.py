"""A connection to a database in memory for every customer, kept in a dict."""

import sqlite3
import sys

CLEAN = "clean" in sys.argv


class Customers:
    def __init__(self):
        self.open = {}

    def of(self, name):
        base = sqlite3.connect(":memory:")
        base.execute("create table orders (line text)")
        base.executemany("insert into orders values (?)", [("x" * 500,)] * 200)  # made
        self.open["same" if CLEAN else name] = base  # kept
        return base.execute("select count(*) from orders").fetchone()[0]


def main():
    customers = Customers()
    print("orders", sum(customers.of(f"customer {number}") for number in range(150)))


main()
