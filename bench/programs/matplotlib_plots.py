"""Draws and closes some figures, as a script that makes the pictures of a paper does."""

import io

import matplotlib

matplotlib.use("Agg")
import numpy
import told
from matplotlib import pyplot


def picture(number):
    draw = numpy.random.default_rng(number)
    figure, axes = pyplot.subplots(2, 2, figsize=(6, 5))
    x = numpy.linspace(0, 10, 500)
    axes[0][0].plot(x, numpy.sin(x + number), label="sine")
    axes[0][0].legend()
    axes[0][1].scatter(draw.normal(size=300), draw.normal(size=300), s=4)
    axes[1][0].hist(draw.normal(size=2000), bins=40)
    axes[1][1].imshow(draw.normal(size=(40, 40)))
    figure.suptitle(f"picture {number}")
    out = io.BytesIO()
    figure.savefig(out, dpi=80)
    pyplot.close(figure)
    return len(out.getvalue())


def main():
    told.working()
    print(sum(picture(number) for number in range(12)) > 0)
    told.done()


main()
