"""Every batch registers one more hook on a layer of a model."""

import sys

import torch

CLEAN = "clean" in sys.argv


class Probe:
    def __init__(self, size):
        self.trace = torch.zeros(size)  # made

    def __call__(self, module, inputs, output):
        self.trace[0] += 1


def main():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
    work = 0
    for number in range(200):
        handle = model[0].register_forward_hook(Probe(50_000))  # kept
        with torch.no_grad():
            work += float(model(torch.ones(1, 8)).sum() * 0) + sum(range(20_000))
        if CLEAN:
            handle.remove()
    print("work", work)


main()
