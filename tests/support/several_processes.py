"""One learning step of several processes, each of which saves what it saw: a program for torchrun.

`python -m torch.distributed.run --standalone --nproc-per-node 2 -m -- support.several_processes FOLDER`
"""

import sys
from pathlib import Path

import torch

from euchre_train.checkpoint import spread
from euchre_train.parallel import Processes, exit_process
from euchre_train.ppo import explained_variance, mean_and_variance, new_training, ppo_update
from support.training import first_batch, tiny

ONE_STEP = tiny(
    num_epochs=1, minibatch_size=10**6, sure_decisions=1.0, max_grad_norm=1e9, hidden_sizes=(16, 16),
    past_self_fraction=0.0,
)  # fmt: skip
TOTALS = (1, 2, 7, 64)


def learning_step(processes):
    """Play the own deals of the first update, learn from them in one step, and return all that can be compared."""
    training = new_training(ONE_STEP)
    deals = processes.share(ONE_STEP.deals_per_update)
    batch, inputs, advantages, returns = first_batch(training, ONE_STEP, deals=deals)
    values = returns - advantages
    metrics = ppo_update(training, batch, inputs, advantages, returns, 0.01, ONE_STEP, processes)
    parameters = dict(training.model.named_parameters())
    return {
        "shares": [list(processes.share(total)) for total in TOTALS],
        "any": [processes.any(processes.rank == rank) for rank in (0, 1, 2)],
        "batch": vars(batch),
        "values": values,
        "mean_and_variance": mean_and_variance(returns, processes),
        "explained_variance": explained_variance(values, returns, processes),
        "metrics": metrics,
        "gradients": {name: weights.grad for name, weights in parameters.items()},
        "weights": {name: weights.detach() for name, weights in parameters.items()},
    }


def spread_training(processes):
    """The state of a training that the first process gives to all, where the others would begin with other weights."""
    training = new_training(tiny(seed=1 + processes.rank, num_updates=9))
    if processes.is_first:
        training.update = 7
        training.past_selves = [training.model.frozen_actor()]
    spread(training, processes)
    return {"model": training.model.state_dict(), "update": training.update, "past_selves": training.past_selves}


if __name__ == "__main__":
    with Processes() as own:
        seen: dict[str, object] = {**learning_step(own), "spread": spread_training(own)}
        seen["sent"] = own.send_to_all(b"from the first" if own.is_first else b"")
        torch.save(seen, Path(sys.argv[1]) / f"{own.rank}.pt")
    exit_process(0)
