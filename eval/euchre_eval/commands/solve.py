"""`euchre-eval solve`: the exact value of every action of a deal with all cards open."""

import json
from argparse import ArgumentParser, Namespace
from typing import Any

from euchre_agents.search import Decision, decisions_of
from euchre_env.actions import phrase
from euchre_env.cards import NO_SUIT, SUIT_NAMES
from euchre_env.deal import Deal
from euchre_env.deal_text import parse_deal_text

HELP: str = "the exact value of every call, discard and card of a deal, all cards open"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the deal."""
    parser.description = (
        "The points that a deal ends with for the team of the seat to act, less those of the other team, after each "
        "legal action, if all seats see all cards and act as well as possible from there on. A pass is worth what the "
        "best bids after it come to. The actions of the text so far are valued in the same way."
    )
    parser.add_argument("deal", metavar="DEAL", help="a deal text, as euchre_env.deal_text.deal_text writes it")


def run(options: Namespace) -> str:
    """Solve the deal at each of its decisions; a table for each, or JSON."""
    table = parse_deal_text(options.deal)
    deal = table.deal if table.last_deal is None else table.last_deal
    decisions = decisions_of(deal, table.rules)
    if options.json:
        return json.dumps({"deal": options.deal.strip(), "decisions": [_as_json(decision) for decision in decisions]})
    return _report(deal, decisions)


def _as_json(decision: Decision) -> dict[str, Any]:
    names = {action: phrase(action, decision.phase) for action in decision.values}
    return {
        "seat": decision.seat,
        "phase": decision.phase,
        "values": {names[action]: value for action, value in decision.values.items()},
        "best": [names[action] for action in decision.best],
        "taken": None if decision.taken is None else names[decision.taken],
        "loss": None if decision.taken is None else decision.loss,
    }


def _report(deal: Deal, decisions: list[Decision]) -> str:
    """The actions so far, each with what it gave away, and the values of the actions of the seat to act."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    parts: list[Any] = []
    so_far = [decision for decision in decisions if decision.taken is not None]
    if so_far:
        rows = Table("seat", "phase", "action", box=box.SIMPLE_HEAD, title="so far", title_justify="left")
        for name in ("points", "lost"):
            rows.add_column(name, justify="right")
        rows.add_column("best")
        for decision in so_far:
            assert decision.taken is not None
            value, best = decision.values[decision.taken], decision.best
            better = "" if decision.loss == 0 else ", ".join(phrase(action, decision.phase) for action in best)
            name, lost = phrase(decision.taken, decision.phase), f"{decision.loss}" if decision.loss else ""
            rows.add_row(f"{decision.seat}", decision.phase, name, f"{value:+d}", lost, better)
        parts.append(rows)
    if decisions and decisions[-1].taken is None:
        decision = decisions[-1]
        title = f"seat {decision.seat} to act, {decision.phase}"
        rows = Table("action", box=box.SIMPLE_HEAD, title=title, title_justify="left")
        rows.add_column("points", justify="right")
        rows.add_column("")
        for action, value in sorted(decision.values.items(), key=lambda item: -item[1]):
            rows.add_row(phrase(action, decision.phase), f"{value:+d}", "best" if value == decision.value else "")
        parts.append(rows)
    console = Console(width=140)
    text = "".join(segment.text for part in parts for segment in console.render(part))
    lines = [line.rstrip() for line in text.splitlines()]
    trump = "no trump yet" if deal.trump == NO_SUIT else f"{SUIT_NAMES[deal.trump]} trump, made by seat {deal.maker}"
    lines.append(f"{trump}; points are those of the seat's team less those of the other, all cards open")
    return "\n".join(lines)
