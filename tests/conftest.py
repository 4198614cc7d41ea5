"""Settings of all tests: the same examples at every run, nothing depends on the speed of a machine, Ctrl-C is heard."""

import gc
import signal
import threading

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

# Whoever runs the tests in the background may have them ignore SIGINT, which the tests of Ctrl-C send to themselves and
# to shells that they start.
if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_collector_callbacks() -> None:
    """Python drops what a callback of the collector raises, a KeyboardInterrupt as well.

    Hypothesis has such a callback, for deadlines, which are not used here.
    """
    gc.callbacks.clear()
