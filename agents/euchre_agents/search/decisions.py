"""The decisions of a deal, each with the open-hand value of every action that was legal."""

from dataclasses import dataclass

from euchre_agents.search.open_hands import NO_VALUE, Solver
from euchre_env.deal import PHASES, Deal, Seat
from euchre_env.deal_text import actions_so_far, table_of_deal
from euchre_env.house_rules import HouseRules


@dataclass(frozen=True)
class Decision:
    """One decision with the values of its actions."""

    seat: Seat
    """The seat to act."""
    phase: str
    """The phase, such as "FIRST_ROUND"."""
    values: dict[int, int]
    """The points of the deal for the team of the seat, less those of the other team, by legal action."""
    taken: int | None
    """The action that was taken; None for the seat that is to act."""

    @property
    def value(self) -> int:
        """The value of the best action."""
        return max(self.values.values())

    @property
    def best(self) -> list[int]:
        """The actions of the highest value."""
        return [action for action, value in self.values.items() if value == self.value]

    @property
    def loss(self) -> int:
        """The points that the action taken gave away; 0 for the seat that is to act."""
        return 0 if self.taken is None else self.value - self.values[self.taken]


def decisions_of(deal: Deal, rules: HouseRules) -> list[Decision]:
    """Every decision of a valid deal from the first bid on, and that of the seat to act if the deal is not over.

    Each is solved as if the seats saw all cards from there on, so passes are worth what the bids after them come to.
    """
    table = table_of_deal(deal, rules, num_actions=0)
    solver, actions = Solver([rules]), actions_so_far(deal)
    decisions = list[Decision]()
    for taken in [*actions, None]:
        if table.is_over:
            break
        values = solver.action_values(table.record["deal"].reshape(1))[0]
        legal = {action: int(value) for action, value in enumerate(values) if value != NO_VALUE}
        seat = int(table.deal.turn)
        decisions.append(Decision(seat, PHASES[int(table.deal.phase)], legal, taken))
        if taken is not None:
            table.step(taken)
    return decisions
