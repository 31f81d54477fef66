"""A position as one line of text and back, for messages, tests and pasting.

The text has no blanks and no special characters of a shell, so it can be pasted without quotes. Fields are joined by
`/`, groups within a field by `,`, members of a group by `.`. An example, with a line break at each `/`:

    rules=pagat
    dealer=0
    scores=3-5
    hands=JH.AH.TS.QS.AS,9C.QC.AC.9H.QH,KC.TD.JD.KD.JS,TC.JC.QD.TH.KS
    upcard=9S
    kitty=9D.AD.KH
    actions=pass.order_up.AH,QH.KC.TH.JH,9H

The hands are those dealt to seats 0 to 3. The actions run from the first bid on: a group for the auction, with the
discard and the answers to "defend alone?", then a group for each trick. A single deal has `one_deal=true` too.

The text holds the cards, not the seed and the deal number, because a deal with fixed cards has no seed.
"""

from typing import NoReturn

from euchre_env.actions import (
    ACTION_NAMES,
    DEFEND_ALONE_ID,
    NAME,
    NAME_ALONE,
    ORDER_UP_ALONE_ID,
    ORDER_UP_ID,
    PASS_ID,
    parse_action,
)
from euchre_env.cards import BENNY, CARD_NAMES, NO_CARD, card_names, cards_in
from euchre_env.checks import parse_digits, shortened
from euchre_env.custom_deal import FixedCards
from euchre_env.deal import NOBODY, NUM_TRICKS, SEATS, Deal, dealt_hand
from euchre_env.house_rules import HouseRules, parse_rules
from euchre_env.table import Table

FIELDS = ("rules", "dealer", "scores", "hands", "upcard", "kitty", "actions")
ONE_DEAL = "one_deal"  # the field that only the text of a single deal has


def actions_so_far(deal: Deal) -> list[int]:
    """The action ids of the deal from its first bid on, in order."""
    return auction_so_far(deal) + [card for trick in tricks_so_far(deal) for card in trick]


def auction_so_far(deal: Deal) -> list[int]:
    """The actions before the first lead: bids, the dealer's discard, and the answers to "defend alone?"."""
    actions = [PASS_ID] * int(deal.num_passes)
    if deal.maker == NOBODY:
        return actions
    if deal.num_passes >= 4 or deal.upcard == BENNY:
        actions.append((NAME_ALONE if deal.alone else NAME).id(int(deal.trump)))
    else:
        actions.append(ORDER_UP_ALONE_ID if deal.alone else ORDER_UP_ID)
    if deal.discard != NO_CARD:
        actions.append(int(deal.discard))
    actions += [PASS_ID] * int(deal.num_declined)
    if deal.lone_defender != NOBODY:
        actions.append(DEFEND_ALONE_ID)
    return actions


def tricks_so_far(deal: Deal) -> list[list[int]]:
    """The cards of each trick that has been led to, in the order they were played."""
    tricks = []
    for trick in range(NUM_TRICKS):
        clockwise = [int(deal.played[trick, (deal.leaders[trick] + i) & 3]) for i in SEATS]
        cards = [card for card in clockwise if card != NO_CARD]
        if cards:
            tricks.append(cards)
    return tricks


def table_of_deal(deal: Deal, rules: HouseRules, num_actions: int | None = None) -> Table:
    """A table of a single deal with the cards of `deal`, a valid one, after its first actions.

    >>> table = table_of_deal(Table(seed=7).deal, HouseRules())
    >>> (table.deal == Table(seed=7).deal) and table.is_one_deal
    True

    Args:
        deal: a record of dtype DEAL.
        rules: its house rules.
        num_actions: how many of its actions are carried out, the forced ones among them; all of them if None.
    """
    hands = [cards_in(dealt_hand(deal, seat)) for seat in SEATS]
    cards = FixedCards(hands, int(deal.upcard), cards_in(deal.kitty))
    table = Table(rules, dealer=int(deal.dealer), cards=cards, one_deal=True)
    for action in actions_so_far(deal)[:num_actions]:
        table.step(action)
    return table


def deal_text(table: Table) -> str:
    """The deal on the table as one line of text, with the scores as they were when it was dealt.

    For a table that is over, the text is that of its last deal.
    """
    deal, scores = table.deal, table.scores
    if table.is_over and table.last_result is not None:
        scores = [int(after - points) for after, points in zip(scores, table.last_result.points, strict=True)]
    return text_of_deal(deal, table.rules, (scores[0], scores[1]), table.is_one_deal)


def text_of_deal(deal: Deal, rules: HouseRules, scores: tuple[int, int], is_one_deal: bool = False) -> str:
    """A deal, a record of dtype DEAL that is over or in progress, as one line of text, with the scores before it."""
    auction = [ACTION_NAMES[action].replace(" ", "_") for action in auction_so_far(deal)]
    tricks = [[CARD_NAMES[card] for card in trick] for trick in tricks_so_far(deal)]
    values = {
        "rules": str(rules),
        "dealer": str(deal.dealer),
        "scores": "-".join(map(str, scores)),
        "hands": _joined([card_names(dealt_hand(deal, seat)) for seat in SEATS]),
        "upcard": CARD_NAMES[deal.upcard],
        "kitty": _joined([card_names(deal.kitty)]),
        "actions": _joined([auction, *tricks]),
    }
    if is_one_deal:
        values[ONE_DEAL] = "true"
    return "/".join(f"{name}={value}" for name, value in values.items())


def parse_deal_text(text: str) -> Table:
    """A table in the position that `text` describes, the inverse of `deal_text`.

    The table has seed 0 and deal number 0, which decide only the deals after this one. If the actions end the deal but
    not the game, the next deal is on the table.

    Raises:
        ValueError: if the text is malformed, its cards or scores are impossible, or an action is not legal; the message
            says where.
    """
    if not isinstance(text, str):
        raise ValueError(f"a deal text must be text, not {shortened(text)}")
    values = _values(text)
    hands = values["hands"].split(",")
    if len(hands) != len(SEATS):
        _refuse("hands", values["hands"], "four hands joined by ','")
    scores = [_number("scores", score) for score in values["scores"].split("-")]
    if len(scores) != 2:
        _refuse("scores", values["scores"], "the points of the two teams, such as 3-5")
    table = Table(
        parse_rules(values["rules"]),
        dealer=_number("dealer", values["dealer"]),
        scores=(scores[0], scores[1]),
        cards=FixedCards([hand.split(".") for hand in hands], values["upcard"], values["kitty"].split(".")),
        one_deal=ONE_DEAL in values,
    )
    names = values["actions"].replace(",", ".").split(".") if values["actions"] else []
    for position, name in enumerate(names, 1):
        try:
            answer = table.step(parse_action(name.replace("_", " ")))
        except ValueError as error:
            raise ValueError(f"action {position} of the deal text: {error}") from None
        if answer == NOBODY and position < len(names):
            raise ValueError(
                f"the deal text has {len(names)} actions, but action {position}, {shortened(name)}, ends the deal"
            )
    return table


def _joined(groups: list[list[str]]) -> str:
    return ",".join(".".join(group) for group in groups)


def _values(text: str) -> dict[str, str]:
    """The fields of a deal text by name: all of them, each once."""
    values: dict[str, str] = {}
    for part in text.strip().split("/"):
        name, equals, value = part.partition("=")
        if not equals or name not in (*FIELDS, ONE_DEAL):
            raise ValueError(
                f"{shortened(part)} is not a field of a deal text; it has {', '.join(FIELDS)}, each as name=value"
            )
        if name in values:
            raise ValueError(f"the deal text has {name!r} twice")
        values[name] = value
    missing = [name for name in FIELDS if name not in values]
    if missing:
        raise ValueError(f"the deal text lacks {', '.join(missing)}: {text!r}")
    if values.get(ONE_DEAL, "true") != "true":
        _refuse(ONE_DEAL, values[ONE_DEAL], "true, or the field left out")
    return values


def _number(name: str, text: str) -> int:
    number = parse_digits(text)
    if number is None:
        _refuse(name, text, "whole numbers")
    return number


def _refuse(name: str, value: str, expected: str) -> NoReturn:
    raise ValueError(f"{name} in a deal text must be {expected}, not {shortened(value)}")
