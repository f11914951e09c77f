import tenure
import torch

tenure.snapshot()
errors = []


def step(i):
    activation = torch.ones(1000, 1000) * i
    extra = [activation + 1, activation + 2]
    raise ValueError("bad batch %d of %d" % (i, len(extra)))


def main():
    for i in range(10):
        try:
            step(i)
        except ValueError as error:
            errors.append(error)


main()
tenure.snapshot()
print("fine")
