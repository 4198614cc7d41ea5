"""The sample of recorded games: every event of it is right, and the script makes such files."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from solver import records

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "docs" / "data"
FILES = sorted(DATA.glob("*.jsonl"))
CORPUS: dict[str, Any] = runpy.run_path(str(ROOT / "examples" / "corpus.py"))
LARGEST_SAMPLE = 200_000  # bytes


def name(pairing: Any) -> str:
    return f"{pairing.game}-{pairing.name}"


def test_every_pairing_has_a_sample() -> None:
    assert sorted(path.stem for path in FILES) == sorted(map(name, CORPUS["PAIRINGS"]))
    assert sum(path.stat().st_size for path in DATA.iterdir()) < LARGEST_SAMPLE


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_event_is_right(path: Path) -> None:
    config = json.loads(path.with_suffix(".config.json").read_text(encoding="utf-8"))
    lines = path.read_text(encoding="utf-8").splitlines()
    found = list(records.read_records(lines))
    assert len(found) == config["games"]
    for line, record in found:
        assert (record.game, record.rules, record.seed) == (config["game"], config["rules"], config["seed"])
        assert [config["players"][player] for player in json.loads(lines[line - 1])["seats"]] == list(record.players)
        states = records.replay(record)
        position = next(state.view(state.to_move).position for state in states if state.to_move >= 0)
        assert not position.problems()


@pytest.mark.parametrize("pairing", CORPUS["PAIRINGS"], ids=name)
def test_the_script_makes_such_files(pairing: Any, tmp_path: Path) -> None:
    """Deals never change; what players make of them may, when one of them is made better."""
    path = CORPUS["make"](pairing, deals=1, seed=1, workers=1, folder=tmp_path)
    sample = (DATA / path.name).read_text(encoding="utf-8").splitlines()
    for line, old in zip(path.read_text(encoding="utf-8").splitlines(), sample, strict=True):
        found, known = json.loads(line), json.loads(old)
        same = ("number", "seats", "game", "rules", "options", "players", "seed", "index", "deal")
        assert {key: found[key] for key in same} == {key: known[key] for key in same}
        records.replay(records.from_dict(found))
