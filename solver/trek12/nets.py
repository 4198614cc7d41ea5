"""The value nets that are shipped, and the weights of the heuristic for sheets without one."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from ..errors import SolverError
from .kernel import weight_count
from .rules import HIMALAYA, VARIANTS
from .sheets import Sheet, sheets

Weights = NDArray[np.float32]


@lru_cache(maxsize=8)
def shipped_net(sheet_id: str) -> Weights | None:
    """The net of a published sheet (kept as half-precision floats), None if there is none."""
    path = resources.files(__package__).joinpath("data", f"{sheet_id}.npz")
    if sheet_id not in sheets() or not path.is_file():
        return None
    with path.open("rb") as file, np.load(file) as data:
        weights: Weights = data["weights"].astype(np.float32)
    weights.setflags(write=False)
    return weights


def net_for(sheet: Sheet) -> Weights | None:
    """The net that fits a sheet: by id, for a graph of one's own that equals a published sheet by its circles."""
    for known in sheets().values():
        if known.edges == sheet.edges and known.dangerous == sheet.dangerous and known.circles == sheet.circles:
            return shipped_net(known.id)
    return None


def checked_net(weights: Weights, sheet: Sheet) -> Weights:
    """Weights of a caller's own as the kernels want them. Raises SolverError that names the size needed."""
    need = weight_count(sheet.circles)
    try:
        array = np.ascontiguousarray(weights, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        raise SolverError(f"weights: must be {need} finite numbers") from None
    if array.shape != (need,) or not np.isfinite(array).all():
        raise SolverError(f"weights: must be {need} finite numbers, not an array of shape {array.shape}")
    return array


@lru_cache(maxsize=len(VARIANTS))
def heuristic(variant: str = HIMALAYA) -> Weights:
    """Weights of the heuristic policy of a variant; tuned by benchmarks/trek12/tune.py, used on every sheet."""
    name = "heuristic.json" if variant == HIMALAYA else f"heuristic_{variant}.json"
    text = resources.files(__package__).joinpath("data", name).read_text(encoding="utf-8")
    weights = np.array(json.loads(text)["weights"], np.float32)
    weights.setflags(write=False)
    return weights
