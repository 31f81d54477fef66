"""Cross-play: players as each other's opponents and partners, and what mixed partners lose."""

import json

import numpy as np
import pytest
from support.players import HighestLegal, LowestLegal

from euchre_agents import RuleBot
from euchre_eval import play_match
from euchre_eval.cli import main
from euchre_eval.cross_matches import CrossPlay, cross_play, partner_loss
from euchre_eval.intervals import mean_of

pytestmark = pytest.mark.compiled  # takes too long without


@pytest.fixture(scope="module")
def result():
    """Three unlike players, none of them with random choices, against the rule-based player."""
    players = [LowestLegal(), HighestLegal(), RuleBot(seed=0)]
    return cross_play(players, RuleBot(seed=0), deals=12, rules="pagat", seed=3, names=["low", "high", "bot", "rules"])


def margins_of(*players):
    """The margins of the match that `result` has played between these players."""
    return play_match(*players, deals=12, rules="pagat", seed=3).margins


def test_margins_are_the_samples_behind_the_points_per_deal():
    match = play_match(LowestLegal(), RuleBot(seed=0), deals=12, rules="pagat", seed=3)
    assert match.margins.shape == (12,)
    assert mean_of(match.margins) == match.points_per_deal
    assert len(set(match.margins.tolist())) > 1
    assert "margins" not in match.as_json()


def test_teams_are_two_copies_of_each_player(result):
    low, high = LowestLegal(), HighestLegal()
    assert result.teams[0][1] == mean_of(margins_of(low, high))
    assert result.teams[0][1].mean == -result.teams[1][0].mean
    assert [result.teams[number][number].mean for number in range(3)] == [0, 0, 0]


def test_partners_sit_opposite_each_other(result):
    low, high, rules = LowestLegal(), HighestLegal(), RuleBot(seed=0)
    assert result.partners[0][0] == mean_of(margins_of(low, rules))
    assert result.partners[0][1] == mean_of(margins_of(low, rules, high, rules))
    assert result.partners[1][0] == mean_of(margins_of(high, rules, low, rules))


def test_the_loss_is_that_of_mixed_partners_on_the_same_deals(result):
    means = np.array([[mean.mean for mean in row] for row in result.partners])
    alike, mixed = means.trace() / 3, (means.sum() - means.trace()) / 6
    assert result.loss.mean == pytest.approx(alike - mixed)
    independent = np.array([[mean.se**2 for mean in row] for row in result.partners])
    assert 0 < result.loss.se < np.sqrt(independent.trace() / 9 + (independent.sum() - independent.trace()) / 36)


def test_copies_of_one_player_lose_nothing_as_partners():
    same = cross_play([RuleBot(seed=0), RuleBot(seed=0)], LowestLegal(), deals=6)
    assert (same.loss.mean, same.loss.se) == (0, 0)


def test_a_convention_between_partners_is_lost_with_a_stranger():
    # In two deals, pairs of one kind score 2 and 1, and mixed pairs nothing.
    margins = np.array([[[2, 1], [0, 0]], [[0, 0], [2, 1]]], float)
    assert partner_loss(margins).tolist() == [2, 1]


def test_the_progress_counts_every_match():
    seen = []
    cross_play([RuleBot(seed=0)] * 2, LowestLegal(), deals=1, progress=lambda *what: seen.append(what))
    assert seen == [("matches", done, 5) for done in range(1, 6)]


@pytest.mark.parametrize(("players", "names"), [(1, None), (2, ["a", "b"]), (2, ["a", "b", 3])])
def test_one_player_or_wrong_names_are_refused(players, names):
    with pytest.raises(ValueError, match=r"two players or more, not 1|as many names"):
        cross_play([RuleBot(seed=0)] * players, LowestLegal(), names=names, deals=1)


def test_the_command_reports_the_same_in_words_and_as_json(capsys):
    arguments = ["cross-play", "rules", "passer", "--against", "easy", "--deals", "3", "--seed", "4"]
    assert main([*arguments, "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert main(arguments) == 0
    words = capsys.readouterr().out
    assert [values[key] for key in ("players", "opponent", "rules")] == [["rules", "passer"], "easy", "standard"]
    assert [values[key] for key in ("pairs", "seed", "reneges")] == [3, 4, 0]
    assert [len(row) for row in (*values["teams"], *values["partners"])] == [2] * 4
    assert set(values["loss"]) == {"mean", "low", "high", "se"}
    assert f"loss of mixed partners: {values['loss']['mean']:+.2f}" in words
    assert "rules and passer against easy: " in words


def test_the_interval_of_a_single_deal_is_unknown():
    one = cross_play([RuleBot(seed=0)] * 2, LowestLegal(), deals=1)
    assert isinstance(one, CrossPlay)
    assert one.as_json()["loss"] == {"mean": 0.0, "low": None, "high": None, "se": None}
