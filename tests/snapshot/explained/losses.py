import tenure
import torch

net = torch.nn.Sequential(torch.nn.Linear(256, 256), torch.nn.ReLU(), torch.nn.Linear(256, 1))
(net(torch.randn(1024, 256)) ** 2).mean().backward()  # libraries take their scratch memory
tenure.snapshot()
losses = []
for _ in range(30):
    losses.append((net(torch.randn(1024, 256)) ** 2).mean())
tenure.snapshot()
print("fine")
