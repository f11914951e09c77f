"""A hook on a layer's gradients keeps each of them in the object that set it."""

import sys

import torch
from torch import nn

CLEAN = "clean" in sys.argv


class GradientWatch:
    def __init__(self, layer):
        self.history = []
        layer.register_full_backward_hook(self.note)

    def note(self, _module, _grad_input, grad_output):
        gradient = grad_output[0]
        self.history.append(gradient.norm().item() if CLEAN else gradient)  # kept


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    hidden, head = nn.Linear(64, 512), nn.Linear(512, 1)
    watch = GradientWatch(hidden)
    weights = [*hidden.parameters(), *head.parameters()]
    for _ in range(150):
        x = torch.randn(64, 64, requires_grad=True)
        loss = head(torch.tanh(hidden(x))).square().mean()
        loss.backward()  # made
        for weight in weights:
            weight.data -= 0.01 * weight.grad
            weight.grad = None
    print(len(watch.history))


main()
