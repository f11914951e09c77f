import tenure
import torch

net = torch.nn.Sequential(torch.nn.Linear(500, 500), torch.nn.ReLU(), torch.nn.Linear(500, 500))
weight = torch.ones(1000, 1000, requires_grad=True)
with torch.no_grad():
    net(torch.randn(500, 500))
tenure.snapshot()


def keep_outputs(layer):
    outputs = []
    layer.register_forward_hook(lambda module, given, output: outputs.append(output.detach()))


def keep_gradients():
    gradients = [torch.ones(1000, 1000) for _ in range(3)]
    weight.register_hook(lambda gradient: gradients.append(gradient))


keep_outputs(net[0])
keep_gradients()
with torch.no_grad():
    for _ in range(20):
        net(torch.randn(500, 500))
tenure.snapshot()
print("fine")
