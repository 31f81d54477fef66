"""An architecture of your own: every layer reads all layers before it; trained by euchre-train, played by torch.

    python examples/own_architecture.py runs/dense

What follows the folder goes to euchre-train, such as `--set num_updates=10`; without it the training takes a few
minutes. From the folder of this file, the same training is

    euchre-train --set architecture=own_architecture:DENSE --run runs/dense

The cards of the saved player and critic name the architecture, so `load` and `load_critic` find it wherever this module
can be imported.
"""

import sys

import torch
from torch import Tensor, nn

from euchre_agents import load
from euchre_eval import MatchResult, play_match
from euchre_train import cli
from euchre_train.architectures import Architecture
from euchre_train.layers import ActiveLinear


class Dense(nn.Module):
    """Layers that read the units of all layers before them, after DenseNet (Huang et al. 2017).

    Args:
        num_inputs: the number of inputs, each 0 or 1.
        hidden_sizes: the new units of each hidden layer.
        num_outputs: 37 logits for the actor, one value for the critic.
        last_gain: the gain of the last layer's initial weights; small for the actor, which starts nearly uniform.
    """

    def __init__(self, num_inputs: int, hidden_sizes: tuple[int, ...], num_outputs: int, last_gain: float) -> None:
        super().__init__()
        self.first = ActiveLinear(num_inputs, hidden_sizes[0])
        self.hidden = nn.ModuleList(
            nn.Linear(sum(hidden_sizes[:layer]), hidden_sizes[layer]) for layer in range(1, len(hidden_sizes))
        )
        self.last = nn.Linear(sum(hidden_sizes), num_outputs)
        nn.init.orthogonal_(self.last.weight, last_gain)

    def forward(self, inputs: Tensor, counts: Tensor) -> Tensor:
        """The outputs, (B, num_outputs), where the inputs `inputs[i, :counts[i]]` of row i are 1 and all others 0."""
        units = torch.relu(self.first(inputs, counts))
        for layer in self.hidden:
            units = torch.cat([units, torch.relu(layer(units))], dim=1)
        return self.last(units)


DENSE = Architecture(Dense)


def main(folder: str = "runs/dense", *arguments: str) -> MatchResult:
    """Train such a network in `folder` and play it against the rule-based player."""
    changes = ["--set=architecture=own_architecture:DENSE", "--set=num_updates=90"]
    status = cli.main(["--run", folder, *changes, *arguments])
    if status:
        sys.exit(status)
    return play_match(load(folder), load("rules", seed=0), deals=1000)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
