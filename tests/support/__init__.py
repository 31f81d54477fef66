"""Helpers that the tests share, one module for each subject."""
