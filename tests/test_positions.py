"""Playing on from positions: a position plays like the table it came from, and invalid positions are refused."""

import random
import re
from typing import Any

import numpy as np
import pytest
from support.rules import EVERY_RULE
from support.tables import assert_row_is_table, choose, play_out

from euchre_env.deal import DEAL, PHASES, PLAY
from euchre_env.deal_text import deal_text
from euchre_env.game import GAME, NO_TEAM, RESULT
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.table import MAX_SCORE, Table
from euchre_env.tables import Tables

EVERY_PHASE = parse_rules("british,defend_alone=always")  # every phase occurs
WITHOUT_OWN = [name for name in RESULT.names or () if name not in ("episode", "over", "winner")]


def positions_under(rules, seed, scores=(0, 0), one_deal=False):
    """A table in each position of one random deal that has a seat to act."""
    table = Table(rules, seed, scores=scores, one_deal=one_deal)
    return [position.clone() for position in play_out(table, random.Random(seed)) if position.last_deal is None]


def positions_in_every_phase():
    """Two tables for each phase that has a seat to act, by phase."""
    by_phase: dict[str, list[Table]] = {phase: [] for phase in PHASES[:-1]}
    seed = 0
    while any(len(tables) < 2 for tables in by_phase.values()):
        for table in positions_under(EVERY_PHASE, seed, (3, 4))[:: 1 + seed % 3]:
            if len(by_phase[table.phase]) < 2:
                by_phase[table.phase].append(table)
        seed += 1
    return by_phase


@pytest.mark.compiled
@pytest.mark.parametrize("number", range(len(EVERY_RULE)))
def test_a_position_is_the_table_it_came_from_to_the_end_of_its_deal(number):
    rules, rng = EVERY_RULE[number], random.Random(number)
    twins = [
        table
        for seed in range(4)
        for table in positions_under(rules, 10 * number + seed, scores=(seed % 3, 1), one_deal=seed % 2 == 0)
    ]
    tables = Tables(7, rules, positions=np.array([table.record for table in twins], GAME))
    actions_before = [table.num_actions for table in twins]
    num_results = 0
    while len(tables):
        actions = []
        for row, k in enumerate(tables.episodes.tolist()):
            if tables.num_actions[row] % 3 == 0:  # each comparison costs a dozen kernels
                assert_row_is_table(tables, row, twins[k], actions_before[k])
            actions.append(choose(twins[k], rng))
            twins[k].step(actions[-1])
        for result in tables.step(np.array(actions)):
            expected = twins[int(result["episode"])].last_result
            assert expected is not None
            assert [result[name].tolist() for name in WITHOUT_OWN] == [expected[name].tolist() for name in WITHOUT_OWN]
            assert (result["over"], result["winner"]) == (1, NO_TEAM)  # whatever the game would go on to
            num_results += 1
    assert num_results == len(twins)


def test_records_and_texts_of_tables_and_batches_are_the_same_positions():
    twins = positions_under("pagat", 5, scores=(7, 2))
    records = np.array([table.record for table in twins], GAME)
    texts = [deal_text(table) for table in twins]
    batches = [
        Tables(rules="pagat", positions=records),
        Tables(rules="pagat", positions=[table.record for table in twins]),
        Tables(rules="pagat", positions=Tables(rules="pagat", positions=records, seed=9).records),
        Tables(positions=texts),
    ]
    for tables in batches:
        assert tables.episodes.tolist() == list(range(len(twins)))
        assert tables.rule_sets == (parse_rules("pagat"),)
        for row, twin in enumerate(twins):
            assert tables.deals()[row].tobytes() == twin.deal.tobytes()
            assert tuple(tables.scores[row]) == (7, 2)
        assert tables.decision_keys(1).tolist() == batches[0].decision_keys(1).tolist()


def test_deal_texts_are_played_under_the_rules_that_they_name():
    tables = [positions_under(rules, seed)[0] for rules in EVERY_RULE for seed in (1, 2)]
    batch = Tables(5, positions=list(map(deal_text, tables)))
    assert batch.rule_sets == tuple(EVERY_RULE)
    met = set()
    while len(batch):
        for row, k in enumerate(batch.episodes.tolist()):
            assert batch.rule_sets[batch.rules_indices[row]] == tables[k].rules
            met.add(k)
        batch.step_at_random(0)
    assert met == set(range(len(tables)))


def test_records_take_the_rules_of_a_list_in_turn():
    fresh = Tables(6, seed=2).records
    rules = ["standard", "pagat", "midwest"]
    assert Tables(positions=fresh, rules=rules).rules_indices.tolist() == [0, 1, 2, 0, 1, 2]
    assert Tables(positions=fresh[::-1], rules=rules).rules_indices.tolist() == [0, 1, 2, 0, 1, 2]


def test_the_positions_given_are_not_changed_and_not_kept():
    given = Tables(6, seed=2).records
    before = given.copy()
    tables = Tables(3, positions=given)
    given["deal"]["hands"] = 0
    dealt = tables.deals()
    while len(tables):
        tables.step_at_random(0)
    assert dealt.tobytes() == before["deal"][:3].tobytes()


@pytest.mark.parametrize("positions", [[], (), np.zeros(0, GAME)])
@pytest.mark.parametrize("rules", [None, "pagat", ["pagat", "midwest"]])
def test_no_position_makes_no_row(positions, rules):
    tables = Tables(positions=positions, rules=rules)
    assert len(tables) == len(tables.views()) == len(tables.episodes) == 0
    assert tables.step(np.array([], np.int64)).size == 0


def test_where_nothing_but_forced_moves_is_left_the_last_of_them_is_offered():
    tables = [table for seed in range(30) for table in positions_under("pagat", seed)]
    last_trick = [table for table in tables if table.phase == "PLAY" and table.deal.trick == 4]
    batch = Tables(4, rules="pagat", positions=[table.record for table in last_trick], skip_forced=True)
    results = []
    while len(batch):
        deals = batch.deals()
        for row in range(len(batch)):
            assert (deals["phase"][row], deals["trick"][row]) == (PLAY, 4)
            num_cards = sum(int(hand).bit_count() for hand in deals["hands"][row])
            assert num_cards == 5 * int(deals["sitting_out"][row]).bit_count() + 1  # who sits out keeps its cards
        results.extend(batch.step_at_random(0))
    assert sorted(int(result["episode"]) for result in results) == list(range(len(last_trick)))
    for result in results:
        twin = last_trick[int(result["episode"])]
        while not twin.last_result:
            twin.step(twin.legal_actions()[0])
        assert result["points"].tolist() == twin.last_result.points.tolist()


def test_with_forced_moves_skipped_a_position_is_offered_at_a_real_choice():
    tables = [table for seed in range(8) for table in positions_under("pagat", seed)]
    batch = Tables(rules="pagat", positions=[table.record for table in tables], skip_forced=True)
    legal, deals = batch.legal_actions(), batch.deals()
    is_last = deals["trick"] == 4
    assert (legal & (legal - 1))[~is_last].all()
    assert not (legal & (legal - 1))[is_last].any()
    assert is_last.any()


def test_any_wrong_value_in_a_field_of_the_deal_is_refused():
    for tables in positions_in_every_phase().values():
        for table in tables:
            start = np.array([table.record], GAME)
            Tables(rules=EVERY_PHASE, positions=start)  # as it is, it is taken
            for name in DEAL.names or ():
                for place in np.ndindex(start["deal"][name].shape):
                    value = int(start["deal"][name][place])
                    for wrong in {0, 1, 4, 5, 25, value - 1, value + 1, value + 64, -1, 2**40, -(2**62)} - {value}:
                        if name == "alone" and wrong in (0, 1) and table.phase in ("DISCARD", "DEFEND"):
                            continue  # that deal is possible, too
                        spoilt = start.copy()
                        spoilt["deal"][name][place] = wrong
                        with pytest.raises(ValueError, match="position 0 is not a deal in progress under rules"):
                            Tables(rules=EVERY_PHASE, positions=spoilt)


@pytest.mark.parametrize("name", ["seed", "deal_number", "num_actions", "scores"])
def test_a_field_of_the_game_that_is_out_of_bounds_is_refused(name):
    for wrong in (-1, -(2**62), *((MAX_SCORE + 1, 2**62) if name == "scores" else ())):
        records = Tables(3, seed=1).records
        records[name][1] = wrong
        with pytest.raises(
            ValueError, match=f"position 1 is not a deal in progress .*field '{name}' must be from 0 to"
        ):
            Tables(positions=records)


def test_fields_that_a_batch_sets_itself_may_hold_anything():
    records = Tables(3, seed=1).records
    expected = Tables(positions=records)
    for name in ("episode", "rules_index", "keys", "one_deal"):
        records[name] = -(2**62)
    assert Tables(positions=records).records.tobytes() == expected.records.tobytes()


def over(records):
    records["over"] = 1


def ended(records):
    records["deal"]["phase"] = PHASES.index("OVER")


def doubled(records):
    records["deal"]["hands"][0, 1] = records["deal"]["hands"][0, 2]


def one_card_more(records):
    hand = int(records["deal"]["hands"][0, 0])
    records["deal"]["hands"][0, 0] = hand | int(records["deal"]["kitty"][0])


def no_cards(records):
    records["deal"]["hands"] = 0


def with_the_benny(records):
    records["deal"]["upcard"] = 24


def won(records):
    records["scores"][0] = 10, 3


def tricks_without_cards(records):
    records["deal"]["trick"] = 2


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (over, "its deal is over"),
        (ended, "its deal is over"),
        (doubled, "not the cards of the pack"),
        (one_card_more, "not the cards of the pack"),
        (no_cards, "not the cards of the pack"),
        (with_the_benny, "not the cards of the pack"),
        (won, "its scores already end a game"),
        (tricks_without_cards, "do not lead to what field 'trick' of its deal says"),
    ],
)
def test_what_is_wrong_with_a_record_is_told(spoil, message):
    records = Tables(1, seed=1, episode="game").records
    spoil(records)
    with pytest.raises(ValueError, match=f"position 0 is not a deal in progress under rules 'standard': .*{message}"):
        Tables(positions=records)


def test_records_are_judged_under_the_rules_they_shall_be_played_under():
    (record,) = Tables(1, "british", seed=3).records
    with pytest.raises(ValueError, match=r"position 0 .* under rules 'standard': .* not the cards of the pack"):
        Tables(positions=[record])
    records = Tables(40, "standard,points_to_win=15", seed=3).records
    records["scores"] = 12, 3
    assert len(Tables(positions=records, rules="standard,points_to_win=15")) == 40
    with pytest.raises(ValueError, match=r"position 0 .* its scores already end a game"):
        Tables(positions=records)


def test_a_lead_that_the_rules_give_to_another_seat_is_refused():
    loners = [t for s in range(99) for t in positions_under("standard", s) if t.phase == "PLAY" and t.deal.alone]
    led_by_left_of_maker = [t for t in loners if t.deal.leaders[0] == (t.deal.maker + 1) % 4]
    led_by_another = [t for t in loners if t not in led_by_left_of_maker and t.deal.maker != (t.deal.dealer + 2) % 4]
    assert len(Tables(positions=[t.record for t in led_by_left_of_maker[:1]], rules="pagat")) == 1
    with pytest.raises(ValueError, match=r"position 0 .* under rules 'pagat': its bids and tricks do not lead to"):
        Tables(positions=[t.record for t in led_by_another[:1]], rules="pagat")


NO_POSITIONS: list[Any] = [
    np.zeros(3, np.int64),
    np.zeros(3, DEAL),
    np.zeros((1, 1), GAME),
    np.zeros((), GAME),
    np.array(["text"]),
    Table().record,
    Tables(1),
    "rules=standard",
    b"rules=standard",
    3,
    [1, 2],
    [None],
    [Table().record, "rules=standard"],
    [np.zeros((), DEAL)[()]],
    {"a": 1},
    iter(["rules=standard"]),
]


@pytest.mark.parametrize("positions", NO_POSITIONS, ids=range(len(NO_POSITIONS)))
def test_other_things_are_no_positions(positions):
    with pytest.raises(ValueError, match=r"^positions? .*must be .*(deal text|game records|dtype GAME)") as caught:
        Tables(positions=positions)
    assert len(str(caught.value)) < 300


def test_texts_are_refused_with_their_number():
    good = deal_text(Table(seed=1))
    finished = Table(seed=1, one_deal=True)
    while not finished.is_over:
        finished.step(finished.legal_actions()[0])
    next_deal = re.sub("actions=.*", "actions=" + ".".join(["pass"] * 8), good)
    for bad, message in (
        ("nonsense", "position 1: 'nonsense' is not a field of a deal text"),
        (deal_text(finished), "position 1 has no seat to act: its deal is over"),
        (next_deal, "position 1 has no seat to act: its deal is over"),
    ):
        with pytest.raises(ValueError, match=message):
            Tables(positions=[good, bad])
    with pytest.raises(ValueError, match="deal texts name their own rules; leave out `rules`"):
        Tables(positions=[good], rules="standard")


@pytest.mark.parametrize("argument", [{"episode": "game"}, {"num_episodes": 1}, {"first_episode": 1}, {"dealer": 0}])
def test_positions_leave_no_say_in_the_episodes(argument):
    with pytest.raises(ValueError, match="positions fix the episodes"):
        Tables(positions=Tables(2).records, **argument)


def test_without_positions_the_number_of_tables_must_be_said():
    with pytest.raises(ValueError, match="num_tables must be a whole number from 1"):
        Tables()


def test_house_rules_of_a_position_are_those_of_its_text():
    rules = HouseRules(points_to_win=7, win_by=2)
    assert Tables(positions=[deal_text(Table(rules, scores=(6, 6)))]).rule_sets == (rules,)
