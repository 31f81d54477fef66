"""Euchre."""
