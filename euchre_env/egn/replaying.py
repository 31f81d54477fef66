"""Replaying a recorded game: every deal as a table and the actions taken at it, so that any player can be asked."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from euchre_env.cards import CardSet
from euchre_env.custom_deal import FixedCards
from euchre_env.deal import NOBODY, NUM_TRICKS, Deal
from euchre_env.deal_text import text_of_deal
from euchre_env.egn.finding_cards import find_cards
from euchre_env.egn.places import EgnError
from euchre_env.egn.records import RecordedDeal, RecordedGame
from euchre_env.game import NO_TEAM, game_winner
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import row
from euchre_env.table import Table


class Decision(NamedTuple):
    """A decision of a recorded deal."""

    table: Table
    """The position, whose `turn` is the seat to act; it is the same table at every decision, and not to be changed."""
    action: int
    """The action id that the seat took."""


@dataclass(frozen=True)
class Replay:
    """One deal of a recorded game with a whole pack of cards."""

    deal: RecordedDeal
    """The record."""
    table: Table
    """The table before the first bid, with the scores before the deal."""
    actions: tuple[int, ...]
    """The action ids from the first bid to the last card recorded."""
    invented: tuple[CardSet, ...]
    """By seat, the cards of the hand dealt that the record does not show, so that other cards are as likely."""
    points: tuple[int, int]
    """The points of the two teams: of a deal without all its cards, those that are certain all the same."""
    is_finished: bool
    """Whether the record has the deal to its end."""
    final: Deal
    """The deal after the last action, a record of dtype DEAL."""

    @property
    def scores(self) -> tuple[int, int]:
        """The scores before the deal."""
        return self.table.scores

    @property
    def scores_after(self) -> tuple[int, int]:
        """The scores after the deal."""
        return self.scores[0] + self.points[0], self.scores[1] + self.points[1]

    @property
    def text(self) -> str:
        """The deal text of the deal after its last action, with the scores before it."""
        return text_of_deal(self.final, self.table.rules, self.scores)

    def decisions(self) -> Iterator[Decision]:
        """The decisions of the deal in their order, discards and answers to "defend alone?" included."""
        table = self.table.clone()
        for action in self.actions:
            yield Decision(table, action)
            table.step(action)


def replay(game: RecordedGame, seed: int = 0) -> list[Replay]:
    """The deals of a recorded game, each with cards that agree with the record.

    Cards that the record does not show are made up: where the deal admits several, `seed` picks one. They are legal,
    but no fair sample of what the seats may have held; `Replay.invented` names them, and
    `euchre_env.worlds.sample_worlds` draws fair samples from a view.

    Args:
        game: the game; `parse_egn` and `read_egn` make sure that it can be replayed.
        seed: fixes the cards that are made up.

    Returns:
        A `Replay` for each deal.

    Raises:
        EgnError: if a deal cannot have been played as it is recorded, or the game was over before it.
    """
    replays: list[Replay] = []
    scores = game.first_scores
    for index, deal in enumerate(game.deals):
        replays.append(_replay_deal(deal, game.rules, scores, f"deals[{index}]", seed))
        scores = replays[-1].scores_after
    return replays


def winner_of(game: RecordedGame, scores: tuple[int, int]) -> int | None:
    """The team that has won the game at these scores; None if none has."""
    winner = game_winner(np.array(scores, np.int64), row(game.rules.packed()))
    return None if winner == NO_TEAM else int(winner)


def _replay_deal(deal: RecordedDeal, rules: HouseRules, scores: tuple[int, int], path: str, seed: int) -> Replay:
    found = find_cards(deal, rules, path, seed)
    try:
        table = Table(
            rules, dealer=deal.dealer, scores=scores, cards=FixedCards(found.hands, found.upcard, found.kitty)
        )
    except ValueError as error:
        raise EgnError(path, str(error)) from None
    played = table.clone()
    for number, (action, place) in enumerate(zip(found.actions, found.places, strict=True)):
        try:
            answer = played.step(action)
        except ValueError as error:
            raise EgnError(place, str(error)) from None
        if answer == NOBODY and number < len(found.actions) - 1:
            raise EgnError(place, "the deal is over, but the record goes on")
    is_finished = played.last_deal is not None
    final = played.last_deal if played.last_deal is not None else played.deal
    if played.last_result is not None:
        points = int(played.last_result.points[0]), int(played.last_result.points[1])
    else:
        points = _certain_points(final, rules)
    return Replay(deal, table, tuple(found.actions), tuple(found.invented), points, is_finished, final)


def _certain_points(deal: Deal, rules: HouseRules) -> tuple[int, int]:
    """The points that a deal in progress comes to however it goes on; none where the rest of the tricks matters."""
    if deal.maker == NOBODY:
        return 0, 0
    makers = int(deal.maker) & 1
    won, lost = int(deal.tricks[makers]), int(deal.tricks[1 - makers])
    points = [0, 0]
    if won >= 3 and lost >= 1:
        points[makers] = 1
    elif lost > NUM_TRICKS - 3:
        euchred = rules.lone_euchred_points if deal.alone else rules.euchre_points
        points[1 - makers] = rules.lone_defender_points if deal.lone_defender != NOBODY else euchred
    return points[0], points[1]
