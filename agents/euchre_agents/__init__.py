"""Players that can sit down at a euchre table: random, rule-based, trained.

>>> from euchre_agents import load
>>> load("rules").name
'rules'
"""

from euchre_agents.explanation import Explanation
from euchre_agents.policy import Policy, act_rows, load
from euchre_agents.random_policy import RandomPolicy
from euchre_agents.rule_bot import RuleBot
from euchre_agents.view_policy import ViewPolicy

__all__ = ["Explanation", "Policy", "RandomPolicy", "RuleBot", "ViewPolicy", "act_rows", "load"]
