"""Frozen opponents: an agent trained against one player that does not learn, here the rule-based one.

    python examples/frozen_opponents.py runs/against_rules

What follows the folder goes to euchre-train, such as `--set num_updates=10`; without it the training takes a few
minutes. `--set opponents=ppo` or any other name or path that `load` takes trains against another player, and
`--set partner=rules` gives the learner a frozen partner too. Half as many decisions are learnt from in each deal, and
the agent may be weak against everybody else: it has met nobody else.
"""

import sys

from euchre_agents import load
from euchre_eval import MatchResult, play_match
from euchre_train import cli


def main(folder: str = "runs/against_rules", *arguments: str) -> MatchResult:
    """Train against the rule-based player in `folder`, and play a match against it."""
    status = cli.main(["--run", folder, "--set=opponents=rules", "--set=num_updates=90", *arguments])
    if status:
        sys.exit(status)
    return play_match(load(folder), load("rules", seed=0), deals=1000)


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
