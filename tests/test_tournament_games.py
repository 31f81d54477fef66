"""Games in Euchre Game Notation replay: every move is legal, every trick has the right leader, every score is right.

The games of tests/data/egn were made up for this test and scored by hand. EUCHRE_EGN names a folder of real tournament
games to replay as well; they are not part of the project.
"""

import dataclasses
import os
from pathlib import Path

import pytest
from support.egn import house_rules, read_game
from support.paths import DATA, SHARED

from euchre_env.actions import IllegalActionError
from euchre_env.deal_text import deal_text
from euchre_env.house_rules import HouseRules
from euchre_env.table import Table

OWN_GAMES = DATA / "egn"
# The score after each deal, with what each deal came to.
SCORES = {
    "stuck_dealer_to_ten": [
        (9, 8),  # the dealer's partner orders up; five tricks
        (9, 9),  # the stuck dealer names spades; three tricks
        (9, 10),  # the eldest hand orders up alone; four tricks
    ],
    "canadian_to_five": [
        (0, 1),  # the dealer's partner orders up alone, the dealer sits out; four tricks
        (0, 3),  # the dealer picks up, discards the upcard and is euchred with two tricks
        (0, 3),  # thrown in
        (0, 7),  # clubs are named alone; five tricks
    ],
    "loner_euchred": [
        (11, 9),  # ordered up alone; two tricks
    ],
}
TOURNAMENTS = Path(os.environ.get("EUCHRE_EGN", SHARED / "corpus" / "egn"))
TOURNAMENT_GAMES = sorted(TOURNAMENTS.glob("*.egn"))
GAMES = [*sorted(OWN_GAMES.glob("*.egn")), *TOURNAMENT_GAMES]

if "EUCHRE_EGN" in os.environ and not TOURNAMENT_GAMES:
    raise FileNotFoundError(f"EUCHRE_EGN names {TOURNAMENTS}, which holds no .egn file")


def replay(game):
    """Play a recorded game to its end and return the scores after each deal."""
    scores, dealer, after = game.first_scores, game.deals[0].dealer, []
    for number, recorded in enumerate(game.deals):
        cards, discard = recorded.cards(game.rules)
        assert recorded.dealer == dealer
        table = Table(game.rules, dealer=dealer, scores=scores, cards=cards)
        for bid in recorded.bids():
            table.step(bid)
        if discard is not None:
            table.step(discard)
        for trick, played in enumerate(recorded.tricks):
            for card in played:
                assert (table.phase, int(table.deal.trick)) == ("PLAY", trick), deal_text(table)
                table.step(card)
        assert table.last_deal is not None, deal_text(table)
        assert table.is_over == (number == len(game.deals) - 1), "the game ends with its last deal"
        scores, dealer = table.scores, int(table.deal.dealer)
        after.append(scores)
    return after


def own_game(name):
    """One of the invented games."""
    return read_game(OWN_GAMES / f"{name}.egn")


def with_deal(game, number, **changes):
    """The game with a changed record of one of its deals."""
    deals = list(game.deals)
    deals[number] = dataclasses.replace(deals[number], **changes)
    return dataclasses.replace(game, deals=deals)


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_a_game_replays_to_its_final_score(path):
    game = read_game(path)
    assert replay(game)[-1] == game.final_scores


def test_every_invented_game_scores_as_checked_by_hand():
    games = {path.stem: replay(read_game(path)) for path in OWN_GAMES.glob("*.egn")}
    assert games == SCORES


# A record that is wrong somewhere is noticed.


def test_a_card_that_does_not_follow_suit_is_noticed():
    game = own_game("stuck_dealer_to_ten")
    tricks = [list(trick) for trick in game.deals[0].tricks]
    tricks[0][3], tricks[2][2] = tricks[2][2], tricks[0][3]  # the dealer keeps its club when clubs are led
    with pytest.raises(IllegalActionError):
        replay(with_deal(game, 0, tricks=tricks))


def test_a_dealer_out_of_turn_is_noticed():
    game = own_game("canadian_to_five")
    with pytest.raises(AssertionError):
        replay(with_deal(game, 3, dealer=1))


def test_a_partner_who_orders_up_with_the_dealer_is_noticed():
    game = own_game("canadian_to_five")
    with pytest.raises(IllegalActionError):
        replay(with_deal(game, 0, alone=False))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("stuck_dealer_to_ten", {"points_to_win": 11}),  # ten points would not end the game
        ("canadian_to_five", {"points_to_win": 3}),  # three points would end it too early
        ("canadian_to_five", {"stick_the_dealer": True}),  # an eighth pass
        ("canadian_to_five", {"lone_lead": "eldest"}),
    ],
)
def test_the_wrong_house_rules_are_noticed(name, wrong):
    game = own_game(name)
    with pytest.raises((AssertionError, ValueError)):  # of which IllegalActionError is one
        replay(dataclasses.replace(game, rules=dataclasses.replace(game.rules, **wrong)))


# The reader


def test_reader_understands_every_rule_it_knows():
    everything = {"std": True, "canadian": True, "loner_lead": "LEFT_OF_LONER", "winning_score": 11}
    assert house_rules(everything) == HouseRules(
        stick_the_dealer=True, canadian_loner="order_up", lone_lead="left_of_maker", points_to_win=11
    )
    assert house_rules({}) == HouseRules()


def test_reader_refuses_rules_it_does_not_know():
    with pytest.raises(ValueError, match=r"does not know the rules \{'farmers': True\}"):
        house_rules({"std": True, "joker": False, "farmers": True})
