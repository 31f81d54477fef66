"""sb3-contrib's MaskablePPO on one seat of the table, `rules` in the other three: its speed, and its strength.

It runs in an environment of its own, `.venv-masked-ppo`, which `make bench` sets up. Its optimiser work per decision is
that of our trainer's defaults: two layers of 128 units for the actor and for the critic, 2 epochs, batches of 2,048.
"""

import argparse
import statistics
import sys
import time
from math import hypot

import numpy as np
import torch
from sb3_contrib import MaskablePPO  # pyright: ignore[reportMissingImports]  # see above
from seat_env import SeatEnv
from stable_baselines3.common.vec_env import DummyVecEnv  # pyright: ignore[reportMissingImports]
from turns import Answer, serve

from euchre_agents import load
from euchre_eval import MatchResult, play_match
from euchre_eval.intervals import Z_95, Mean

NUM_ENVIRONMENTS, STEPS_OF_EACH = 16, 256
ROLLOUTS_PER_TURN = 3  # about two seconds


class Learner:
    """MaskablePPO in training.

    Args:
        relative_suits: show suits relative to trump.
        seed: fixes the deals, the initial weights and every random choice.
    """

    def __init__(self, relative_suits: bool, seed: int) -> None:
        self.relative_suits = relative_suits
        self.ppo = MaskablePPO(
            "MlpPolicy",
            DummyVecEnv([lambda: SeatEnv(relative_suits)] * NUM_ENVIRONMENTS),
            n_steps=STEPS_OF_EACH,
            batch_size=2048,
            n_epochs=2,
            learning_rate=1e-3,
            gamma=1.0,
            ent_coef=0.01,
            policy_kwargs={"net_arch": {"pi": [128, 128], "vf": [128, 128]}, "activation_fn": torch.nn.ReLU},
            device="cpu",
            seed=seed,
        )

    def learn(self) -> int:
        """Collect one rollout, learn from it, and return how many of its steps had a choice."""
        self.ppo.learn(NUM_ENVIRONMENTS * STEPS_OF_EACH, log_interval=None, reset_num_timesteps=False)
        masks = self.ppo.rollout_buffer.action_masks  # (steps, environments, actions), flattened or not
        return int(np.count_nonzero(masks.sum(axis=-1) > 1))

    def learn_for(self, seconds: float) -> None:
        """Learn until `seconds` of CPU time have passed."""
        end = time.process_time() + seconds
        while time.process_time() < end:
            self.learn()


class Player:
    """The policy of a learner, greedy."""

    stateless = True

    def __init__(self, learner: Learner) -> None:
        self.relative_suits, self._ppo = learner.relative_suits, learner.ppo

    def act(self, observation: np.ndarray, action_mask: np.ndarray) -> int:
        """The likeliest legal action."""
        return int(self.act_batch(observation[np.newaxis], action_mask[np.newaxis])[0])

    def act_batch(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """The likeliest legal action of each row."""
        actions, _ = self._ppo.predict(observations, action_masks=action_masks, deterministic=True)
        return actions


def turn(learner: Learner) -> Answer:
    """Learn from some rollouts: the decisions with a choice, and the seconds they took."""
    wall, cpu = time.perf_counter(), time.process_time()
    decisions = sum(learner.learn() for _ in range(ROLLOUTS_PER_TURN))
    return {"decisions": decisions, "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def speed(turns: int) -> str:
    """Decisions with a choice per second of CPU time, after a warm-up."""
    learner = Learner(relative_suits=True, seed=1)
    learner.learn()
    answers = [turn(learner) for _ in range(turns)]
    rates = sorted(answer["decisions"] / answer["cpu"] for answer in answers)
    return (
        f"{statistics.median(rates):,.0f} decisions with a choice per second of CPU time "
        f"(median of {turns}, {rates[0]:,.0f} to {rates[-1]:,.0f})"
    )


def strength(seconds: float, deals: int, seed: int) -> str:
    """Train with relative and with absolute suits, measure both against `rules` on the same deals, and compare.

    The interval of the difference is that of two independent matches; it says nothing of other training seeds.
    """
    lines: list[str] = []
    points: list[Mean] = []
    for relative_suits in (True, False):
        result, steps = trained_match(relative_suits, seconds, deals, seed)
        lines.append(f"{result}; {steps:,} steps in {seconds:g} s of CPU time")
        points.append(result.points_per_deal)
    mean, se = points[0].mean - points[1].mean, hypot(points[0].se, points[1].se)
    difference = Mean(mean, mean - Z_95 * se, mean + Z_95 * se, se)
    return "\n".join([*lines, f"relative suits are worth {difference} points per deal (95%)"])


def trained_match(relative_suits: bool, seconds: float, deals: int, seed: int) -> tuple[MatchResult, int]:
    """Train for some seconds of CPU time; the duplicate match against `rules`, and the steps of the training."""
    learner = Learner(relative_suits, seed)
    learner.learn_for(seconds)
    names = [f"MaskablePPO with {'relative' if relative_suits else 'absolute'} suits", "rules"]
    return play_match(Player(learner), load("rules", seed=0), deals=deals, names=names), learner.ppo.num_timesteps


def main(arguments: list[str] | None = None) -> int:
    """Measure what the arguments ask for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--serve", action="store_true", help="measure a turn for each line of standard input")
    what.add_argument("--strength", action="store_true", help="measure what relative suits are worth instead of speed")
    parser.add_argument("--turns", type=int, default=5, help="turns of the speed (default 5)")
    parser.add_argument("--seconds", type=float, default=300, help="CPU time of each training (default 300)")
    parser.add_argument("--deals", type=int, default=10_000, help="deals of each match, played twice (default 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the training (default 1)")
    options = parser.parse_args(arguments)
    if options.turns < 1 or options.seconds <= 0 or options.deals < 2:
        parser.error(
            "needs a turn, a positive time and two deals or more, "
            f"not {options.turns}, {options.seconds:g} and {options.deals}"
        )
    torch.set_num_threads(1)
    if options.serve:
        learner = Learner(relative_suits=True, seed=options.seed)
        serve(lambda: turn(learner))
    elif options.strength:
        print(strength(options.seconds, options.deals, options.seed))
    else:
        print(speed(options.turns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
