"""Carrying a run to its end, or to Ctrl-C, which saves; with a line on how it is going."""

import signal
import time
from types import FrameType

from euchre_train.checkpoint import RunFolder
from euchre_train.config import Config
from euchre_train.ppo import Metrics, Training, evaluate, updates


def train(run: RunFolder, training: Training) -> int:
    """Carry a run to its end or to Ctrl-C, which saves after the update at hand."""
    config, started = run.config, Stopwatch(training.update)
    print(
        f"{run.path}: updates {training.update} to {config.num_updates} of {config.deals_per_update:,} deals",
        flush=True,
    )
    with Interrupt() as interrupt:
        for metrics in updates(training, config):
            if training.update % config.eval_every == 0 or training.update == config.num_updates:
                metrics |= evaluate(training.model, config)
                print(progress_line(training.update, config, metrics, started), flush=True)
            run.log(training.update, metrics)
            if interrupt.requested:
                break
            if training.update % config.checkpoint_every == 0:
                run.save(training)
        run.save(training)
    if training.update < config.num_updates:
        print(f"interrupted; saved. Go on with: euchre-train --resume {run.path}")
        return 130
    print(f"done: the player is in {run.path}")
    return 0


class Stopwatch:
    """How long the updates since `update` have taken, and so how long the rest will."""

    def __init__(self, update: int) -> None:
        self._update, self._started = update, time.monotonic()

    def __call__(self, update: int, num_updates: int) -> tuple[float, float]:
        """Seconds since the start, and seconds left until `num_updates`."""
        passed = time.monotonic() - self._started
        return passed, passed / max(1, update - self._update) * (num_updates - update)


class Interrupt:
    """Turns the first Ctrl-C or SIGTERM into a request to stop at the next update; a second one stops at once."""

    def __init__(self) -> None:
        self.requested = False
        self._handlers: dict[int, object] = {}

    def __enter__(self) -> "Interrupt":
        for number in (signal.SIGINT, signal.SIGTERM):
            self._handlers[number] = signal.signal(number, self._request)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)  # type: ignore[arg-type]  # what signal.signal gave

    def _request(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        print("stopping after this update; once more to stop at once without saving", flush=True)


def progress_line(update: int, config: Config, metrics: Metrics, stopwatch: Stopwatch) -> str:
    """One line on where the run is, how fast, and how strong its player."""
    passed, left = stopwatch(update, config.num_updates)
    points = metrics["eval/points_per_deal_vs_rules"]
    margin = metrics["eval/points_per_deal_vs_rules_high"] - points
    return (
        f"{metrics['charts/deals']:,} of {config.num_updates * config.deals_per_update:,} deals"
        f" | {metrics['charts/SPS']:,.0f} decisions/s"
        f" | {points:+.3f} ± {margin:.3f} points per deal against rules"
        f" | {passed / 60:.1f} min, {left / 60:.1f} to go"
    )
