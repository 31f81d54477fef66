"""What all tests share."""

from hypothesis import settings

# The first call of a kernel compiles it, so no example is judged by its time.
settings.register_profile("euchre", deadline=None)
settings.load_profile("euchre")
