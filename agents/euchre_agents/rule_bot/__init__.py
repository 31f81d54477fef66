"""The rule-based player as a package: what it calls, discards, leads and follows with, and the reasons it gives."""

from euchre_agents.rule_bot.player import Level, RuleBot

__all__ = ["Level", "RuleBot"]
