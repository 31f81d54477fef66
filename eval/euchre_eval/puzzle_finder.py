"""Find candidates for puzzles: decisions of simulated deals whose best action stands out after few worlds."""

from collections.abc import Iterator
from contextlib import ExitStack

import numpy as np

from euchre_agents import load
from euchre_agents.search.any_player import answering_views
from euchre_env.actions import NAME, NAME_ALONE, ORDER_UP_ALONE_ID, PASS_ID, actions_in, phrase
from euchre_env.cards import BENNY, num_members
from euchre_env.deal import DEFEND, DISCARD, PHASES, PLAY, SECOND_ROUND, Deal, trick_winner
from euchre_env.deal_text import actions_so_far, deal_text, table_of_deal
from euchre_env.house_rules import HouseRules
from euchre_env.kernel import row
from euchre_env.tables import Tables
from euchre_env.view import ME, PARTNER, View
from euchre_eval.playing import Progress
from euchre_eval.puzzle_values import MIN_LOSS, PLAYERS, ActionMeans, mean_points, solve_every_world
from euchre_eval.puzzles import PROOFS, Puzzle

FEW_WORLDS = 200
MIN_FEW_GAP = 0.15
"""The least gap in points over so few worlds, which has a standard error near 0.1."""
CARDS_IN_ENDINGS = 3
MAX_WORLDS_OF_ENDINGS = 20_000
"""The most worlds of an ending that is looked at."""


def find_puzzles(
    num_deals: int,
    seed: int,
    rules: HouseRules,
    progress: Progress = lambda _what, _done, _total: None,
) -> Iterator[Puzzle]:
    """Candidates from single deals that `rules` and the shipped network play in turn, a deal each.

    Looked at are decisions on which the two disagree and, of the others, those of one deal in eight; so most candidates
    are hard for one of them. A candidate has no reason yet, and its best actions are those of few worlds: check it
    with `puzzle_values.check_puzzle` before it counts. Its id says which deal and decision it comes from.

    Args:
        num_deals: the number of deals.
        seed: their seed.
        rules: the house rules.
        progress: called with a text, the number of decisions done and that of all, after the deals are played.
    """
    decisions = _decisions_to_look_at(num_deals, seed, rules)
    for number, (place, deal) in enumerate(decisions):
        progress("looking at decisions", number, len(decisions))
        candidate = _candidate(place, deal, rules)
        if candidate is not None:
            yield candidate


def _decisions_to_look_at(num_deals: int, seed: int, rules: HouseRules) -> list[tuple[str, Deal]]:
    """Each decision with its id; arguments are those of `find_puzzles`."""
    decisions = list[tuple[str, Deal]]()
    tables = Tables(num_deals, rules, seed=seed, num_episodes=num_deals, skip_forced=True)
    with ExitStack() as stack:
        players = [stack.enter_context(answering_views(load(name, seed=0))) for name in PLAYERS]
        while len(tables):
            views, keys = tables.views(), tables.decision_keys(seed)
            choices = np.array([player.act_views(views, keys) for player in players])
            deals, episodes = tables.deals(), tables.episodes.copy()
            for i in np.flatnonzero((choices[0] != choices[1]) | (episodes % 8 == 0)).tolist():
                deal = row(deals, i)
                decisions.append((f"{rules}-{seed}-{episodes[i]}-{len(actions_so_far(deal))}", deal))
            tables.step(choices[episodes % 2, np.arange(len(episodes))])
    return decisions


def _candidate(place: str, deal: Deal, rules: HouseRules) -> Puzzle | None:
    """The puzzle that a decision makes; None if no action stands out."""
    table = table_of_deal(deal, rules)
    view = table.view()
    certain, best, few = list[int](), list[int](), list[ActionMeans]()
    if deal["phase"] == PLAY and num_members(int(view["hand"])) <= CARDS_IN_ENDINGS:
        solved = solve_every_world(view, MAX_WORLDS_OF_ENDINGS)
        if solved is None or solved.lost < MIN_LOSS:
            return None
        certain = list(solved.best)
    for player in PLAYERS:  # the quick one first: most decisions end there
        few.append(mean_points(view, player, FEW_WORLDS))
        best = certain or _leading(few, is_card=deal["phase"] == PLAY)
        if not best or min(means.gap(best).points for means in few) <= 0:
            return None
    phase = PHASES[int(deal["phase"])]
    names = tuple(phrase(action, phase) for action in best)
    return Puzzle(place, theme_of(view, best[0]), deal_text(table), names, "", PROOFS[0 if certain else 1])


def _order(few: list[ActionMeans]) -> list[int]:
    """The actions from best to worst by the sum of the means of all players."""
    return sorted(few[0].points, key=lambda action: -sum(means.points[action][0] for means in few))


def _leading(few: list[ActionMeans], *, is_card: bool) -> list[int]:
    """The best action, or the best two cards if these are nearly equal; none if the lead is not clear for all."""
    order = _order(few)
    for size in (1, 2) if is_card and len(order) > 2 else (1,):
        gaps = [means.gap(order[:size]) for means in few]
        if all(gap.points >= MIN_FEW_GAP and gap.points >= 2 * gap.se for gap in gaps):
            return order[:size]
    return []


def theme_of(view: View, best: int) -> str:
    """The theme of a position.

    Args:
        view: what the seat to act knows.
        best: its best action.
    """
    phase, dealer = int(view["phase"]), int(view["dealer"])
    if phase == DISCARD:
        return "discard"
    if phase == DEFEND:
        return "defending alone"
    if phase == PLAY:
        return _theme_of_card(view)
    if view["rules"]["benny"] and (view["hand"] >> BENNY & 1 or view["upcard"] == BENNY):
        return "Benny"
    if best == ORDER_UP_ALONE_ID or best in NAME_ALONE:
        return "going alone"
    if phase == SECOND_ROUND:
        if PASS_ID not in actions_in(int(view["legal"])):
            return "stick the dealer"
        is_next = best == NAME.id(3 - int(view["upcard"]) // 6)
        return "next" if is_next and dealer % 2 == 1 else "second round"
    return "own deal" if dealer == ME else "partner deals" if dealer == PARTNER else "their deal"


def _theme_of_card(view: View) -> str:
    is_ours, is_lead = view["maker"] in (ME, PARTNER), view["num_played"] == 0
    if view["alone"] and not is_ours:
        return "against a loner"
    if is_lead and num_members(int(view["hand"])) <= CARDS_IN_ENDINGS:
        return "counting trump"
    if is_lead:
        return "makers lead" if is_ours else "defenders lead"
    return "partner's trick" if trick_winner(view, int(view["trick"])) == PARTNER else "their trick"
