"""Players of euchre: random, rule-based and trained; critics; and the interface of a player of your own.

>>> from euchre_agents import load
>>> load("rules").name
'rules'
"""

from euchre_agents.asking import act_rows
from euchre_agents.critic import Critic, load_critic
from euchre_agents.loading import load
from euchre_agents.passer import Passer
from euchre_agents.policy import Abilities, Explanation, OpenPolicy, Player, Policy, abilities_of
from euchre_agents.random_policy import RandomPolicy
from euchre_agents.rule_bot import RuleBot
from euchre_agents.tips import TipsPlayer
from euchre_agents.view_policy import ViewPolicy

__all__ = [
    "Abilities",
    "Critic",
    "Explanation",
    "OpenPolicy",
    "Passer",
    "Player",
    "Policy",
    "RandomPolicy",
    "RuleBot",
    "TipsPlayer",
    "ViewPolicy",
    "abilities_of",
    "act_rows",
    "load",
    "load_critic",
]
