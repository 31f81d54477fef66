"""How good a player is: duplicate matches with confidence intervals, and statistics of play."""
