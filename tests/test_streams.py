"""The shared random streams."""

import itertools

import numpy as np
import pytest

from solver.errors import SolverError
from solver.streams import generator, stream_key, word


def test_words_are_splitmix64() -> None:
    # First outputs of SplitMix64 seeded with 1234567, as published with its reference code.
    assert [word(1234567, i) for i in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_streams_with_different_names_differ() -> None:
    names = itertools.product((0, 1), ("a", "b"), (0, 1), ("x", "y"))
    keys = {stream_key(*name) for name in names}
    assert len(keys) == 16


def test_generator_is_reproducible() -> None:
    first = generator(7, "setup", 3, "deal").integers(0, 1000, 5)
    assert np.array_equal(first, generator(7, "setup", 3, "deal").integers(0, 1000, 5))


@pytest.mark.parametrize("seed", [-1, 1 << 63, pytest.param(10**5000, id="long"), 1.0, "1", True, None])
def test_bad_seed_is_named(seed: object) -> None:
    with pytest.raises(SolverError, match="seed"):
        stream_key(seed, "setup")  # type: ignore[arg-type]
