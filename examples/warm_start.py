"""Warm start: a best response to a trained agent, which starts as a copy of it and learns to beat it.

    python examples/warm_start.py runs/mine runs/best_response

`runs/mine` is a finished run. The new one takes its settings and its networks, and plays every deal against it, frozen;
what follows the two folders goes to euchre-train, such as `--set num_updates=10`. The less such a best response gains,
the closer the agent is to an equilibrium, in which no team could gain anything. This is a lower bound: a longer
training, or another kind of network, may gain more.
"""

import json
import sys

from euchre_agents import load
from euchre_eval import MatchResult, play_match
from euchre_train import cli


def main(agent: str, folder: str, *arguments: str) -> MatchResult:
    """Train a best response to the run `agent` in `folder`, and play it against the agent."""
    start = ["--config", f"{agent}/config.yaml", "--from", agent, "--run", folder]
    changes = [f"--set=opponents={json.dumps(agent)}", "--set=num_updates=60", "--set=learning_rate=5e-4"]
    changes.append("--set=start_update=0")  # the agent may itself have gone on from another run
    status = cli.main([*start, *changes, *arguments])
    if status:
        sys.exit(status)
    return play_match(load(folder), load(agent), deals=1000)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
