"""The page docs/results.md: measure what it shows, record it, and write it: `python -m report` (`make results`)."""
