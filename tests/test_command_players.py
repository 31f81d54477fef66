"""Players in their own processes: what they are told, how they answer, and every way in which they can fail."""

import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.paths import ROOT
from support.players import LowestLegal

from euchre_agents import load
from euchre_agents.command_player import MAX_LATE, CommandPlayer
from euchre_agents.line_process import LineProcess, ProcessError
from euchre_env import Table, action_mask, encode, euchre_v0, view_facts, view_text
from euchre_env.actions import ACTION_NAMES, PASS
from euchre_eval import play_match, play_statistics

BOT = Path(__file__).parent / "support" / "faulty_bot.py"
BOTS = ROOT / "examples" / "bots"
WORKED_TABLE = Table("standard", seed=5)


def player(fault, folder=None, seconds=60.0):
    """A player that has the fault called `fault`; it notes in `folder` what happens to it."""
    words = [sys.executable, "-S", str(BOT), fault]
    return CommandPlayer([*words, str(folder)] if folder else words, seconds=seconds)


def noted(folder, name):
    """The lines that the processes noted as `name`, as JSON values."""
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def all_end(folder):
    """Whether all processes that were noted in `folder` end within a few seconds."""
    deadline = time.monotonic() + 5
    while any(map(is_running, noted(folder, "pids"))):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def is_running(pid):
    """Whether a process runs; one that has ended and is not collected does not."""
    status = Path(f"/proc/{pid}/stat")
    if Path("/proc/self/stat").exists():
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def fault_of(first_renege):
    """The description of a renege without the deal."""
    return re.sub(r"^episode \d+ of seed \d+: (ProcessError: |LateAnswerError: )?", "", first_renege)


FAULTS = {
    "crash at start": "it ended with status 1; its last line on standard error: 'RuntimeError: I lost my cards'",
    "end at start": "it ended with status 3",
    "not ready": 'at its start it must answer "ready", not \'"hello"\'',
    "crash": "it ended with status 1; its last line on standard error: 'RuntimeError: I lost my cards'",
    "end": "it ended with status 4",
    "end with a child": "it ended with status 0",
    "kill itself": "it was ended by signal 9 (SIGKILL)",
    "close output": "it closed its output",
    "part of a line": "it ended with status 0",
    "no JSON": "its answer is not JSON: 'pass'",
    "empty line": "its answer is not JSON: ''",
    "deep JSON": "its answer is not JSON: '[[[[[",
    "a list": "its answer is not the id of an action, 0 to 36: [25]",
    "no action": 'its answer has no "action": \'{"card": 3}\'',
    "null": "its answer is not the id of an action, 0 to 36: None",
    "true": "its answer is not the id of an action, 0 to 36: True",
    "a fraction": "its answer is not the id of an action, 0 to 36: 25.0",
    "id too high": "its answer is not the id of an action, 0 to 36: 37",
    "id below 0": "its answer is not the id of an action, 0 to 36: -1",
    "unknown name": "its answer is not the name of an action: 'play 3C'",
    "illegal": "'defend alone' is not legal for seat",
    "no UTF-8": "its answer is not UTF-8",
    "long line": "it wrote a line of more than 65,536 bytes",
    "endless line": "it wrote a line of more than 65,536 bytes",
    "two lines": "it wrote a line before it was asked: '\"ready\"'",
    "endless lines": "it wrote a line before it was asked: '\"pass\"'",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_a_renege_and_leaves_nothing_behind(fault, tmp_path):
    result = play_match(player(fault, tmp_path), LowestLegal(), deals=2)
    assert result.reneges[0] > 0
    assert result.reneges[1] == result.reneges[3] == 0
    reneges = [fault_of(first) for first in result.first_reneges if first]
    assert any(FAULTS[fault] in each for each in reneges), reneges
    assert all_end(tmp_path)
    assert not any(Path(folder).exists() for folder, _, _ in noted(tmp_path, "folders"))


@pytest.mark.parametrize("fault", ["silent", "slow"])
def test_a_late_answer_is_a_renege_and_its_process_is_ended(fault, tmp_path):
    result = play_match(player(fault, tmp_path), LowestLegal(), deals=1, time_limit=0.3)
    assert result.reneges[0] > 0
    assert re.match(r"late: 0\.\d+ s for one decision, 0\.3 s allowed", fault_of(result.first_reneges[0]))
    assert all_end(tmp_path)


def test_a_process_that_never_reads_is_no_memory_leak():
    process = LineProcess([sys.executable, "-S", "-c", "import time; time.sleep(1000)"])
    with pytest.raises(ProcessError, match=r"it did not read the last [\d,]+ bytes of its input"):
        tell_often(process)
    process.close()


def tell_often(process):
    for _ in range(1000):
        process.tell("x" * 10_000)


def test_a_silent_start_is_a_renege(tmp_path, monkeypatch):
    monkeypatch.setattr("euchre_agents.command_player.START_SECONDS", 0.3)
    result = play_match(player("silent at start", tmp_path), LowestLegal(), deals=1)
    assert fault_of(result.first_reneges[0]) == "no answer within 0.3 s"


def test_a_program_that_is_often_late_is_not_started_again(tmp_path):
    silent = player("silent", tmp_path, seconds=0.05)
    view = WORKED_TABLE.view()
    for _ in range(MAX_LATE):
        with pytest.raises(RuntimeError, match=r"no answer within 0\.05 s"):
            silent.act(encode(view), action_mask(view))
    with pytest.raises(RuntimeError, match="the program is not started again after 3 times late"):
        silent.act(encode(view), action_mask(view))
    assert len(noted(tmp_path, "pids")) == MAX_LATE
    silent.fresh().reset(0, 1)  # another play counts anew


def test_a_program_plays_as_the_same_policy_in_this_process():
    match = functools.partial(play_match, deals=20, games=2, seed=3, rules="midwest", names=["a", "b"])
    here, there = (match(policy, load("random", seed=1)) for policy in (LowestLegal(), player("none")))
    assert there == here
    assert np.array_equal(there.margins, here.margins)


def test_each_seat_of_each_play_has_a_process_in_an_empty_folder(tmp_path):
    play_match(player("none", tmp_path), LowestLegal(), deals=3, games=1, rules="midwest")
    folders = noted(tmp_path, "folders")
    assert len(folders) == len({folder for folder, _, _ in folders}) == len({pid for _, _, pid in folders}) == 8
    assert all(listed == [] for _, listed, _ in folders)
    assert not any(Path(folder).exists() for folder, _, _ in folders)


def test_the_messages_say_what_the_documentation_says(tmp_path):
    bot, view = player("none", tmp_path), WORKED_TABLE.view()
    bot.reset(seat=2, seed=7)
    assert bot.act(encode(view), action_mask(view)) == PASS.id()
    bot.close()
    start, deal, decision = noted(tmp_path, "messages")
    assert start.pop("version")
    assert start == {"type": "start", "protocol": 1, "actions": list(ACTION_NAMES)}
    assert deal == {"type": "deal", "seat": 2, "seed": 7}
    assert decision == {
        "type": "decision",
        "view": view_facts(view),
        "legal_ids": np.flatnonzero(action_mask(view)).tolist(),
        "text": view_text(view),
        "observation": encode(view).tolist(),
        "mask": action_mask(view).tolist(),
    }
    documented = (ROOT / "docs" / "bots.md").read_text()
    for key in (*start, *deal, *decision):
        assert f"`{key}`" in documented, key
    table = documented[documented.index("| key of `view`") :]
    for key in view_facts(view):
        assert f"`{key}`" in table.partition("\n\n")[0], key


@pytest.mark.parametrize("bot", ["sh first_legal.sh", "node highest_card.mjs", f"{sys.executable} text_model.py"])
def test_the_example_bots_play_without_a_renege(bot):
    program, file = bot.split()
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    result = play_match(load(f"cmd:{program} {BOTS / file}"), load("random", seed=0), deals=10, rules="tournament")
    assert result.reneges == (0, 0, 0, 0), result.first_reneges


def test_paths_of_files_are_made_absolute(tmp_path, monkeypatch):
    shutil.copy(BOT, tmp_path / "bot.py")
    monkeypatch.chdir(tmp_path)
    bot = load(f"cmd:{sys.executable} -S bot.py none")
    assert isinstance(bot, CommandPlayer)
    assert bot.words == [sys.executable, "-S", str(tmp_path / "bot.py"), "none"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cmd", 'player "cmd" needs a command'),
        ("cmd:", 'player "cmd" needs a command'),
        ("cmd:   ", "a command must name a program"),
        ("cmd:no_such_program_here", "there is no program 'no_such_program_here'"),
        ("cmd:sh 'unclosed", "cannot be split into words"),
    ],
)
def test_a_command_that_names_no_program_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        load(name)
    with pytest.raises(ValueError, match="text or a list of words"):
        CommandPlayer([1, 2])  # type: ignore[list-item]  # a mistake


def test_a_program_answers_in_the_environment_and_explains_itself():
    bot = player("none")
    env = euchre_v0.env(episode="deal")
    env.reset(seed=4)
    for _ in range(3):
        observation = env.last()[0]
        env.step(bot.act(observation["observation"], observation["action_mask"]))
    first, *others = bot.explain(WORKED_TABLE.view())
    assert (first.action, first.probability) == (PASS.id(), 1.0)
    assert all(other.probability == 0 for other in others)
    bot.close()


def test_processes_end_when_a_match_is_interrupted(tmp_path):
    def interrupt(what, done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_match(player("none", tmp_path), LowestLegal(), deals=5, progress=interrupt)
    assert all_end(tmp_path)


def test_processes_end_with_the_interpreter(tmp_path):
    words = [sys.executable, "-S", str(BOT), "none", str(tmp_path)]
    code = f"from euchre_agents.command_player import CommandPlayer\nbot = CommandPlayer({words!r})\nbot.reset(0, 1)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert all_end(tmp_path)
    assert not any(Path(folder).exists() for folder, _, _ in noted(tmp_path, "folders"))


def test_statistics_of_a_program_end_its_processes(tmp_path):
    statistics = play_statistics(player("none", tmp_path), games=1, rules="midwest")
    assert statistics.reneges == 0
    assert len(noted(tmp_path, "pids")) == 4
    assert all_end(tmp_path)


def test_processes_end_when_the_command_is_terminated(tmp_path):
    bot = shlex.join([sys.executable, "-S", str(BOT), "silent", str(tmp_path)])
    command = [sys.executable, "-m", "euchre_eval.cli", "match", f"cmd:{bot}", "random", "--deals", "5"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (tmp_path / "folders").exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(0.5)  # until it waits for an answer
    process.terminate()
    assert process.communicate(timeout=60) == ("", "")
    assert process.returncode == 143
    assert all_end(tmp_path)
    assert not any(Path(folder).exists() for folder, _, _ in noted(tmp_path, "folders"))


def test_no_end_of_a_process_is_missed(caplog):
    for _ in range(40):
        LineProcess(["cat"]).close()
    assert caplog.messages == []  # asyncio would warn
