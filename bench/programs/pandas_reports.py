"""Reads made-up sales, joins and groups them, month by month, as a nightly report does."""

import io

import numpy
import pandas
import told

ROWS, MONTHS = 60_000, 24


def month(number, shops):
    draw = numpy.random.default_rng(number)
    sales = pandas.DataFrame(
        {
            "shop": draw.integers(0, 200, ROWS),
            "amount": draw.normal(20, 5, ROWS).round(2),
            "day": draw.integers(1, 29, ROWS),
        }
    )
    joined = sales.merge(shops, on="shop")
    by_town = joined.groupby(["town", "day"]).agg(total=("amount", "sum"), count=("amount", "size"))
    text = by_town.reset_index().to_csv(index=False)
    again = pandas.read_csv(io.StringIO(text))
    return float(again["total"].sum())


def main():
    shops = pandas.DataFrame({"shop": range(200), "town": [f"town {i % 12}" for i in range(200)]})
    told.working()
    totals = [month(number, shops) for number in range(MONTHS)]
    print(round(sum(totals)))
    told.done()


main()
