"""Recording our own games: from deals played at a table to a `RecordedGame`."""

import dataclasses
from collections.abc import Iterable

from euchre_env.cards import BENNY, NO_CARD, SUIT_LETTERS, cards_in
from euchre_env.deal import DEFEND, NOBODY, SEATS, Deal, dealt_hand
from euchre_env.deal_text import tricks_so_far
from euchre_env.egn.places import EgnError
from euchre_env.egn.records import Bidding, NamedPlayer, Play, RecordedDeal, RecordedGame
from euchre_env.egn.replaying import replay, winner_of
from euchre_env.egn.rule_names import ruleset
from euchre_env.egn.symbols import symbol_of
from euchre_env.house_rules import HouseRules, RulesLike, parse_rules

SEAT_NAMES = tuple(f"player_{seat}" for seat in SEATS)


def record_game(
    deals: Iterable[Deal],
    rules: RulesLike = "standard",
    *,
    players: Iterable[str | NamedPlayer] = SEAT_NAMES,
    first_scores: tuple[int, int] = (0, 0),
    title: str | None = None,
    description: str | None = None,
    game_id: str | None = None,
    date: str | None = None,
) -> RecordedGame:
    """The record of a game, with all cards dealt and the dealers' discards.

    Args:
        deals: the deals in their order, records of dtype DEAL such as `Table.last_deal` after each; the last one may
            be in progress (`Table.deal`).
        rules: the house rules of the game.
        players: the names from seat 0 on.
        first_scores: the points of teams 0 and 1 before the first deal.
        title: a text for the reader.
        description: a longer one.
        game_id: a name of the game for programs.
        date: when the game was played, such as "2026-05-17T19:00:00Z".

    Returns:
        The record; its `final_scores` are None unless the game is over.

    Raises:
        EgnError: if a house rule is not in the notation, or a deal is not one that can be recorded: one that a renege
            ended, or one of a game that was over.
    """
    rules = parse_rules(rules)
    ruleset(rules)
    game = RecordedGame(
        tuple(record_deal(deal, rules, number) for number, deal in enumerate(deals)),
        rules,
        tuple(players),
        first_scores,
        title=title,
        description=description,
        game_id=game_id,
        date=date,
    )
    replays = replay(game)
    scores = replays[-1].scores_after if replays else first_scores
    if winner_of(game, scores) is None:
        return game
    return dataclasses.replace(game, final_scores=scores)


def record_deal(deal: Deal, rules: HouseRules, number: int = 0) -> RecordedDeal:
    """The record of a deal, a record of dtype DEAL, in any phase.

    Raises:
        EgnError: if one of two defenders has declined to defend alone and the other has not answered, which the
            notation cannot say.
    """
    place = f"deals[{number}]"
    if deal.phase == DEFEND and deal.num_declined == 1:
        raise EgnError(place, "the notation cannot say that one defender of two has declined to defend alone")
    asked = rules.defend_alone != "never" and bool(deal.num_declined or deal.lone_defender != NOBODY)
    return RecordedDeal(
        dealer=int(deal.dealer),
        upcard=symbol_of(int(deal.upcard)),
        bidding=Bidding(
            calls=tuple(_calls(deal)),
            alone=bool(deal.alone),
            lone_defender=None if not asked else -1 if deal.lone_defender == NOBODY else int(deal.lone_defender),
            discard=None if deal.discard == NO_CARD else symbol_of(int(deal.discard)),
        ),
        play=Play(tuple(tuple(symbol_of(card) for card in trick) for trick in tricks_so_far(deal))),
        hands=tuple(tuple(symbol_of(card) for card in cards_in(dealt_hand(deal, seat))) for seat in SEATS),
        number=number,
    )


def _calls(deal: Deal) -> list[str]:
    """The calls; of a dealer who turned up the joker, after passes up to its place in the second round."""
    calls = ["Pass"] * int(deal.num_passes)
    if deal.maker == NOBODY:
        return calls
    if deal.upcard == BENNY:
        calls = ["Pass"] * 7
    if len(calls) >= 4:
        return [*calls, SUIT_LETTERS[int(deal.trump)].lower()]
    return [*calls, "Order"]
