"""The rule-based player: bidding, discarding, leading and following, and the reasons of its choices."""

from euchre_agents.rule_bot.numbers import RuleNumbers
from euchre_agents.rule_bot.player import Level, RuleBot

__all__ = ["Level", "RuleBot", "RuleNumbers"]
