"""A model that is trained as it should be."""

import torch
from torch import nn


def train(model, steps):
    optimizer = torch.optim.Adam(model.parameters())
    losses = []
    for _ in range(steps):
        inputs = torch.randn(64, 512)
        loss = model(inputs).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


torch.set_num_threads(1)
train(nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 512)), 150)
