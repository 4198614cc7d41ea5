"""Kernels against the naive search and the referee on random small boards with all options.

`python -m benchmarks.setup.check --count 20000` does the same for longer.
"""

from __future__ import annotations

import pytest

from benchmarks.setup.check import check


@pytest.mark.parametrize("seed", range(4))
def test_random_positions(seed: int) -> None:
    assert check(400, seed + 100) == []
