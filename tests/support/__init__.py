"""Helpers that the tests share, one module for each kind of thing that is set up or compared."""
