"""Real tournament games replay: every move is legal, every trick has the right leader, every final score comes out.

They lie in shared/; EUCHRE_EGN names another folder.
"""

import os
from pathlib import Path

import pytest
from support.egn import house_rules, read_game
from support.tables import SHARED

from euchre_env.deal_text import deal_text
from euchre_env.table import Table

FOLDER = Path(os.environ.get("EUCHRE_EGN", SHARED / "corpus" / "egn"))
GAMES = sorted(FOLDER.glob("*.egn"))

if "EUCHRE_EGN" in os.environ and not GAMES:
    raise FileNotFoundError(f"EUCHRE_EGN names {FOLDER}, which holds no .egn file")


@pytest.mark.skipif(not GAMES, reason=f"no games in {FOLDER}")
@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_game_replays_to_its_final_score(path):
    game = read_game(path)
    scores, dealer = game.first_scores, game.deals[0].dealer
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
    assert scores == game.final_scores


def test_reader_refuses_rules_it_does_not_know():
    with pytest.raises(ValueError, match=r"does not know the rules \{'farmers': True\}"):
        house_rules({"std": True, "joker": False, "farmers": True})
