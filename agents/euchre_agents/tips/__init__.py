"""The player that follows the usual tips literally: the tips, its bidding, its play, and the reasons of its choices."""

from euchre_agents.tips.player import TipsPlayer

__all__ = ["TipsPlayer"]
