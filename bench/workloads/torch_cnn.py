"""Training of a small convolutional network on pictures of 32 x 32."""

import measured
import torch


def loop(n):
    for _ in range(n):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.set_num_threads(1)
torch.manual_seed(0)
x, y = torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,))
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 16, 3, padding=1),
    torch.nn.ReLU(),
    torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(16, 32, 3, padding=1),
    torch.nn.ReLU(),
    torch.nn.Flatten(),
    torch.nn.Linear(32 * 16 * 16, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
measured.steady(loop, 10, 100, settled_after=5)
