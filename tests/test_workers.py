"""Several processes share the work: the same results and errors as with one, and none of them is left behind."""

import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.players import HighestLegal, LowestLegal

from euchre_agents import RandomPolicy, RuleBot
from euchre_env.actions import DEFEND_ALONE_ID
from euchre_eval import play_match, play_statistics, workers
from euchre_eval.cli import main
from euchre_eval.outcome_counts import count_outcomes
from euchre_eval.playing import match_parts
from euchre_eval.workers import WorkerError, check_workers, do_parts, equal_parts, num_cores

pytestmark = pytest.mark.compiled  # takes too long without, and the game's own tests cover what it plays

PATIENCE = 300  # seconds, on a busy machine


@pytest.fixture(autouse=True)
def _help_at_once(monkeypatch):
    """Other processes start at the first tick."""
    monkeypatch.setattr(workers, "START_AFTER", 0.0)


class Waits:
    """Work that does part 0 in the first process until a helper has begun a part."""

    def __init__(self, folder):
        self.flag, self.owner = folder / "helped", os.getpid()

    def __call__(self, part, tick):
        tick("parts", 1)
        if os.getpid() != self.owner:
            self.flag.touch()
            return self.by_a_helper(part)
        self.wait(tick)
        return part, os.getpid()

    def by_a_helper(self, part) -> Any:
        return part, os.getpid()

    def is_helped(self):
        return self.flag.exists()

    def wait(self, tick):
        deadline = time.monotonic() + PATIENCE
        while not self.is_helped():
            assert time.monotonic() < deadline, "no helper came"
            time.sleep(0.02)
            tick("", 0)


def test_results_come_in_the_order_of_the_parts_from_several_processes(tmp_path):
    ticks = []
    results = do_parts(Waits(tmp_path), range(20), workers=3, progress=lambda *what: ticks.append(what))
    assert [part for part, _ in results] == list(range(20))
    assert len({process for _, process in results}) >= 2
    assert sum(number for _, number in ticks) == 20
    assert {what for what, _ in ticks} == {"parts"}


class OwnError(Exception):
    """Is made from two values, so that it cannot be unpickled."""

    def __init__(self, what, part):
        super().__init__(f"{what} {part}")


class Fails(Waits):
    """A helper fails at each part, with another error at the first one."""

    def by_a_helper(self, part):
        raise ValueError(f"part {part} is wrong") if part == 1 else KeyError(part)


class FailsInItsOwnWay(Waits):
    def by_a_helper(self, part):
        raise OwnError("no", part)


def test_the_error_of_the_first_part_that_fails_comes_here(tmp_path):
    with pytest.raises(ValueError, match="part 1 is wrong") as caught:
        do_parts(Fails(tmp_path), range(20), workers=2)
    assert "in a worker process" in caught.value.__notes__[0]
    assert "by_a_helper" in caught.value.__notes__[0]


def test_an_error_that_cannot_be_sent_is_described(tmp_path):
    with pytest.raises(RuntimeError, match="OwnError: no 1"):
        do_parts(FailsInItsOwnWay(tmp_path), range(20), workers=2)


def test_with_one_process_an_error_is_the_object_that_was_raised():
    error = OwnError("no", 1)

    def fail(part, tick):
        raise error

    with pytest.raises(OwnError) as caught:
        do_parts(fail, range(3))
    assert caught.value is error


class IsKilled(Waits):
    def by_a_helper(self, part):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_killed_is_an_error_that_says_so(tmp_path):
    with pytest.raises(WorkerError, match=r"worker process \d+ was ended by SIGKILL"):
        do_parts(IsKilled(tmp_path), range(20), workers=2)


def test_work_that_cannot_be_pickled_is_done_by_one_process():
    def work(part, tick):
        tick("parts", 1)
        return os.getpid()

    with pytest.warns(RuntimeWarning, match=r"one process does all the work: .*pickle"):
        assert do_parts(work, range(5), workers=2) == [os.getpid()] * 5


CAUGHT: list[object] = []


class CannotBeMade(Waits):
    """Cannot be unpickled in another process."""

    def __setstate__(self, state):
        raise ImportError("no module 'nowhere'")

    def is_helped(self):
        return CAUGHT


def test_work_that_cannot_be_unpickled_is_done_by_one_process(tmp_path, monkeypatch):
    monkeypatch.setattr(warnings, "warn", lambda text, *_, **__: CAUGHT.append(text))
    results = do_parts(CannotBeMade(tmp_path), range(5), workers=2)
    assert results == [(part, os.getpid()) for part in range(5)]
    assert CAUGHT == ["one process does all the work: ImportError: no module 'nowhere'"]


@pytest.mark.parametrize("number", [0, -1, 2.0, True, "2", 10**9])
def test_an_impossible_number_of_workers_is_refused(number):
    with pytest.raises(ValueError, match="workers must be a whole number from 1"):
        check_workers(number)


def test_the_default_is_every_core_that_the_process_may_use():
    assert check_workers(None) == num_cores() >= 1


@pytest.mark.parametrize("number", [0, 1, 63, 64, 65, 1000, 4097, 70_001])
def test_parts_hold_every_number_once(number):
    parts = equal_parts(number, 16, 64, 4096)
    assert [each for part in parts for each in part] == list(range(number))
    assert all(len(part) == len(parts[0]) for part in parts[:-1])
    assert all(len(part) <= 4096 for part in parts)


# Matches and statistics


class Gated:
    """Slows the first of several processes down until another one has played, which leaves a file."""

    def __init__(self, file, number):
        self.file, self.number, self.owner = file, number, os.getpid()

    def wait(self):
        if os.getpid() != self.owner:
            self.file.touch()
        elif self.number > 1 and not self.file.exists():
            time.sleep(0.1)


class GatedBatches(Gated, HighestLegal):
    """Answers batches, and now and then wants to defend alone, which is a renege."""

    stateless = True

    def act_batch(self, observations, action_masks):
        self.wait()
        answers = super().act_batch(observations, action_masks)
        return np.where(observations.sum(axis=1) % 40 == 0, DEFEND_ALONE_ID, answers)


class GatedLearner(Gated, LowestLegal):
    """Counts its decisions and plays by the count, so its copy must last for a whole seating."""

    count = 0

    def act(self, observation, action_mask):
        self.wait()
        self.count += 1
        legal = np.flatnonzero(action_mask)
        return int(legal[self.count % len(legal)])


@pytest.mark.parametrize(("kind", "deals"), [(GatedBatches, 600), (GatedLearner, 60)])
def test_a_match_has_the_same_result_for_any_number_of_workers(tmp_path, kind, deals):
    def play(number):
        file = tmp_path / f"helped_{number}"
        player, opponent = kind(file, number), RuleBot("easy", seed=1)
        result = play_match(player, opponent, deals=deals, games=3, workers=number, names="AB", seed=5)
        assert file.exists() == (number > 1)
        return result

    (one, *others) = (play(number) for number in (1, 2, 3))
    for other in others:
        assert other == one
        assert np.array_equal(other.margins, one.margins)
    if kind is GatedBatches:
        assert one.reneges[0] > 0


def test_statistics_and_outcomes_are_the_same_for_two_workers(tmp_path):
    def count(number):
        files = [tmp_path / f"{what}_{number}" for what in ("games", "deals")]
        first, second = (GatedBatches(file, number) for file in files)
        statistics = play_statistics(first, RuleBot("easy", seed=1), games=100, workers=number)
        outcomes = count_outcomes(second, deals=600, seed=0, workers=number)
        assert [file.exists() for file in files] == [number > 1] * 2
        return statistics, statistics.counts.tolist(), outcomes.tolist()

    assert count(1) == count(2)


MINE = """
import os
import re
import time
from pathlib import Path

import numpy as np

class Lowest:
    stateless = True

    def __init__(self, seed):
        self.seed = seed
        with Path("made").open("a") as file:
            file.write(f"{os.getpid()}\\n")

    def __reduce__(self):
        raise AssertionError("it is loaded by its name")

    def act(self, observation, action_mask):
        return int(np.flatnonzero(action_mask)[self.seed % action_mask.sum()])

    def act_batch(self, observations, action_masks):
        if Path("two").exists() and len(Path("made").read_text().split()) == 1:
            time.sleep(0.1)
        return np.array([self.act(*row) for row in zip(observations, action_masks)])
"""


def test_named_players_are_loaded_once_in_each_process(tmp_path, monkeypatch, capsys):
    (tmp_path / "their_players.py").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    reports = []
    for number in (1, 2):
        assert main(f"match their_players:Lowest rules --deals 700 --json --workers {number}".split()) == 0
        reports.append(capsys.readouterr().out)
        made = (tmp_path / "made").read_text().split()
        assert len(made) == len(set(made)) == number
        (tmp_path / "made").unlink()
        (tmp_path / "two").touch()
    assert reports[0] == reports[1]


def test_a_player_that_cannot_be_pickled_is_named_in_the_warning():
    class Local(LowestLegal):
        """Has no name by which another process could find it."""

    with pytest.warns(RuntimeWarning, match="player 'Local' cannot be sent to another process"):
        alone = play_match(Local(), RuleBot(seed=0), deals=5, workers=2)
    assert alone == play_match(Local(), RuleBot(seed=0), deals=5)


def test_built_in_players_can_be_sent_to_another_process():
    for player in (RuleBot("easy", seed=3), RandomPolicy(seed=3)):
        again = pickle.loads(pickle.dumps(player))
        assert play_match(again, LowestLegal(), deals=5) == play_match(player, LowestLegal(), deals=5)


def test_a_time_limit_is_kept_by_one_process(monkeypatch):
    monkeypatch.setattr("multiprocessing.get_context", lambda _method: pytest.fail("another process starts"))
    assert play_match(RuleBot(seed=0), RuleBot(seed=1), deals=3, time_limit=1e9, workers=2).pairs == 3


def test_parts_of_a_match_depend_on_its_length_alone():
    assert [len(part.pairs) for part in match_parts("deal", 10_000, are_batched=True)] == [1250] * 8
    assert [len(part.pairs) for part in match_parts("deal", 100_000, are_batched=True)] == [2048] * 48 + [1696]
    assert [part.seatings for part in match_parts("game", 10_000, are_batched=False)] == [(0,), (1,)]
    assert match_parts("game", 0, are_batched=False) == match_parts("game", 0, are_batched=True) == []


# Signals

SLOW = """
import os
import re
import sys
import time
from pathlib import Path

from euchre_eval import workers
from euchre_eval.cli import main

class Slow:
    stateless = True

    def act(self, observation, action_mask):
        return int(action_mask.argmax())

    def act_batch(self, observations, action_masks):
        Path(f"plays_{os.getpid()}").touch()
        time.sleep(0.05)
        return action_masks.argmax(axis=1)

if __name__ == "__main__":
    workers.START_AFTER = 0.0
    sys.exit(main(sys.argv[1:]))
"""


MATCH = ("match", "slow:Slow", "rules", "--deals", "100000", "--workers", "3")


@pytest.fixture
def playing(tmp_path):
    """A match without end in sight, in three processes, all of which play; the numbers of the other two."""
    (tmp_path / "slow.py").write_text(textwrap.dedent(SLOW))
    command = [sys.executable, "slow.py", *MATCH]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline, helpers = time.monotonic() + PATIENCE, set[int]()
    while len(helpers) < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)
        helpers = {int(file.name.removeprefix("plays_")) for file in tmp_path.glob("plays_*")} - {process.pid}
    yield process, helpers
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def is_running(number):
    """Whether there is a process with this number that has not ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def assert_that_all_end(numbers):
    deadline = time.monotonic() + PATIENCE
    while left := [number for number in numbers if is_running(number)]:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")


@needs_proc
def test_ctrl_c_ends_all_processes_with_one_line(playing):
    process, helpers = playing
    os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to all of them
    error = process.communicate(timeout=PATIENCE)[1]
    # Where the signal comes while Python drops an object, Python itself prints that it ignored it there.
    ignored = r"(Exception ignored in: .*\nTraceback \(most recent call last\):\n(  .*\n)+KeyboardInterrupt: ?\n)*"
    assert re.fullmatch(ignored + "euchre-eval: interrupted\n", error), error
    assert process.returncode == 130
    assert [number for number in helpers if is_running(number)] == []


@needs_proc
def test_a_killed_worker_ends_the_match_with_one_line(playing):
    process, helpers = playing
    os.kill(min(helpers), signal.SIGKILL)
    line = process.communicate(timeout=PATIENCE)[1]
    assert line.startswith(f"euchre-eval: worker process {min(helpers)} was ended by SIGKILL")
    assert (process.returncode, line.count("\n")) == (1, 1)
    assert [number for number in helpers if is_running(number)] == []


@needs_proc
def test_when_the_first_process_is_killed_the_others_end(playing):
    process, helpers = playing
    process.kill()
    process.communicate(timeout=PATIENCE)
    assert_that_all_end(helpers)


def test_a_script_without_a_guard_is_told_of_it(tmp_path):
    script = """
    import euchre_eval.workers as workers
    from euchre_agents import RuleBot
    from euchre_eval import play_match

    class Slow(RuleBot):
        stateless = True
        def act_views(self, views, keys):
            import time
            time.sleep(0.1)
            return super().act_views(views, keys)

    workers.START_AFTER = 0.0
    play_match(Slow(seed=0), RuleBot(seed=1), deals=100_000, workers=2)
    """
    (tmp_path / "script.py").write_text(textwrap.dedent(script))
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 1
    assert 'needs `if __name__ == "__main__":`' in done.stderr
    assert "WorkerError" in done.stderr
