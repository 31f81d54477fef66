"""Games survive Euchre Game Notation: import, export, import gives the same record, and every score is right.

EGN_TEST_GAMES sets the number of random games; 10,000 take about 20 minutes of a core. EUCHRE_EGN names a folder of
real tournament games, which are not part of the project.
"""

import dataclasses
import json
import os
import random
from pathlib import Path

import pytest
from support.egn import read_game
from support.paths import DATA, ROOT, SHARED
from support.recorded_games import MAPPED, played_at_random, random_game
from support.tables import choose

from euchre_env.actions import PASS_ID
from euchre_env.deal import NOBODY
from euchre_env.deal_text import deal_text, parse_deal_text
from euchre_env.egn import (
    EgnError,
    egn_text,
    parse_egn,
    read_egn,
    record_deal,
    record_game,
    replay,
    winner_of,
    write_egn,
)
from euchre_env.house_rules import PRESETS, HouseRules
from euchre_env.table import Table

NUM_GAMES = int(os.environ.get("EGN_TEST_GAMES", "30"))
TOURNAMENTS = Path(os.environ.get("EUCHRE_EGN", SHARED / "corpus" / "egn"))
TOURNAMENT_GAMES = sorted(TOURNAMENTS.glob("*.egn"))
SHIPPED_GAMES = sorted((ROOT / "examples" / "games").glob("*.egn"))
INVENTED_GAMES = sorted((DATA / "egn").glob("*.egn"))

compiled = pytest.mark.compiled  # many deals


@compiled
@pytest.mark.parametrize("path", [*SHIPPED_GAMES, *INVENTED_GAMES, *TOURNAMENT_GAMES], ids=lambda path: path.stem)
def test_a_game_replays_to_its_final_score_and_survives_export(path):
    game = read_egn(path)
    assert game.final_scores in ((None,) if path.stem == "annotated" else (replay(game)[-1].scores_after,))
    text = egn_text(game)
    assert json.loads(text)["version"] == "1.4"
    assert parse_egn(text) == game
    assert egn_text(parse_egn(text)) == text


def test_tournament_games_are_read_where_they_are():
    if not TOURNAMENT_GAMES:
        pytest.skip(f"there are no tournament games in {TOURNAMENTS} (EUCHRE_EGN names another folder)")
    assert len(TOURNAMENT_GAMES) == 9


def test_the_project_ships_games_of_its_own():
    assert len(SHIPPED_GAMES) >= 5
    assert {path.stem for path in SHIPPED_GAMES} >= set(MAPPED)


@compiled
@pytest.mark.parametrize("path", [*INVENTED_GAMES, *TOURNAMENT_GAMES], ids=lambda path: path.stem)
def test_an_independent_reader_sees_the_same_game(path):
    """The reader of tests/support shares no code with the package."""
    theirs, ours = read_game(path), read_egn(path)
    assert theirs.rules == ours.rules
    assert (theirs.first_scores, theirs.final_scores) == (ours.first_scores, ours.final_scores)
    for recorded, each in zip(theirs.deals, replay(ours), strict=True):
        bids = recorded.bids()
        assert list(each.actions[: len(bids)]) == bids
        played = [card for trick in recorded.tricks for card in trick]
        assert list(each.actions[len(each.actions) - len(played) :]) == played


@compiled
@pytest.mark.parametrize("preset", MAPPED)
def test_random_games_survive_under_every_preset_that_the_notation_can_say(preset):
    for seed in range(-(-NUM_GAMES // len(MAPPED))):
        deals = played_at_random(preset, seed)
        game = record_game(deals, preset)
        again = parse_egn(egn_text(game))
        assert again == game, f"seed {seed}"
        replays = replay(again)
        assert [each.final.tobytes() for each in replays] == [deal.tobytes() for deal in deals], f"seed {seed}"
        assert again.final_scores == replays[-1].scores_after, f"seed {seed}"
        assert winner_of(again, replays[-1].scores_after) is not None
        assert not any(any(each.invented) for each in replays), f"seed {seed}"


@pytest.mark.parametrize("preset", MAPPED)
def test_a_game_of_each_preset_survives_uncompiled(preset):
    """A short game, so that `make coverage` runs it."""
    rules = dataclasses.replace(PRESETS[preset], points_to_win=1)
    game = random_game(rules, 5)
    assert parse_egn(egn_text(game)) == game


@pytest.mark.parametrize("preset", MAPPED)
def test_a_deal_in_progress_survives_in_every_phase(preset):
    rng, met = random.Random(preset), set()
    for num_passes in range(9):  # at first, so that there are second rounds
        table = Table(preset, num_passes)
        while table.last_deal is None:
            deal, may_pass = table.deal, PASS_ID in table.legal_actions()
            if deal.num_declined == 1 and table.phase == "DEFEND":
                with pytest.raises(EgnError, match="one defender of two has declined"):
                    record_deal(deal, table.rules)
            elif table.phase != "PLAY" or table.num_actions % 6 == 0:
                met.add(table.phase)
                game = record_game([deal], preset)
                assert game.final_scores is None
                (each,) = replay(parse_egn(egn_text(game)))
                assert each.final.tobytes() == deal.tobytes(), deal_text(table)
                assert not each.is_finished
            table.step(PASS_ID if may_pass and table.num_actions < num_passes else choose(table, rng))
    expected = {"FIRST_ROUND", "SECOND_ROUND", "DISCARD", "PLAY"}
    assert met >= expected | ({"DEFEND"} if preset == "tournament" else set())


def test_a_benny_that_is_turned_up_survives():
    deals = [deal for seed in range(40) for deal in [Table("british", seed, one_deal=True).deal] if deal.upcard == 24]
    assert deals
    for deal in deals:
        (each,) = replay(parse_egn(egn_text(record_game([deal], "british"))))
        assert each.final.tobytes() == deal.tobytes()


# Our rules that the notation cannot say


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"lone_lead": "eldest_else_left_of_maker"}, "lone_lead"),
        ({"stuck_dealer_any_suit": True}, "stuck_dealer_any_suit"),
        ({"win_by": 2}, "win_by"),
        ({"canadian_loner": "any_call"}, "canadian_loner"),
        ({"dealer_sits_out_exchange": True}, "dealer_sits_out_exchange"),
        ({"discard_upcard": False}, "discard_upcard"),
        ({"defend_alone": "always"}, "defend_alone"),
        ({"defend_poll_from": "left_of_maker"}, "defend_poll_from"),
        ({"no_ace_no_face": "same_dealer"}, "no_ace_no_face"),
        ({"throw_in_dealer": "same"}, "throw_in_dealer"),
        ({"march_points": 3}, "march_points"),
        ({"euchre_points": 3}, "euchre_points"),
        ({"lone_defender_points": 3}, "lone_defender_points"),
        ({"super_euchre": True}, "super_euchre"),
    ],
)
def test_a_house_rule_that_the_notation_cannot_say_is_refused_by_name(changes, name, tmp_path):
    rules = HouseRules(**changes)
    with pytest.raises(EgnError, match=f"the house rule '{name}' is {changes[name]!r}"):
        record_game([Table(rules, 1).deal], rules)
    game = dataclasses.replace(record_game([Table("standard", 1).deal]), rules=rules)
    with pytest.raises(EgnError, match=name):
        write_egn(game, tmp_path / "game.egn")
    assert not list(tmp_path.iterdir())


def test_the_preset_printed_is_refused_by_name():
    with pytest.raises(EgnError, match="'lone_lead' is 'eldest_else_left_of_maker'"):
        record_game([], "printed")


def test_every_rule_is_written_and_read_back():
    rules = HouseRules(
        stick_the_dealer=True,
        points_to_win=11,
        lone_lead="left_of_maker",
        canadian_loner="order_up",
        defend_alone="against_loner",
        benny=True,
        lone_march_points=5,
        lone_euchred_points=3,
    )
    text = egn_text(record_game([], rules))
    assert json.loads(text)["metadata"]["ruleset"] == {
        "std": True,
        "min_rank": 9,
        "winning_score": 11,
        "canadian": True,
        "loner_lead": "LEFT_OF_LONER",
        "loner_march_score": 5,
        "loner_euchred_score": 3,
        "defend_alone": True,
        "farmers": False,
        "partners_best": False,
        "go_under": False,
        "joker": True,
        "num_players": 4,
        "allow_no_trump": False,
        "fast_break": False,
        "four_trick_tokens": False,
    }
    assert parse_egn(text).rules == rules


# Games that cannot be recorded


def test_a_game_of_more_deals_than_the_notation_allows_is_refused():
    deals = [Table("standard", 0, dealer=seed % 4).deal for seed in range(101)]
    game = record_game(deals[:100])
    assert len(parse_egn(egn_text(game)).deals) == 100
    with pytest.raises(EgnError, match="deals: the list has 101 items, of at most 100"):
        egn_text(record_game(deals))


def test_a_game_that_goes_on_after_its_end_is_refused():
    deals = played_at_random("standard", 3)
    with pytest.raises(EgnError, match="already end a game"):
        record_game([*deals, deals[0]])


# The texts of deals


def test_the_text_of_a_replayed_deal_is_that_of_the_table():
    table = Table("pagat", 4)
    deals, texts = [], []
    rng = random.Random(4)
    while len(deals) < 3:
        before = deal_text(table)
        action = rng.choice(table.legal_actions())
        if table.step(action) == NOBODY:
            deals.append(table.last_deal)
            texts.append(before)
    for each, before in zip(replay(record_game(deals, "pagat")), texts, strict=True):
        assert each.text.startswith(before)
        again = parse_deal_text(each.text)
        assert again.last_deal is not None
        assert again.last_deal.tobytes() == each.final.tobytes()
        assert again.scores == each.scores_after


def test_decisions_are_those_of_the_deal():
    (each, *_) = replay(random_game("standard", 8))
    seen = [(table.turn, action, action in table.legal_actions()) for table, action in each.decisions()]
    assert [action for _, action, _ in seen] == list(each.actions)
    assert all(is_legal for *_, is_legal in seen)
    assert each.table.num_actions == 0
