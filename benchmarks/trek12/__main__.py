"""`python -m benchmarks.trek12`: every figure of Trek 12 in one run; CPU time of this process, one thread.

Seeds are fixed, so scores are the same at every run; times are not.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections.abc import Callable
from functools import partial
from time import process_time

import numpy as np

from solver.streams import stream_key, word
from solver.trek12 import Position, Rules, Sheet, Solver, best_sheet, reference, score, sheets
from solver.trek12.graphs import graph_of
from solver.trek12.kernel import Endgame, Layouts, Player, total, total_many
from solver.trek12.nets import heuristic, net_for
from solver.trek12.rules import AMAZONIA

SHEETS = ("dunai", "kagkot", "dhaulagiri")
SEED = 2026
RANDOM, HEURISTIC, NEXT_STATE, NEXT_ROLL = range(4)
BOXES = bytes([4] * 5)
BAD = 13
TURNS = 19
DICE_PER_GAME = 128
FACES = 36
MEMORY = 256 << 20
ENDGAMES = 102
FORESEEN = 20
FORESIGHT_WIDTH = 3000
EXPLORATION = "amazonia+observations=boa:1,jaguar:6,marmoset:4"
ADVISED = 20
KEY = stream_key(SEED, "trek12", purpose="strength")


def timed(work: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    started = process_time()
    work()
    return process_time() - started


def dice(game: int, turn: int) -> tuple[int, int]:
    """The roll of a turn of a game of the benchmark's stream."""
    face = ((word(KEY, game * DICE_PER_GAME + 2 * turn) >> 32) * FACES) >> 32
    return face // 6, face % 6 + 1


def random_cells(rng: random.Random, sheet: Sheet) -> bytes:
    """A filled sheet of numbers that lie near each other, as the kernels take it."""
    low = rng.randrange(0, 6)
    high = min(12, low + rng.choice([2, 3, 4, 6, 9]))
    numbers = [rng.randint(low, high) for _ in range(sheet.circles)]
    return bytes(BAD if number > sheet.limit(circle) else number for circle, number in enumerate(numbers))


def scoring() -> None:
    """Scores and best layouts of random filled sheets."""
    rng = random.Random(SEED)
    for name in SHEETS:
        sheet = sheets()[name]
        graph = graph_of(sheet)
        layouts = Layouts()
        packed = [random_cells(rng, sheet) for _ in range(5000)]
        rows = np.array([list(cells) for cells in packed], np.uint8)
        above = np.full_like(rows, 255)
        out = np.zeros(len(packed), np.int32)
        times = []
        for row, cells in enumerate(packed):
            started = process_time()
            found = layouts.best(graph, cells)
            times.append(process_time() - started)
            assert found is not None
            above[row] = list(found[2])
        fastest = min(timed(partial(total_many, graph, rows, above, out)) for _ in range(5)) / len(packed)
        print(
            f"{name}: score {fastest * 1e9:.0f} ns, best layout median {statistics.median(times) * 1e6:.1f} us, "
            f"mean {statistics.mean(times) * 1e6:.1f} us (from Python)",
            flush=True,
        )


def layouts(count: int) -> int:
    """Best layouts of random filled sheets, value and number, against trying all layouts; how many differ."""
    rng = random.Random(SEED)
    search = Layouts()
    differences = several = most = 0
    for index in range(count):
        sheet = sheets()[SHEETS[index % len(SHEETS)]]
        packed = random_cells(rng, sheet)
        cells = tuple("X" if number == BAD else number for number in packed)
        value, number = reference.best_layout(sheet, cells)  # type: ignore[arg-type]
        found = search.best(graph_of(sheet), packed)
        # The third part are the links of one best layout: drawn on the sheet they must give the same score.
        if found is None or found[:2] != (value, number) or total(graph_of(sheet), packed, BOXES, found[2]) != value:
            differences += 1
            print(f"{sheet.id}: {cells}: {found}, all layouts give {value} and {number}", flush=True)
        several += number > 1
        most = max(most, number)
    print(
        f"best layouts: {count} filled sheets against all layouts, {differences} differences "
        f"({several} sheets have more than one best layout, at most {most})",
        flush=True,
    )
    return differences


def endgames() -> None:
    """Exact values before the roll, cold tables, positions of the net's own games."""
    for empties in (3, 4, 5, 6):
        times = []
        for name in SHEETS:
            sheet = sheets()[name]
            graph = graph_of(sheet)
            player = Player(graph, NEXT_STATE, net_for(sheet), 0, 0)
            for game in range(ENDGAMES // len(SHEETS)):
                position = self_play(sheet, player, game, empties)
                endgame = Endgame(graph, 0, 0, MEMORY)
                started = process_time()
                endgame.value(*position.packed)
                times.append(process_time() - started)
        print(
            f"{empties} empty circles: exact value mean {statistics.mean(times) * 1e3:.3f} ms, "
            f"median {statistics.median(times) * 1e3:.3f}, most {max(times) * 1e3:.3f} ({len(times)} positions)",
            flush=True,
        )


def self_play(sheet: Sheet, player: Player, game: int, empties: int) -> Position:
    """The position of a game of the net with so many empty circles."""
    position = Position.start(sheet)
    while position.empties > empties:
        yellow, red = dice(game, sheet.circles - position.empties)
        cells, left, above = position.packed
        _, _, op, circle, number, down, up = player.rank(cells, left, above, yellow * 6 + red - 1)[0]
        new_cells: list[int | str | None] = list(position.cells)
        new_cells[circle] = "X" if number > 12 else number
        boxes = tuple(box - (index == op) for index, box in enumerate(position.left))
        links = position.links
        links += ((down, circle),) if down != 255 else ()
        links += ((circle, up),) if up != 255 else ()
        position = Position(sheet, tuple(new_cells), boxes, links, None, Rules())  # type: ignore[arg-type]
    return position


def strength(games: int) -> None:
    """Mean final scores with standard errors, on the same dice for every method."""
    for name in SHEETS:
        sheet = sheets()[name]
        graph = graph_of(sheet)
        net = net_for(sheet)
        methods: list[tuple[str, Player, int]] = [
            ("random", Player(graph, RANDOM, None, 0, 0), 20_000),
            ("heuristic", Player(graph, HEURISTIC, heuristic(), 0, 0), 20_000),
        ]
        if net is not None:
            methods.append(("net, best next state", Player(graph, NEXT_STATE, net, 0, 0), games))
            endgame = Endgame(graph, 0, 0, MEMORY)
            methods.append(("net, next roll, exact ends", Player(graph, NEXT_ROLL, net, 0, 0, endgame), games))
        for title, player, count in methods:
            out = np.zeros(count, np.int32)
            seconds = timed(partial(player.games, KEY, 0, BOXES, out))
            print(
                f"{name}: {title}: mean {out.mean():.2f} (se {out.std() / count**0.5:.2f}, {count} games), "
                f"{count / seconds:.0f} games/s, {seconds / count / TURNS * 1e3:.4f} ms a move",
                flush=True,
            )
        foreseen = [
            best_sheet(sheet, [dice(game, turn) for turn in range(TURNS)], width=FORESIGHT_WIDTH).total
            for game in range(FORESEEN)
        ]
        gap = np.array(foreseen) - out[:FORESEEN]
        print(
            f"{name}: known dice, beam {FORESIGHT_WIDTH}: mean {np.mean(foreseen):.2f} ({FORESEEN} games), "
            f"{gap.mean():.2f} (se {gap.std() / FORESEEN**0.5:.2f}) above the last method on the same dice",
            flush=True,
        )


def free_dice() -> None:
    """The best sheets with dice chosen freely."""
    for name in SHEETS:
        started = process_time()
        found = best_sheet(name, width=FORESIGHT_WIDTH)
        print(
            f"{name}: free dice, beam {FORESIGHT_WIDTH}: {found.total} (no sheet exceeds {found.bound}), "
            f"{process_time() - started:.1f} s",
            flush=True,
        )


def amazonia() -> None:
    """Mean final scores on the exploration sheet, on the same dice for every method."""
    rules, sheet = Rules.parse(EXPLORATION), sheets()["amazonia_1"]
    graph, turns = graph_of(sheet, rules), sum(rules.op_limits)
    methods = [
        ("random", Player(graph, RANDOM, None, 0, 0), 5_000),
        ("heuristic of the base game", Player(graph, HEURISTIC, heuristic(), 0, 0), 20_000),
        ("heuristic", Player(graph, HEURISTIC, heuristic(AMAZONIA), 0, 0), 20_000),
    ]
    for title, player, count in methods:
        out = np.zeros(count, np.int32)
        seconds = timed(partial(player.games, KEY, 0, BOXES, out))
        print(
            f"amazonia_1: {title}: mean {out.mean():.2f} (se {out.std() / count**0.5:.2f}, {count} games), "
            f"{seconds / count / turns * 1e3:.4f} ms a move",
            flush=True,
        )
    solver = Solver(rules)
    finals = []
    started = process_time()
    for game in range(ADVISED):
        position = Position.start(sheet, rules)
        for turn in range(turns):
            rolled = position.with_roll(dice(game, turn))
            move = solver.best_move(rolled)
            assert move is not None
            position = rolled.play(move)
        finals.append(score(position).total)
    seconds = process_time() - started
    ahead = np.array(finals) - out[:ADVISED]
    mean, above = (f"{np.mean(some):.1f} (se {np.std(some) / ADVISED**0.5:.1f})" for some in (finals, ahead))
    print(
        f"amazonia_1: the adviser: mean {mean} of {ADVISED} games, {above} above the heuristic on the same dice, "
        f"{seconds / ADVISED / turns * 1e3:.0f} ms a move",
        flush=True,
    )


def main() -> int:
    """Run all parts, or those that are named; 1 if a best layout was not that of exhaustive search."""
    parts: dict[str, Callable[[], int | None]] = {
        "scoring": scoring,
        "layouts": lambda: layouts(args.count),
        "endgames": endgames,
        "strength": lambda: strength(args.games),
        "sheets": free_dice,
        "amazonia": amazonia,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(parts)}; all by default")
    parser.add_argument("--games", type=int, default=5000, help="of the net, a sheet and method; default: %(default)s")
    parser.add_argument("--count", type=int, default=5000, help="of sheets for layouts; default: %(default)s")
    args = parser.parse_args()
    for name in args.parts:
        if name not in parts:
            parser.error(f"no part {name!r}")
    differences = [parts[name]() for name in args.parts or parts]
    return int(any(differences))


if __name__ == "__main__":
    sys.exit(main())
