"""A view as text: what one seat knows, in sentences that a person, a log or a language model can read."""

from collections.abc import Iterable, Sequence
from typing import Any

from euchre_env.cards import BENNY, CARD_NAMES, left_bower, right_bower
from euchre_env.deal import NUM_TRICKS
from euchre_env.named_facts import view_facts
from euchre_env.view import View

INTRODUCTION = (
    "Four seats, clockwise: ME, LEFT, PARTNER, RIGHT. ME and PARTNER are us, LEFT and RIGHT are them. "
    "A card is its rank (9, T, J, Q, K, A) and its suit (C, D, H, S)."
)
BENNY_SENTENCE = (
    f"One more card is in the pack, {CARD_NAMES[BENNY]}, the Benny: the highest trump, whatever suit is trump."
)


def view_text(view: View) -> str:
    """What the owner of `view` knows, as lines of plain ASCII text, without a newline at the end.

    It holds nothing that the owner does not know. The names are those of `named_facts.view_facts`; "decline" is the
    pass of a defender who is asked whether to defend alone.

    Raises:
        ValueError: if it is not a record of dtype VIEW.
    """
    facts = view_facts(view)
    needed, won = facts["points_needed"], facts["tricks_won"]
    lines = [
        f"{INTRODUCTION} {BENNY_SENTENCE}" if view["rules"]["benny"] else INTRODUCTION,
        f"House rules: {facts['rules']}. To win the game we need {_points(needed['us'])}, they need {needed['them']}.",
        f"{_subject(facts['dealer'])} dealt. Upcard: {facts['upcard']}, {facts['upcard_place']}.",
        f"The auction: {_plays(facts['auction']) or 'nobody has spoken'}.",
    ]
    if facts["trump"] is not None:
        lines.append(_trump_line(view, facts))
    for number, trick in enumerate(facts["tricks"], 1):
        is_over = number < len(facts["tricks"]) or sum(won.values()) == number
        outcome = f"{trick['best']} won it" if is_over else f"{trick['best']} has the best card so far"
        lines.append(f"Trick {number}: {_plays(trick['cards'])}; {outcome}.")
    if facts["tricks"]:
        lines.append(f"Tricks won: {won['us']} by us, {won['them']} by them, of {NUM_TRICKS}.")
    lines += [
        f"{seat} has shown that it holds no {' and no '.join(suits)}."
        for seat, suits in facts["voids"].items()
        if seat != "ME"
    ]
    if facts["discard"] is not None:
        lines.append(f"I discarded {facts['discard']}.")
    lines.append(f"My hand: {_listed(facts['hand']) or 'empty'}.")
    lines.append(_last_line(facts))
    return "\n".join(lines)


def _trump_line(view: View, facts: dict[str, Any]) -> str:
    trump = int(view["trump"])
    highest = [*([BENNY] if view["rules"]["benny"] else []), right_bower(trump), left_bower(trump)]
    sentences = [f"Trump is {facts['trump']}, its highest cards {_listed(CARD_NAMES[card] for card in highest)}"]
    sentences.append(f"{_subject(facts['maker'])} made it" + (", alone" if facts["alone"] else ""))
    if facts["lone_defender"] is not None:
        sentences.append(f"{_subject(facts['lone_defender'])} defend{'s' * (facts['lone_defender'] != 'ME')} alone")
    if facts["sitting_out"]:
        sentences.append(f"Sitting out: {_listed(facts['sitting_out'])}")
    return ". ".join(sentences) + "."


def _last_line(facts: dict[str, Any]) -> str:
    if facts["turn"] is None:
        return "The deal is over."
    if facts["turn"] != "ME":
        return f"It is the turn of {facts['turn']}."
    return f"It is my turn. I may: {_listed(facts['legal'])}."


def _points(number: int) -> str:
    return f"{number} point{'s' * (number != 1)}"


def _subject(seat: str) -> str:
    return "I" if seat == "ME" else seat


def _plays(pairs: Iterable[Sequence[str]]) -> str:
    return ", ".join(f"{seat} {what}" for seat, what in pairs)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
