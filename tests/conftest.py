"""Settings of all tests: the same examples at every run, and no test that depends on how fast the machine is."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")
