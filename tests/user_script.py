"""What a user writes, with the types that the package promises: run, and read by mypy --strict, by test_package.py and
`make check-build`, there against the installed wheel."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

from solver import games, rummikub, setup, trek12
from solver.errors import IllegalPosition, LimitReached, ParseError, SolverError
from solver.limits import Limit, Status
from solver.match import MatchResult, Stop, match, series
from solver.records import parse, read_records, replay
from solver.results import Analysis, Estimate, Line

SETUP = "b2:4H | 5H 1S 2S 3S | 7* 8* 9* 10* | to=S seats=NS scores=0,0 finish=60"


def rummi() -> None:
    position = rummikub.Position.parse("R4-8, K4 B4 O4 | R6 R4 B9")
    move: rummikub.Move | None = rummikub.best_move(position, "value", limit=Limit(seconds=1), weights=None)
    lines: list[Line[rummikub.Move]] = rummikub.best_moves(position, 3)
    for line in lines:
        tiles: tuple[str, ...] = line.move.tiles
        print(tiles, line.value, line.exact)
    every: Iterator[rummikub.Move] = rummikub.legal_moves(position)
    print(len(list(every)), rummikub.count_moves(position))
    analysis: Analysis[rummikub.Move | None] = rummikub.analyse(
        position, Limit(nodes=1000), 2, objective="win", players=3
    )
    if analysis.status is Status.COMPLETE:
        print(analysis.effort)
    with ThreadPoolExecutor(2) as threads:
        moves: list[rummikub.Move | None] = rummikub.solve_batch([position] * 3, threads)
    if move is not None:
        print(move.steps, rummikub.verify(position, move), moves)
    plays: Fraction = rummikub.draws(position).plays
    print(plays, next(rummikub.arrangements("R1-3 B1-3")), rummikub.count_arrangements("R1-3"))
    print(rummikub.repair("R1 R2").removed, rummikub.count_winning_hands(rummikub.Rules(), max_tiles=3).distinct)
    rules = rummikub.Rules(copies=1, joker_freeing="any")
    print(rules.copies, rummikub.Rules.preset("free"), rummikub.PRESETS["free"], rummikub.OBJECTIVES)


def numbers() -> None:
    rules = setup.Rules(finish=60)
    position = setup.Position.parse(SETUP)
    best: list[setup.PlayLine] = setup.best_moves(position, 2, "lookahead", samples=32)
    answer: Estimate | None = best[0].answer
    found: setup.PlayAnalysis = setup.analyse(position, lines=2)
    points, bonus = setup.score(position, best[0].move)
    print(rules, answer, found.swap_better, points + 1, bonus["N"] if bonus else 0, setup.play_arrays(position).shape)


def trek() -> None:
    position = trek12.Position.parse("dunai | . . . . . . . . . . . . . . . . . . . | 4 4 4 4 4 | - | 2,5")
    found: trek12.TrekAnalysis = trek12.analyse(position)
    value: Estimate = trek12.value(position)
    judged: trek12.Judgement = trek12.judge(position, trek12.Move.parse("sum@12"))
    sheet: trek12.BestSheet = trek12.best_sheet("dunai", [(2, 5), (0, 3)], width=10)
    print(found.value.mean, value.ci95, judged.loss, sheet.total, trek12.score(position).total)
    print(trek12.Rules(op_limits=(3, 3, 3, 3, 3)), trek12.sheets()["dunai"].circles)


class Mine:
    name = "mine"

    def choose(self, view: rummikub.View, key: int) -> rummikub.Action:
        return rummikub.best_move(view.position) or view.idle


def whole() -> None:
    result: MatchResult = match("rummikub", [Mine(), "greedy"], games=10, stop=Stop(0.4, 0.6))
    print(result.table(), result.to_dict(), series("trek12", ["net", "net"], games=2).table())
    state: rummikub.State = rummikub.start(players=2)
    mine: rummikub.Player = Mine()
    record = games.play(state, [mine, rummikub.player("greedy")], 1, 0)
    again = [one for _, one in read_records(str(record).splitlines(keepends=True))]
    print(len(replay(parse(str(record)))), again == [record], state.view(0).position)


def refused() -> None:
    try:
        rummikub.Position.parse("nonsense")
    except ParseError as error:
        print(error)
    try:
        rummikub.best_move(rummikub.Position.parse("R1 R2 | R3"))
    except IllegalPosition as error:
        print(error.problems)
    try:
        setup.count_moves(setup.Position.parse(SETUP), limit=Limit(seconds=60))
    except LimitReached as error:
        print(error)
    try:
        games.load("chess")
    except SolverError as error:
        print(error)


if __name__ == "__main__":
    rummi()
    numbers()
    trek()
    whole()
    refused()
