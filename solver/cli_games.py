"""What the shell says of each game: its forms, what it tells of a move, and the commands that no other game has.

A command has the name of the function that it asks. Plain forms of the games' own commands, columns divided by tabs:
    rummikub draws                 chance, what, the exact fraction; then for each unseen tile the value of the best
                                   move with it, the tile, how many there are, what is gained, the move
    rummikub steps_for             one step a line
    rummikub arrangements          one arrangement a line, or `none`
    rummikub count_arrangements    the number
    rummikub repair                the table, what must be taken away or `-`
    rummikub count_winning_hands   tiles, different hands, hands with the copies of a tile told apart
    setup score                    points, `points` or `bonus`, the seat that gets them
    trek12 score, best_layout      points, what for, circles; the first line is the total
    trek12 best_sheet              the total, the finished sheet, what is known of it; then turn, move, roll
    trek12 judge                   points, what they are, the move
    trek12 sheets                  the id, the number of circles, the summit or `-`, the name
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final

from .cli_answers import (
    ANSWERED,
    MOVE,
    NONE_OR_ILLEGAL,
    POSITION,
    ROLLS,
    SHEET,
    TILES,
    Answer,
    Command,
    Flag,
    Game,
    Option,
    Row,
    Session,
    counted,
    number,
    tabbed,
    timed,
    whole,
)
from .errors import ParseError, quote

COUNT: Final = "n"
SEED: Final = Option("seed", "of what is drawn at random", int, "SEED", default=0, commands=("best", "moves"))
SECONDS: Final = Option("seconds", "time limit", float, "SECONDS")


def _canonical_rules(api: Any, text: str) -> str:
    return str(api.Rules.parse(text))


# ------------------------------------------------------------------------------------------------------------ Rummikub


def _rummikub_worth(position: Any, move: Any, objective: str) -> float:
    from .rummikub.objectives import objective_for

    worth = objective_for(objective, None, position.rules).key
    return worth(move.tiles)[0] - worth(move.taken)[0]


def _rummikub_details(line: Any) -> str:
    if hasattr(line, "win"):
        return _rummikub_chances(line)
    move = line.move
    parts = [
        f"keeps {counted(move.kept_sets, 'set')}",
        f"moves {counted(move.moved_tiles, 'tile')}",
        counted(len(move.steps.steps), "step"),
    ]
    return ", ".join([*parts, *["tied"] * line.tied, *["the only move"] * line.only])


def _rummikub_chances(line: Any) -> str:
    low, high = line.win.ci95
    parts = [f"wins {line.win.mean:.0%} ({max(low, 0):.0%} to {min(high, 1):.0%})", f"{line.points.mean:+.0f} points"]
    if line.playable:
        parts.append(f"makes {' '.join(line.playable)} playable")
    if line.outs:
        parts.append(f"goes out with {' '.join(line.outs)}")
    if line.offers.mean:
        parts.append(f"others can lay {line.offers.mean:+.1f} tiles")
    return ", ".join([*parts, *["tied"] * line.tied])


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(whole, text.split(",")))


def _flags(text: str) -> tuple[bool, ...]:
    words = text.split(",")
    if not set(words) <= {"yes", "no"}:
        raise ArgumentTypeError(f"must be yes or no for each other player, not {text!r}")
    return tuple(word == "yes" for word in words)


def _table(table: Iterable[Iterable[str]]) -> str:
    return ", ".join(" ".join(tiles) for tiles in table) or "-"


def draws(session: Session, text: str) -> Answer:
    """What the next draw may bring: exact chances, and the best move with every kind of unseen tile."""
    position = session.position(text)
    solver = session.solver(position)
    asked = session.given(*session.command.options)
    found, milliseconds = timed(lambda: session.game.api.draws(position, **asked, solver=solver))
    chances = (("plays", found.plays), ("opens", found.opens), ("goes_out", found.goes_out))
    rows = [(number(float(chance)), name, str(chance)) for name, chance in chances if chance is not None]
    rows += [
        (
            number(draw.value),
            draw.tile,
            ", ".join((f"{draw.unseen} unseen", f"gain {draw.gain}", "none" if draw.move is None else str(draw.move))),
        )
        for draw in found.tiles
    ]
    data = {"position": str(position), **session.told(*session.command.options), **found.to_dict(), "ms": milliseconds}
    head = (session.options.objective, "what", "details")
    return Answer(data, tabbed(rows), picture=session.picture(position), rows=[head, *rows])


def steps_for(session: Session, text: str) -> Answer:
    """The steps that carry out a legal move, as few as can be."""
    position, move = session.played(text)
    found, milliseconds = timed(lambda: session.game.api.steps_for(position, move, **session.given(_TIDY)))
    data = {"position": str(position), "move": move.to_dict(), **found.to_dict(), "ms": milliseconds}
    rows: list[Row] = [("", ""), *((str(index), str(step)) for index, step in enumerate(found, 1))]
    return Answer(data, [str(step) for step in found], picture=session.picture(position, move), rows=rows)


def arrangements(session: Session, text: str) -> Iterator[Answer]:
    """Every way to lay all the tiles as legal sets."""
    tiles = _tiles(text)
    found = None
    for found in islice(session.game.api.arrangements(tiles, session.rules), session.options.n):
        yield Answer({"tiles": tiles, "table": [list(tiles) for tiles in found]}, [_table(found)])
    if found is None:
        yield Answer({"tiles": tiles, "table": None}, ["none"], NONE_OR_ILLEGAL)


def count_arrangements(session: Session, text: str) -> Answer:
    """How many ways there are to lay all the tiles as legal sets."""
    api, tiles = session.game.api, _tiles(text)
    found, milliseconds = timed(lambda: api.count_arrangements(tiles, session.rules))
    status = ANSWERED if found else NONE_OR_ILLEGAL
    return Answer({"tiles": tiles, "count": found, "ms": milliseconds}, [str(found)], status)


def repair(session: Session, text: str) -> Answer:
    """An arrangement of a mixed-up table, and the fewest tiles that must be taken away for it."""
    api, tiles = session.game.api, _tiles(text)
    found, milliseconds = timed(lambda: api.repair(tiles, session.rules))
    data = {"tiles": tiles, **found.to_dict(), "complete": found.complete, "ms": milliseconds}
    line = f"{_table(found.table)}\t{' '.join(found.removed) or '-'}"
    return Answer(data, [line], ANSWERED if found.complete else NONE_OR_ILLEGAL)


def _tiles(text: str) -> list[str]:
    """The tiles of a text, sorted; sets may be divided by commas."""
    from .rummikub.sets import read_tiles, sort_tiles

    return list(sort_tiles(read_tiles(text.replace(",", " "), "tiles")))


def count_winning_hands(session: Session, text: str) -> Answer:
    """How many hands of each size can be laid completely, exactly."""
    api = session.game.api
    rules = session.rules or api.Rules()
    asked = session.given(_JOKERS, _MOST_TILES)
    if session.options.sets != _SETS[0]:
        asked |= {name: name == session.options.sets for name in _SETS[1:]}
    found, milliseconds = timed(lambda: api.count_winning_hands(rules, **asked))
    lines = [f"{size}\t{count}\t{found.physical[size]}" for size, count in found.distinct.items()]
    data = {"rules": str(rules), **session.told(*session.command.options), **found.to_dict(), "ms": milliseconds}
    return Answer(data, lines)


_RUMMIKUB: Final = ("tiles", "value", "penalty", "go_out")
_WIN: Final = ("analyse",)
_TIDY: Final = Flag("tidy", "tiles of different final sets never come together; often a step or more longer")
_JOKERS: Final = Option("jokers", "in every hand", int, "N", default=0)
_MOST_TILES: Final = Option(
    "max_tiles", "no more real tiles than this; without it all sizes, which takes longer", int, "N"
)
_SETS: Final = ("both", "groups", "runs")


# --------------------------------------------------------------------------------------------------------------- Setup


def _setup_rules(api: Any, text: str) -> str:
    # A position of this game names its finish itself, so --rules may leave it out.
    if "finish=" in text:
        return str(api.Rules.parse(text))
    return str(api.Rules.parse(text, finish=1).text_without_finish())


def _setup_details(line: Any) -> str:
    bonus = " ".join(f"{seat}+{given}" for seat, given in (line.move.bonus or {}).items())
    parts = [f"points {line.move.points or 0}", f"bonus {bonus or 0}"]
    if line.answer is not None:
        low, high = line.answer.ci95
        parts.append(f"answer {line.answer.mean:.2f} ({low:.2f} to {high:.2f})")
    parts.append(f"opens {line.open_answer} ({line.opens or '-'})")
    if line.covers:
        parts.append("covers " + " ".join(f"{square}:{tile}" for square, tile in line.covers))
    return ", ".join(parts)


def _setup_score(session: Session, text: str) -> Answer:
    """What a legal move scores: points of the mover and the bonus of the others."""
    position, move = session.played(text)
    points, bonus = session.game.api.score(position, move)
    rows = [(str(points), "points", position.to), *((str(given), "bonus", seat) for seat, given in bonus.items())]
    data = {"position": str(position), "move": move.to_dict(), "points": points, "bonus": bonus}
    return Answer(data, tabbed(rows), picture=session.picture(position, move), rows=[("", "", ""), *rows])


# ------------------------------------------------------------------------------------------------------------- Trek 12


def _trek12_details(line: Any) -> str:
    return ", ".join([_how(line.exact)] + ["tied"] * line.tied + ["the only move"] * line.only)


def _how(exact: bool) -> str:
    return "exact" if exact else "estimated"


def _trek12_summary(found: Any) -> list[Row]:
    value, spread = found.value, found.distribution
    how = {
        "exact": "exact",
        "rollout": f"{counted(value.n, 'game')} played on, se {value.se:.4f}",
        "heuristic": "estimated by the net, its error is not known",
    }[value.how]
    rows: list[Row] = [(number(value.mean), "value", how)]
    if spread is not None:
        shares = " ".join(f"{share:.0%}:{score}" for share, score in spread.quantiles.items())
        rows.append((f"{spread.mean.mean:.2f}", "final score", f"{counted(spread.mean.n, 'game')}, {shares}"))
    if spread is not None and spread.reach is not None:
        reached = f"{round(spread.reach.mean * spread.reach.n)} of {counted(spread.reach.n, 'game')}"
        rows.append((number(spread.reach.mean), f"chance of {spread.target} or more", reached))
    rows += [
        (number(row.value), f"{row.roll[0]},{row.roll[1]}", f"{row.move} ({row.weight}/36)") for row in found.table
    ]
    return rows


def _circles(circles: Iterable[int]) -> str:
    return " ".join(map(str, circles)) or "-"


def _score_rows(score: Any, position: Any, known: str) -> list[Row]:
    """The parts of a score; they add up to the total, which is the first row, with what is known of it."""
    rows: list[Row] = [(str(score.total), "total", known)]
    rows += [(str(part.points), "chain", _circles(part.circles)) for part in score.chains]
    rows += [(str(part.points), "area", _circles(part.circles)) for part in score.areas]
    if score.longest_bonus:
        longest = max(len(part.circles) for part in score.chains)
        rows.append((str(score.longest_bonus), "longest chain", counted(longest, "circle")))
    if score.largest_bonus:
        largest = max(len(part.circles) for part in score.areas)
        rows.append((str(score.largest_bonus), "largest area", counted(largest, "circle")))
    rows += [
        (str(seen.points), f"{seen.track}:{seen.number}", f"on {counted(seen.count, 'circle')}")
        for seen in score.observations
    ]
    for name, circles in (("orphan", score.orphans), ("bad circle", score.bad), ("piranha", score.piranhas)):
        rows += [(str(-position.rules.penalty), name, str(circle)) for circle in circles]
    return rows


def _trek12_score(session: Session, text: str) -> Answer:
    """The score of the sheet as it stands, part for part."""
    position = session.position(text)
    found = session.game.api.score(position)
    rows = _score_rows(found, position, f"{counted(position.empties, 'circle')} empty")
    data = {"position": str(position), **found.to_dict()}
    head = ("points", "what for", "circles")
    return Answer(data, tabbed(rows), picture=session.picture(position), rows=[head, *rows])


def best_layout(session: Session, text: str) -> Answer:
    """The chains with the highest score under free links, exactly, and how many ways reach it."""
    position = session.position(text)
    found, milliseconds = timed(lambda: session.game.api.best_layout(position))
    rows = _score_rows(found.score, position, counted(found.count, "layout"))
    data = {"position": str(position), "total": found.total, **found.to_dict(), "ms": milliseconds}
    head = ("points", "what for", "circles")
    return Answer(data, tabbed(rows), picture=session.picture(position), rows=[head, *rows])


def best_sheet(session: Session, text: str) -> Answer:
    """The highest score that is found for known rolls from the empty sheet, or for dice chosen freely."""
    sheet, tab, texts = text.partition("\t")
    rolls = [_roll(roll) for roll in texts.split()] if tab else None
    api, asked = session.game.api, session.given(_ORDER, _WIDTH)
    found, milliseconds = timed(lambda: api.best_sheet(sheet, rolls, rules=session.rules, limit=session.limit, **asked))
    known = "none scores more" if found.exact else f"none scores more than {found.bound}"
    if found.status != "complete":
        known += f", ended by {found.status}"
    rows: list[Row] = [(str(found.total), str(found.position), known)]
    rows += [
        (str(turn), str(move), "-" if roll is None else f"{roll[0]},{roll[1]}")
        for turn, (roll, move) in enumerate(found.moves, 1)
    ]
    data = {"sheet": sheet, "rolls": rolls, **found.to_dict(), "ms": milliseconds}
    head = ("turn", "move", "roll")
    total: list[Row] = [(str(found.total), "total", known)]
    return Answer(data, tabbed(rows), picture=session.picture(found.position), rows=[head, *total, *rows[1:]])


def _roll(text: str) -> tuple[int, int]:
    dice = text.split(",")
    if len(dice) != 2 or not all(die.isascii() and die.isdecimal() and len(die) == 1 for die in dice):
        raise ParseError(f"rolls: {quote(text)} is not YELLOW,RED")
    return int(dice[0]), int(dice[1])


def judge(session: Session, text: str) -> Answer:
    """A roll's luck and what a move gives away against the best, in expected points."""
    position, move = session.played(text)
    solver = session.solver(position)
    found, milliseconds = timed(lambda: solver.judge(position, move, limit=session.limit, **session.given(SEED)))
    how = _how(found.exact)
    rows = [
        (number(found.luck), "luck", how),
        (number(found.loss), "loss", how),
        (number(found.before), "before the roll", how),
        (number(found.played), "played", str(move)),
        (number(found.best.value), "best", str(found.best.move)),
    ]
    data = {"position": str(position), "move": move.to_dict(), **found.to_dict(), "ms": milliseconds}
    return Answer(data, tabbed(rows), picture=session.picture(position, move), rows=[("points", "what", ""), *rows])


def sheets(session: Session, text: str) -> Iterator[Answer]:
    """The published sheets."""
    for key, sheet in session.game.api.sheets().items():
        summit = "-" if sheet.summit is None else str(sheet.summit)
        yield Answer(sheet.to_dict(), ["\t".join((key, str(sheet.circles), summit, sheet.name))])


_ORDER: Final = Option("order", "of the rolls: as given, or any", choices=("given", "free"), default="given")
_WIDTH: Final = Option("width", "states kept a turn; more find more and take longer", whole, "N", default=1000)

GAMES: Final = (
    Game(
        name="rummikub",
        title="Rummikub",
        objectives=_RUMMIKUB,
        position_form="TABLE | RACK [| [unopened] [rules=TEXT]], for example 'R6 R7 R8, R3 B3 K3 | R1 B9 O3 J'",
        move_form="TILES | TABLE [| taken=TILES], for example 'O3 | R6 R7 R8, R3 B3 K3 O3'",
        bars=1,
        worth=_rummikub_worth,
        read_rules=_canonical_rules,
        details=_rummikub_details,
        analysed="tiles",
        estimated=("win",),
        forms={TILES: "tiles, which may be divided by commas, for example 'R1-3 B1-3 K1-3'"},
        options=(
            Option("players", "at the table, for win", int, "N", commands=_WIN),
            Option("opponents", "tiles that each other player holds, for win", _numbers, "N,...", commands=_WIN),
            Option("opened", "which of them have opened, for win: yes,no", _flags, "YES_OR_NO,...", commands=_WIN),
            Option("pool", "tiles left to draw, for win", int, "N", commands=_WIN),
            Option("playing", "how everybody plays on, for win", choices=("wait", "greedy"), commands=_WIN),
        ),
        commands=(
            Command(
                "draws", draws, options=(Option("objective", "of the best move", choices=_RUMMIKUB, default="tiles"),)
            ),
            Command("steps_for", steps_for, (POSITION, MOVE), options=(_TIDY,)),
            Command(
                "arrangements", arrangements, (TILES,), options=(Option(COUNT, "no more than so many", whole, "N"),)
            ),
            Command("count_arrangements", count_arrangements, (TILES,)),
            Command("repair", repair, (TILES,)),
            Command(
                "count_winning_hands",
                count_winning_hands,
                (),
                options=(
                    _JOKERS,
                    _MOST_TILES,
                    Option("sets", "that may be used", choices=_SETS, default=_SETS[0]),
                ),
            ),
        ),
    ),
    Game(
        name="setup",
        title="Setup",
        objectives=("points", "margin", "lookahead", "strength"),
        position_form="BOARD | RACK | COMMON | to=SEAT seats=SEATS scores=N,N finish=N [rules=TEXT], for example "
        "'b2:4H c2:7D/9S | 5H 1S 2S 3S | 7* 8* 9* 10* | to=S seats=NS scores=0,0 finish=60'",
        move_form="SQUARE=TILE ... or swap TILE ..., for example 'b3=5H'",
        bars=2,
        worth=None,
        read_rules=_setup_rules,
        details=_setup_details,
        analysed="lookahead",
        options=(
            Option("samples", "deals for lookahead and strength", whole, "N", commands=("best", "moves", "analyse")),
            SEED,
        ),
        commands=(Command("score", _setup_score, (POSITION, MOVE)),),
    ),
    Game(
        name="trek12",
        title="Trek 12",
        objectives=("mean", "reach", "beat"),
        position_form="SHEET | CELLS | LEFT | LINKS | ROLL [| rules=TEXT], for example "
        "'graph:4:0-1,1-2,2-3 | 4 5 . . | 3 3 4 4 4 | 0-1 | 2,5'",
        move_form="OP@CIRCLE, +CIRCLE for each link where there is a choice, for example 'sum@2'",
        bars=4,
        worth=None,
        read_rules=_canonical_rules,
        details=_trek12_details,
        analysed="mean",
        summary=_trek12_summary,
        forms={
            SHEET: "a sheet's id (see `solver trek12 sheets`) or graph:CIRCLES:EDGES[:DANGEROUS[:SUMMIT]]",
            ROLLS: "YELLOW,RED of each turn, for example '2,5 0,3 4,4'; without them the dice are chosen freely",
        },
        options=(
            Option(
                "target",
                "the score to reach (without it the sheet's summit), or to beat",
                int,
                "SCORE",
                commands=("best", "moves", "analyse"),
            ),
            SEED,
        ),
        commands=(
            Command("score", _trek12_score),
            Command("best_layout", best_layout),
            Command("best_sheet", best_sheet, (SHEET, ROLLS), optional=1, options=(_ORDER, _WIDTH, SECONDS)),
            Command("judge", judge, (POSITION, MOVE), options=(SEED, SECONDS)),
            Command("sheets", sheets, (), ruled=False),
        ),
    ),
)
