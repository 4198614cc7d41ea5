"""Seeded random legal positions over small rule sets, for comparing a search with the naive reference.

`positions(count, seed)` draws a new rule set for each position; the same arguments give the same positions everywhere.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from solver.rummikub.position import Position
from solver.rummikub.rules import Rules

COLORS = "RBKO"
JOKER = "J"
# The presets whose options a first search honours.
SEARCH_PRESETS = ("standard", "retail", "free", "xp160")
ALL_PRESETS = (*SEARCH_PRESETS, "family", "tournament", "american")
# Every field that says what a legal move is, with its values; thresholds are small because the tiles are.
MOVE_OPTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "opening_threshold": ("0", "8", "12", "16", "24", "30"),
        "opening_single_set": ("no", "yes"),
        "opening_joker": ("forbidden", "face", "zero"),
        "opening_uses_table": ("no", "yes"),
        "jokers_per_set": ("any", "one", "minority"),
        "high_one": ("no", "yes"),
        "joker_freeing": ("replace", "any"),
        "joker_source": ("rack_or_table", "rack"),
        "joker_group": ("either", "both"),
        "joker_set_locked": ("no", "yes"),
        "joker_destination": ("new", "any", "two_from_rack", "keep"),
        "take_back": ("none", "less_than_laid"),
    }
)
SCALED_THRESHOLDS = (8, 12, 16, 24, 30)
RARE_JOKER = 0.15  # chance that a place of a table set holds a joker although its tile is free
UNOPENED = 0.3


def random_rules(
    rng: random.Random,
    presets: Sequence[str] = SEARCH_PRESETS,
    options: Mapping[str, Sequence[str]] | None = None,
    jokers: tuple[int, int] = (0, 3),
) -> Rules:
    """A small rule set: material by chance, the options of one of the presets, then the given fields by chance.

    options: field -> values to choose from, for example `MOVE_OPTIONS` or a part of it. A preset's threshold, unless
    it is 0, is replaced by one that small material can reach. jokers: least and greatest number.
    """
    fields = {
        "colors": str(rng.randint(2, 4)),
        "numbers": str(rng.randint(4, 7)),
        "copies": str(rng.randint(1, 3)),
        "jokers": str(rng.randint(*jokers)),
    }
    preset = rng.choice(presets)
    if Rules.preset(preset).opening_threshold:
        fields["opening_threshold"] = str(rng.choice(SCALED_THRESHOLDS))
    for field, values in (options or {}).items():
        fields[field] = rng.choice(values)
    return Rules.parse("+".join([preset, *(f"{field}={value}" for field, value in fields.items())]))


def random_position(rng: random.Random, rules: Rules, table_tiles: int = 12, rack_tiles: int = 6) -> Position:
    """A legal position with up to that many tiles on the table (sets by chance) and 1 up to that many in the rack."""
    names = [f"{color}{number}" for color in COLORS[: rules.colors] for number in range(1, rules.numbers + 1)]
    pool = Counter(dict.fromkeys(names, rules.copies))
    pool[JOKER] = rules.jokers
    table: list[tuple[str, ...]] = []
    room = max(rng.randint(0, table_tiles), rng.randint(0, table_tiles))
    for _ in range(2 * table_tiles):
        tiles = _random_set(rng, rules, pool)
        if tiles and len(tiles) <= room:
            table.append(tiles)
            pool.subtract(tiles)
            room -= len(tiles)
    left = sorted(pool.elements())
    rack = rng.sample(left, min(len(left), rng.randint(1, rack_tiles)))
    if rng.random() < UNOPENED and pool[JOKER] and JOKER not in rack:
        rack[0] = JOKER  # so that jokers are as frequent in small racks as they matter
    return Position(table, rack, rng.random() >= UNOPENED, rules)


def _random_set(rng: random.Random, rules: Rules, pool: Counter[str]) -> tuple[str, ...]:
    """A legal set that the pool holds, or `()` if chance chose one that it does not hold."""
    colors = COLORS[: rules.colors]
    if rules.colors >= 3 and rng.random() < 0.5:
        number = rng.randint(1, rules.numbers)
        places = [f"{color}{number}" for color in rng.sample(colors, rng.randint(3, rules.colors))]
    else:
        size = min(3 + rng.choice((0, 0, 1, 2, 3)), rules.numbers)
        first = rng.randint(1, rules.numbers - size + 1 + (rules.high_one and size < rules.numbers))
        color = rng.choice(colors)
        places = [f"{color}{(first + step - 1) % rules.numbers + 1}" for step in range(size)]
    jokers = pool[JOKER]
    tiles = []
    for place in places:
        if jokers and (not pool[place] or rng.random() < RARE_JOKER):
            tiles.append(JOKER)
            jokers -= 1
        elif pool[place]:
            tiles.append(place)
        else:
            return ()
    used = tiles.count(JOKER)
    if (rules.jokers_per_set == "one" and used > 1) or (rules.jokers_per_set == "minority" and 2 * used >= len(tiles)):
        return ()
    return tuple(tiles)


def positions(
    count: int,
    seed: int,
    presets: Sequence[str] = SEARCH_PRESETS,
    options: Mapping[str, Sequence[str]] | None = None,
    jokers: tuple[int, int] = (0, 3),
    table_tiles: int = 12,
    rack_tiles: int = 6,
) -> Iterator[Position]:
    """`count` positions, each with its own rule set; see `random_rules` and `random_position`."""
    rng = random.Random(seed)
    for _ in range(count):
        yield random_position(rng, random_rules(rng, presets, options, jokers), table_tiles, rack_tiles)
