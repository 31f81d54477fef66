"""Settings that all tests share."""

import signal
from importlib.util import find_spec

from hypothesis import settings

# The first call of a kernel compiles it, so examples have no time limit.
settings.register_profile("euchre", deadline=None)
settings.load_profile("euchre")

# A process started in the background, or by nohup, ignores these signals, and so would every process it starts.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (getattr(signal, "SIGHUP", None), signal.SIG_DFL)):
    if number is not None and signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, handler)

# Helper modules import what the extra [train] installs; without it no docstring examples are looked for in them.
OF_TRAINING = ("own_architectures", "reports", "several_processes", "training")
collect_ignore = [] if find_spec("torch") and find_spec("yaml") else [f"support/{name}.py" for name in OF_TRAINING]
