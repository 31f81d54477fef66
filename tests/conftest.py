"""Settings that all tests share."""

from hypothesis import settings

# The first call of a kernel compiles it, so examples have no time limit.
settings.register_profile("euchre", deadline=None)
settings.load_profile("euchre")
