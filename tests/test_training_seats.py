"""Who has which seat in training: past selves, frozen opponents and partners, each with every dealer equally often."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from support.players import HighestLegal

torch = pytest.importorskip("torch", reason="training needs the extra [train]")

from support.training import assert_same_weights, play_update, small_sampler, tiny

from euchre_agents import RuleBot, load
from euchre_env.deal import BIDDING_PHASES
from euchre_env.observation import FIELDS
from euchre_env.relative_suits import RELABELLED
from euchre_env.tables import Tables
from euchre_train.ppo import load_frozen_players, new_training, updates
from euchre_train.rollout import LEARNER, OPPONENT, PARTNER, PAST_SELF, seat_players

pytestmark = pytest.mark.compiled  # self-play takes too long without the compiler
DEALS = np.arange(8 * 60)
DEALERS = DEALS % 4


def seating(past_self_fraction=0.0, has_opponents=False, has_partner=False):
    return seat_players(DEALS, past_self_fraction, has_opponents, has_partner)


def test_alone_the_learner_has_every_seat():
    assert np.all(seating() == LEARNER)


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5, 1.0])
def test_a_past_self_has_the_other_team_in_its_share_of_the_deals(fraction):
    seats = seating(fraction)
    assert set(seats.ravel()) <= {LEARNER, PAST_SELF}
    mixed = np.any(seats == PAST_SELF, axis=1)
    assert mixed.reshape(-1, 8).all(axis=1).sum() == mixed.sum() / 8  # whole groups of eight deals
    assert mixed.mean() == pytest.approx(fraction, abs=1e-9)
    starts = np.flatnonzero(mixed.reshape(-1, 8).all(axis=1))
    assert np.ptp(np.diff(starts)) <= 1  # spread evenly
    for seats_of_deal in seats[mixed]:
        team = 0 if seats_of_deal[0] == LEARNER else 1
        assert seats_of_deal.tolist() == [LEARNER if seat % 2 == team else PAST_SELF for seat in range(4)]
    assert_every_seat_has_every_dealer_equally_often(seats[mixed], DEALERS[mixed])


def assert_every_seat_has_every_dealer_equally_often(seats, dealers):
    """Check that the learner sits in every seat equally often with every dealer."""
    counts = Counter()
    for row, dealer in zip(seats, dealers, strict=True):
        counts.update((seat, dealer) for seat in range(4) if row[seat] == LEARNER)
    assert set(counts) == set(product(range(4), range(4)))
    assert len(set(counts.values())) == 1


def test_frozen_opponents_have_the_other_team_in_every_deal():
    seats = seating(0.5, has_opponents=True)
    assert set(seats.ravel()) == {LEARNER, OPPONENT}
    for row, deal in zip(seats, DEALS, strict=True):
        assert sorted(np.flatnonzero(row == LEARNER) % 2) == [deal // 4 % 2] * 2
    assert_every_seat_has_every_dealer_equally_often(seats, DEALERS)


def test_a_frozen_partner_has_one_seat_of_each_team():
    seats = seating(has_partner=True)
    for row in seats:
        assert sorted(row[[0, 2]]) == sorted(row[[1, 3]]) == [LEARNER, PARTNER]
    assert_every_seat_has_every_dealer_equally_often(seats, DEALERS)


def test_with_opponents_a_partner_leaves_the_learner_one_seat():
    seats = seating(has_opponents=True, has_partner=True)
    for row in seats:
        assert sorted(row) == sorted([LEARNER, OPPONENT, OPPONENT, PARTNER])
        assert row[(np.flatnonzero(row == LEARNER)[0] + 2) % 4] == PARTNER
    assert_every_seat_has_every_dealer_equally_often(seats, DEALERS)


def test_a_past_self_plays_both_seats_of_the_other_team_beside_a_partner():
    seats = seating(0.25, has_partner=True)
    mixed = seats[np.any(seats == PAST_SELF, axis=1)]
    assert len(mixed) == len(DEALS) / 4
    for row in mixed:
        assert sorted(row) == sorted([LEARNER, PARTNER, PAST_SELF, PAST_SELF])
        assert row[(np.flatnonzero(row == LEARNER)[0] + 2) % 4] == PARTNER


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5, 1.0])
def test_beside_a_partner_the_learner_meets_past_selves_in_every_seat(fraction):
    seats = np.concatenate([seat_players(DEALS, fraction, False, True, update) for update in (0, 1)])
    dealers = np.concatenate([DEALERS, DEALERS])
    mixed = np.any(seats == PAST_SELF, axis=1)
    assert_every_seat_has_every_dealer_equally_often(seats[mixed], dealers[mixed])
    assert np.ptp([np.count_nonzero(seats[~mixed, seat] == LEARNER) for seat in range(4)]) <= 16  # a group of each


def test_one_past_self_in_each_update_is_met_from_both_seats():
    seats = np.concatenate([seat_players(np.arange(64), 0.125, False, True, update) for update in range(4)])
    mixed = np.any(seats == PAST_SELF, axis=1)
    assert mixed.sum() == 4 * 8
    assert_every_seat_has_every_dealer_equally_often(seats[mixed], np.arange(4 * 64)[mixed] % 4)


@pytest.mark.parametrize(("fraction", "has_opponents"), [(0.0, False), (0.0, True), (0.5, True)])
def test_without_past_selves_a_partner_changes_seats_in_every_group(fraction, has_opponents):
    beside = np.where(DEALS[:, None] // 8 % 2 == 0, [True, True, False, False], [False, False, True, True])
    for update in (0, 1):
        seats = seat_players(DEALS, fraction, has_opponents, True, update)
        if has_opponents:
            is_own_team = np.arange(4) % 2 == DEALS[:, None] // 4 % 2
            np.testing.assert_array_equal(seats == PARTNER, beside & is_own_team)
        else:
            np.testing.assert_array_equal(seats == PARTNER, beside)


# Self-play with frozen players


class Recorded:
    """A player of `load` that notes the views it is asked about."""

    stateless = True

    def __init__(self, player: Any) -> None:
        self.player, self.views, self.actions = player, [], []

    def act(self, observation, action_mask):
        raise AssertionError("it is asked by act_views")

    def act_views(self, views, keys):
        chosen = self.player.act_views(views, keys)
        self.views += list(views.copy())
        self.actions += chosen.tolist()
        return chosen


def learner_seats(batch):
    """Which seats of each deal are streams of the learner's decisions."""
    seats: dict[int, set[int]] = {}
    for deal, seat in set(zip((batch.streams // 4).tolist(), (batch.streams % 4).tolist(), strict=True)):
        seats.setdefault(deal, set()).add(seat)
    return seats


@pytest.mark.parametrize("frozen_players", [(OPPONENT,), (PARTNER,), (OPPONENT, PARTNER)], ids=str)
def test_only_the_learners_decisions_are_recorded(frozen_players):
    config = tiny(deals_per_update=128)
    players = {number: Recorded(RuleBot(seed=0)) for number in frozen_players}
    batch = play_update({LEARNER: small_sampler()[0], **players}, config)
    seats = seat_players(np.arange(128), 0.0, OPPONENT in frozen_players, PARTNER in frozen_players)
    for deal, found in learner_seats(batch).items():
        assert found <= set(np.flatnonzero(seats[deal] == LEARNER))
    for player in players.values():
        assert len(player.views) > 200
    assert len(batch) > 200
    relative_turn = batch.observations[:, FIELDS["turn"].slice]
    assert np.all(relative_turn[:, 0] == 1)


def test_a_frozen_player_plays_its_own_choices_and_not_the_learners():
    """With the rule-based player in all other seats, a deal goes as in plain play with the same choices."""
    config, partner, opponent = tiny(deals_per_update=64), Recorded(RuleBot()), Recorded(RuleBot())
    learner = small_sampler()[0]
    batch = play_update({LEARNER: learner, PARTNER: partner, OPPONENT: opponent}, config, seed=9)
    tables = Tables(64, "standard", 9, num_episodes=64, skip_forced=True)
    seats, rules, points = seat_players(np.arange(64), 0.0, True, True), RuleBot(), {}
    while len(tables):
        who = seats[tables.episodes, tables.turns]
        keys = tables.decision_keys(9)
        actions = rules.act_views(tables.views(), keys)
        rows = np.flatnonzero(who == LEARNER)
        if len(rows):
            exploration = np.where(np.isin(tables.phases[rows], BIDDING_PHASES), config.random_bids, 0.0)
            observations, masks = tables.observations(rows, relative_suits=True)
            chosen, _ = learner.sample(observations, masks, keys[rows], exploration)
            frames = tables.frames[rows]
            actions[rows] = RELABELLED[frames, chosen]
        for result in tables.step(actions):
            points[int(result["episode"])] = result["points"].tolist()
    net = [points[deal][0] - points[deal][1] for deal in range(64)]
    np.testing.assert_array_equal(batch.rewards.reshape(-1, 4)[:, 0], np.array(net) / 2)


def test_a_player_that_answers_observations_can_be_an_opponent():
    batch = play_update({LEARNER: small_sampler()[0], OPPONENT: HighestLegal()}, tiny())
    assert len(batch) > 50
    assert set(learner_seats(batch)) <= set(range(64))


class UniformSampler:
    """Samples without a network, as an object of one's own does; notes the exploration it is asked for."""

    def __init__(self):
        self.asked = []

    def sample(self, observations, action_masks, keys, exploration):
        legal = [np.flatnonzero(mask) for mask in action_masks]
        actions = [actions[key % len(actions)] for actions, key in zip(legal, keys, strict=True)]
        self.asked += list(zip(observations, exploration, strict=True))
        return np.array(actions, np.int64), -np.log(action_masks.sum(axis=1)).astype(np.float32)


def test_any_object_that_samples_can_learn():
    sampler, config = UniformSampler(), tiny(random_bids=0.25)
    batch = play_update(sampler, config)
    assert len(sampler.asked) == len(batch)
    np.testing.assert_allclose(batch.log_probs, -np.log(batch.masks.sum(axis=1)), rtol=1e-6)
    assert np.all(batch.masks[np.arange(len(batch)), batch.actions])
    for observation, exploration in sampler.asked:
        phase = int(np.flatnonzero(observation[FIELDS["phase"].slice])[0])
        assert exploration == (0.25 if phase in BIDDING_PHASES else 0)
    assert {exploration for _, exploration in sampler.asked} == {0, 0.25}
    np.testing.assert_array_equal(play_update(UniformSampler(), config).actions, batch.actions)


def test_any_object_that_samples_can_be_a_past_self():
    past, config = UniformSampler(), tiny(past_self_fraction=1.0)
    batch = play_update({LEARNER: small_sampler()[0], PAST_SELF: past}, config)
    assert len(past.asked) > 50
    for deal, seats in learner_seats(batch).items():
        assert {seat % 2 for seat in seats} == {deal // 4 % 2}


# Companions by name


def test_frozen_players_are_loaded_by_name():
    frozen_players = load_frozen_players(tiny(opponents="rules", partner="ppo"))
    assert set(frozen_players) == {OPPONENT, PARTNER}
    assert type(frozen_players[OPPONENT]) is RuleBot
    assert type(frozen_players[PARTNER]) is type(load("ppo"))
    assert load_frozen_players(tiny()) == {}


@pytest.mark.parametrize("setting", ["opponents", "partner"])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ruels", "unknown player 'ruels'; did you mean 'rules'"),
        ("support.players:LowestLegal", "must have `stateless = True`"),
        ("support.players:SeesAll", "sees all cards, and cannot be trained with"),
    ],
)
def test_a_frozen_player_that_cannot_play_in_training_is_refused(setting, name, message):
    with pytest.raises(ValueError, match=message):
        load_frozen_players(tiny(**{setting: name}))


def test_a_learner_without_a_choice_learns_nothing(monkeypatch):
    """A process may get few deals, in which its learner has none."""
    config = tiny(opponents="rules", deals_per_update=3, num_updates=1)
    usual = play_update(small_sampler()[0], tiny())
    monkeypatch.setattr("euchre_train.rollout.seat_players", lambda deals, *_: np.full((len(deals), 4), OPPONENT))
    training = new_training(config)
    before = {name: weights.clone() for name, weights in training.model.state_dict().items()}
    players = {LEARNER: training.model.sampler(), OPPONENT: load("rules", seed=0)}
    batch = play_update(players, config)
    assert len(batch) == 0
    assert batch.rewards.shape == (12,)
    for name, array in vars(usual).items():
        empty = getattr(batch, name)
        assert (empty.dtype, empty.shape[1:]) == (array.dtype, array.shape[1:]), name
    (metrics,) = updates(training, config)
    assert np.isnan(metrics["losses/policy_loss"])
    assert np.isnan(metrics["losses/explained_variance"])
    assert training.update == 1
    assert_same_weights(training.model.state_dict(), before)
