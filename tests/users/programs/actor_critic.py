"""Two losses of one network, each with an optimizer of its own; the first steps before the second goes back."""

import sys

import torch
from torch import nn

CLEAN = "clean" in sys.argv


class Agent:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 48), nn.Tanh())
        self.actor, self.critic = nn.Linear(48, 2), nn.Linear(48, 1)
        self.opt_actor = torch.optim.SGD([*self.net.parameters(), *self.actor.parameters()], 1e-2)
        self.opt_critic = torch.optim.SGD([*self.net.parameters(), *self.critic.parameters()], 1e-2)

    def update(self, seen, gain):
        hidden = self.net(seen)
        actor_loss = -(self.actor(hidden).log_softmax(-1)[:, 0] * gain).mean()
        critic_loss = (self.critic(hidden).squeeze(-1) - gain).square().mean()
        self.opt_actor.zero_grad()
        actor_loss.backward(retain_graph=True)
        if not CLEAN:
            self.opt_actor.step()  # ended
        self.opt_critic.zero_grad()
        critic_loss.backward()  # used
        self.opt_critic.step()


def main():
    torch.manual_seed(0)
    agent = Agent()
    for _ in range(3):
        agent.update(torch.randn(32, 8), torch.randn(32))


main()
