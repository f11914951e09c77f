"""Training of a small transformer encoder."""

import measured
import torch


def loop(n):
    for _ in range(n):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.set_num_threads(1)
torch.manual_seed(0)
layer = torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True, dropout=0.0)
model = torch.nn.TransformerEncoder(layer, 2)
x = torch.randn(16, 64, 128)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
measured.steady(loop, 4, 30, settled_after=5)
