"""Watches the activations of a model with a forward hook, and keeps them all."""

import sys

import torch
from torch import nn

CLEAN = "clean" in sys.argv


def watch(model):
    seen = {}

    def hook(module, _inputs, output):
        rows = seen.setdefault(module.name, [])
        rows.append(output.mean().item() if CLEAN else output)  # kept

    for name, layer in model.named_children():
        layer.name = name
        layer.register_forward_hook(hook)
    return seen


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
    seen = watch(model)
    best = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(150):
        x, y = torch.randn(128, 64), torch.randint(10, (128,))
        loss = nn.functional.cross_entropy(model(x), y)  # made
        best.zero_grad()
        loss.backward()
        best.step()
    print(len(seen))


main()
