"""Seeded random streams, the same on every machine and at any thread count.

A stream is named by (seed, game, turn, purpose) and counted: its word number i depends on the name and i only, so that
samples can be drawn in any order, by any thread, and two candidates can be judged on the same draws. Kernels read the
same words through `streams.pxd`.
"""

from __future__ import annotations

import hashlib

import numpy as np

from .errors import SolverError, quote

MASK64 = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
"""Odd constant of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014)."""
LARGEST_SEED = (1 << 63) - 1


def check_seed(seed: int, name: str = "seed") -> int:
    """The seed itself; raises SolverError, which calls it by the name, unless it is an int from 0 to 2**63 - 1."""
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= LARGEST_SEED:
        raise SolverError(f"{name}: must be an integer from 0 to {LARGEST_SEED}, not {quote(seed)}")
    return seed


def stream_key(seed: int, game: str, turn: int = 0, purpose: str = "") -> int:
    """The 64-bit key of one stream. Raises SolverError for a seed that is no int from 0 to 2**63 - 1."""
    name = f"{check_seed(seed)}|{game}|{turn}|{purpose}".encode()
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")


def word(key: int, counter: int) -> int:
    """Word number `counter` of the stream with this key: SplitMix64's output function, an int below 2**64."""
    z = (key + (counter + 1) * GOLDEN) & MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return z ^ (z >> 31)


def generator(seed: int, game: str, turn: int = 0, purpose: str = "") -> np.random.Generator:
    """A numpy generator (Philox, counter-based) of one stream, for draws outside of kernels."""
    return np.random.Generator(np.random.Philox(key=stream_key(seed, game, turn, purpose)))
