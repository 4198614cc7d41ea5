"""Benchmarks: see README.md beside this file.

Every contestant works on one thread: the numeric libraries are told so here, before any of them is imported.
"""

import os

for _library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"
