"""Element-wise work on tensors of 64 MiB."""

import measured
import torch


def loop(n):
    for _ in range(n):
        torch.relu(x * y + x)


torch.set_num_threads(1)
x, y = torch.ones(16 << 20), torch.ones(16 << 20)
measured.steady(loop, 2, 8)
