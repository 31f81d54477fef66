"""Players that can sit down at a euchre table: random, rule-based, trained."""
