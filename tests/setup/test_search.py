"""The searches of Setup beyond plain enumeration: lookahead, strength, analysis, solvers, batches, limits."""

from __future__ import annotations

import json
import os
import pickle
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from solver.errors import IllegalPosition, LimitReached, SolverError
from solver.limits import Limit, Status
from solver.results import How
from solver.setup import (
    Move,
    PlayLine,
    Position,
    Rules,
    Solver,
    analyse,
    best_move,
    best_moves,
    count_moves,
    legal_moves,
    play_arrays,
    policies,
    reference,
    search,
    solve_batch,
    verify,
)
from solver.setup.kernel import Plays, answers
from solver.streams import stream_key, word

POSITIONS = [
    Position.parse(entry["position"])
    for entry in json.loads(
        (Path(__file__).parents[1] / "data" / "setup" / "positions.json").read_text(encoding="utf-8")
    )
]
SAMPLE_WORDS = 4096
TILE_WORDS = 128
SMALL = (
    "to=S seats=NS scores=0,0 finish=60 "
    "rules=default+board=b2,c2,b3,n@N,s@S/b2-c2,b2-b3,c2-n,b3-s,c2-b3+numbers=5+suits=*H"
)


def after_play(position: Position, move: Move, rack: list[str], drawn: list[str]) -> Position:
    """What the next player sees after a play: without the mover's rack, with what was drawn into the common hand."""
    stacks = {square: list(stack) for square, stack in position.board}
    for tile, square in move.placements:
        stacks[square] = [tile, *stacks.get(square, [])]
    left = [tile for tile in position.common if move.swap or tile not in move.tiles]
    # Tiles that come back from under the tops are drawn: they lie nowhere else any more.
    stacks = {square: [stack[0], *(t for t in stack[1:] if t not in drawn)] for square, stack in stacks.items()}
    seats = position.seats
    return Position(stacks, rack, left + drawn, position.next_seat, seats, [0] * len(seats), position.rules)


def dealt(position: Position, move: Move, key: int, sample: int) -> tuple[list[str], list[str]]:
    """The next player's rack and the refill of the common hand (after plays) in one deal, from the stream's words."""
    rules = position.rules
    unseen = list(position.unseen)
    others = len(position.seats) - 1
    held = min(4, len(unseen))
    bag = min(max(0, len(unseen) - 4 * others), 4)
    for at in range(held + bag):
        other = at + (((word(key, sample * SAMPLE_WORDS + at) >> 32) * (len(unseen) - at)) >> 32)
        unseen[at], unseen[other] = unseen[other], unseen[at]
    if move.swap:
        return unseen[:held], []
    left = [tile for tile in position.common if tile not in move.tiles]
    drawn = unseen[held : held + min(bag, 4 - len(left))]
    covered = [*position.covered, *(position.tops[square] for _, square in move.placements if square in position.tops)]
    covered.sort(key=lambda tile: word(key, sample * SAMPLE_WORDS + TILE_WORDS + rules.tile_index[tile]))
    if len(left) + len(drawn) < 4:
        drawn += covered[: 4 - len(left) - len(drawn)]
    return unseen[:held], drawn


def most_points(position: Position) -> int:
    return max((move.points or 0 for move in reference.legal_moves(position)), default=0)


@pytest.mark.parametrize(
    "text",
    [
        f"b2:4H c2:2*/3H b3:1H | 5H 1* | 4* 2H | {SMALL}",
        # Hardly a bag: covered tiles come back.
        f"b2:4H/5*/1* c2:2*/3H | 5H 3* | 4* 2H | {SMALL}",
        "b2:3H c2:1* | 2H 1S | 2* | to=S seats=NES scores=0,0,0 finish=60 rules=default+numbers=3+suits=*HDS",
        f"b2:3H c2:1* | 2H 1H | 2* | {SMALL}+run_order=block+scoring=per_set",
    ],
)
def test_lookahead_is_what_a_slow_twin_finds(text: str) -> None:
    position = Position.parse(text)
    samples = 6
    lines = best_moves(position, 500, "lookahead", samples=samples, seed=3)
    key = stream_key(3, "setup", sum(position.scores), "lookahead")
    assert {line.move for line in lines if not line.move.swap} == {
        move for move in legal_moves(position) if not move.swap
    }
    for line in lines[:4] + lines[-2:]:
        found = []
        for sample in range(samples):
            rack, drawn = dealt(position, line.move, key, sample)
            found.append(most_points(after_play(position, line.move, rack, drawn)))
        assert line.answer is not None
        assert line.answer.mean == pytest.approx(float(np.mean(found)))
        given = sum((line.move.bonus or {}).values())
        assert line.value == pytest.approx((line.move.points or 0) - given - float(np.mean(found)))
        assert line.open_answer == most_points(after_play(position, line.move, [], []))


def test_lookahead_estimates_the_exact_expectation() -> None:
    position = Position.parse(f"b2:4H c2:2* b3:1H | 5H | 4* 2H 1* 3H | {SMALL}")
    line = best_moves(position, 1, "lookahead", samples=4000)[0]
    values = []
    unseen = position.unseen
    left = [tile for tile in position.common if tile not in line.move.tiles]
    for rack in combinations(unseen, min(4, len(unseen))):
        rest = [tile for tile in unseen if tile not in rack]
        # Nothing is left of the bag here, so the refill is of the covered tiles, and there are none.
        assert not rest
        covered = [position.tops[square] for _, square in line.move.placements if square in position.tops]
        assert len(left) + len(covered) <= 4
        values.append(most_points(after_play(position, line.move, list(rack), covered)))
    assert line.answer is not None
    assert line.answer.mean == pytest.approx(float(np.mean(values)), abs=4 * line.answer.se + 1e-9)
    wide = POSITIONS[10]
    few, many = (best_moves(wide, 1, "lookahead", samples=n, seed=1)[0].answer for n in (256, 8192))
    assert few is not None
    assert many is not None
    assert few.se > many.se > 0
    assert abs(few.mean - many.mean) < 5 * few.se


def test_swaps_are_candidates_on_the_unchanged_board() -> None:
    position = POSITIONS[0]
    analysis = analyse(position, samples=200)
    assert analysis.swap is not None
    assert analysis.swap.move.swap
    assert analysis.swap.answer is not None
    assert analysis.swap.value == -analysis.swap.answer.mean
    assert not analysis.swap_better
    # N's only play gives everything away: S answers anyway, and a swap keeps the bonus.
    given = Position.parse(
        "x:4H | 4C | - | to=N seats=NS scores=0,0 finish=60 "
        "rules=default+board=x@S,y@S/x-y+numbers=4+suits=HC+on_opponents=allowed"
    )
    first = best_moves(given, 1, "margin")[0]
    assert first.move == Move.parse("swap 4C")
    assert analyse(given, objective="margin").swap_better
    assert analyse(given, objective="lookahead").swap_better
    # Two points for S's two: as good as a swap, not worse.
    even = Position.parse(
        "x:4H | 4C | - | to=N seats=NS scores=0,0 finish=60 "
        "rules=default+board=x,y@S/x-y+numbers=4+suits=HC+on_opponents=allowed"
    )
    assert [line.value for line in best_moves(even, 9, "margin")] == [0.0, 0.0]
    assert not analyse(even, objective="margin", lines=1).swap_better


def test_a_swap_does_not_refill_the_common_hand() -> None:
    text = "b2:1* b3:2* | 5* | 3* | to=S seats=NS scores=0,0 finish=60 rules=default+numbers=5+suits=*H"
    position = Position.parse(text)
    swap = next(line for line in best_moves(position, 99, "lookahead", samples=4096) if line.move.swap)
    racks = list(combinations(position.unseen, 4))
    answers = [best_moves(with_rack(position, rack), 1)[0].move.points or 0 for rack in racks]
    assert swap.answer is not None
    assert abs(swap.answer.mean - np.mean(answers)) < 5 * swap.answer.se


def with_rack(position: Position, rack: tuple[str, ...]) -> Position:
    """The position as it is for the next player, who holds this rack."""
    return Position(position.board, rack, position.common, "N", position.seats, position.scores, position.rules)


def test_one_sample_has_no_error_and_is_data_all_the_same() -> None:
    data = analyse(POSITIONS[0], samples=1).to_dict()
    assert data["lines"][0]["answer"]["ci95"] is None
    json.dumps(data, allow_nan=False)


def test_a_move_that_ends_the_game_has_no_answer() -> None:
    position = Position.parse("b2:4H | 4C | 5H 4D | to=S seats=NS scores=57,57 finish=60")
    lines = best_moves(position, 50, "lookahead", samples=50)
    for line in lines:
        ends = (line.move.points or 0) + 57 >= 60
        assert line.answer is not None
        assert line.exact == ends == (line.answer.how is How.EXACT)
        if ends:
            assert (line.value, line.open_answer) == (line.move.points, 0)


@pytest.mark.parametrize("objective", search.OBJECTIVES)
def test_same_seed_same_output_on_any_thread_count(objective: str) -> None:
    positions = POSITIONS[:6]
    alone = [best_moves(p, 4, objective, samples=64, seed=5) for p in positions]
    with ThreadPoolExecutor(4) as threads:
        shared = Solver(positions[0].rules)
        together = list(threads.map(lambda p: shared.best_moves(p, 4, objective, samples=64, seed=5), positions))
    assert together == alone
    assert alone == [best_moves(p, 4, objective, samples=64, seed=5) for p in positions]
    assert solve_batch(positions, objective=objective, samples=64, seed=5) == [
        best_move(p, objective, samples=64, seed=5) for p in positions
    ]


def test_batches_on_processes() -> None:
    with ProcessPoolExecutor(2) as processes:
        assert solve_batch(POSITIONS[:3], processes, "margin") == [best_move(p, "margin") for p in POSITIONS[:3]]
    assert solve_batch([]) == []


def test_ties_go_to_less_bonus_then_fewer_own_tiles_then_the_fixed_order() -> None:
    lines = best_moves(POSITIONS[1], 60)
    keys = [
        (-line.value, sum((line.move.bonus or {}).values()), sum(t in POSITIONS[1].rack for t in line.move.tiles))
        for line in lines
    ]
    assert keys == sorted(keys)
    assert lines[0].tied
    assert [line.move for line in best_moves(POSITIONS[1], 5)] == [line.move for line in lines[:5]]


@pytest.mark.parametrize("position", POSITIONS[:5])
@pytest.mark.parametrize("objective", search.OBJECTIVES)
def test_lines_are_legal_and_in_order(position: Position, objective: str) -> None:
    lines = best_moves(position, 6, objective, samples=40)
    assert [line.value for line in lines] == sorted((line.value for line in lines), reverse=True)
    for line in lines:
        assert verify(position, line.move) == []
        assert isinstance(line, PlayLine)
        assert json.dumps(line.to_dict())


def test_strength_wins_at_once_where_it_can() -> None:
    position = Position.parse("b1:4H b2:4D c2:9C | 4C 9S 1H 2D | - | to=S seats=NS scores=56,57 finish=60")
    first = best_moves(position, 1, "strength")[0]
    # Three points for a win at once.
    assert first.move.points == 3
    assert (first.value, first.exact) == (1.0, True)
    # Wins that give so much away that they are none of the most promising plays.
    position = Position.parse(
        "c1:5C b2:5H c2:6H b3:4C c3:1* | 6D 6C 7S 9S | 2C 2S 6* 10C |"
        " to=S seats=NS scores=15,16 finish=20 rules=default+on_opponents=allowed+finish_rule=pass"
    )
    wins = [move for move in legal_moves(position) if (move.points or 0) >= 5]
    lines = best_moves(position, 20, "strength", samples=8)
    assert {line.move for line in lines if line.exact} == set(wins) == {line.move for line in lines[: len(wins)]}
    assert len({line.move for line in lines}) == len(lines) == len(wins) + policies.LINES


def test_strength_wins_at_once_with_teams() -> None:
    text = "b2:4D c2:9C | 4C 9S 1H 2D | - | to=S seats=NESW scores={} finish=60 rules=default+teams=yes"
    # N and E are home: S comes home too, and the last pawn is W's.
    first = best_moves(Position.parse(text.format("60,60,58,50")), 1, "strength", samples=8)[0]
    assert (first.move.points, first.value, first.exact) == (2, 1.0, True)
    # Only N is home: the game goes on. Both opponents' pawns may not be home either, the game would be over.
    first = best_moves(Position.parse(text.format("60,50,58,50")), 1, "strength", samples=8)[0]
    assert not first.exact


def test_few_nodes_are_few_deals() -> None:
    position = POSITIONS[1]
    moves = len(play_arrays(position)) + 1
    few = analyse(position, Limit(nodes=3 * moves))
    assert (few.status, few.effort) == (Status.NODES, 3 * moves)
    none = analyse(position, Limit(nodes=1))
    assert (none.lines, none.status, none.swap) == ([], Status.NODES, None)
    with pytest.raises(LimitReached, match="nodes: one deal"):
        best_moves(position, 1, "lookahead", limit=Limit(nodes=1))


def test_a_batch_names_the_bad_position() -> None:
    bad = Position.parse("b2:4H b2:5H | 4H | - | to=N seats=NS scores=0,0 finish=60")
    with pytest.raises(IllegalPosition, match=r"^positions\[1\]: board: square b2") as raised:
        solve_batch([POSITIONS[0], bad])
    assert len(raised.value.problems) == len(bad.problems())
    with pytest.raises(SolverError, match=r"^objective: must be one of points, .* not 'luck'"):
        solve_batch([POSITIONS[0]], objective="luck")


def test_ties_do_not_count_a_partners_bonus_as_given_away() -> None:
    # Both plays score three; d2 E2 are an opponent's squares, b1 and c1 the partner's.
    text = "b1:4H c1:4D d2:9C d3:9D | 4C 9S | - | to=S seats=NESW scores=0,0,0,0 finish=60 rules=default+teams=yes"
    first = best_moves(Position.parse(text), 1, "points")[0]
    assert (first.move, first.move.bonus) == (Move.parse("b2=4C"), {"N": 2})


def test_strength_is_a_chance() -> None:
    """Few deals, drawn towards the evaluation, would lead below nothing."""
    position = Position.parse(
        "b1:9a/10a/3a a2:7a b2:5a d2:6a/4a a3:1a | 2a | 8a | to=S seats=NESW scores=0,45,39,57 finish=60"
        " rules=default+suits=a+run_order=block+finish_rule=pass+teams=yes"
    )
    values = [line.value for line in best_moves(position, 5, "strength", samples=8)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == 0


def test_strength_swaps_where_nothing_can_be_played() -> None:
    position = Position.parse("b2:1H | 9C 4D | - | to=S seats=NS scores=5,7 finish=60")
    assert best_move(position, "strength") == Move.parse("swap 4D 9C")


def test_the_only_swap_is_not_tied() -> None:
    tail = "to=S seats=NS scores=0,0 finish=60"
    for objective in search.OBJECTIVES:
        assert [line.tied for line in best_moves(Position.parse(f"- | 5H | - | {tail}"), 5, objective)] == [False]
        assert best_moves(Position.parse(f"- | 5H 7D | - | {tail}"), 1, objective)[0].tied


@pytest.mark.parametrize("objective", search.OBJECTIVES)
def test_the_only_move_is_marked(objective: str) -> None:
    tail = "to=S seats=NS scores=0,0 finish={} rules=default+board=x,y@S,z@N/x-y+numbers=4+suits=HC"
    alone = [("- | 4H | -", 60, "swap 4H"), ("x:4H y:4C | - | 3H", 60, "y=3H"), ("x:4H y:4C | - | 3H", 2, "y=3H")]
    for text, finish, move in alone:
        lines = analyse(Position.parse(f"{text} | {tail.format(finish)}"), objective=objective).lines
        assert [(str(line.move), line.only) for line in lines] == [(move, True)]
    two = analyse(Position.parse(f"x:3H y:4C | - | 4H | {tail.format(60)}"), lines=1, objective=objective).lines
    assert [line.only for line in two] == [False]


def test_contenders_are_the_same_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = best_moves(POSITIONS[0], 5, "lookahead", samples=300)
    monkeypatch.setattr(search, "VALUES_AT_ONCE", 100)
    assert best_moves(POSITIONS[0], 5, "lookahead", samples=300) == whole


def test_margin_with_teams_counts_the_partner() -> None:
    text = "b1:4H d2:5C | 4C 4D | - | to=S seats=NESW scores=0,0,0,0 finish=60"
    alone, team = (Position.parse(text + rules) for rules in ("", " rules=default+teams=yes"))
    play = Move.parse("b2=4C")
    values = [
        {line.move: line.value for line in best_moves(position, 50, "margin")}[play] for position in (alone, team)
    ]
    assert values == [pytest.approx(2 - 1 / 3), 3.0]
    assert reference.best_value(team, "margin") == best_moves(team, 1, "margin")[0].value


def test_lazy_iteration_goes_on_over_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "CHUNKS", (1, 3, 7))
    for position in POSITIONS[:4]:
        moves = list(legal_moves(position))
        assert len(moves) == len(set(moves)) == count_moves(position)


def test_moves_of_a_huge_position_come_at_once_and_limits_hold() -> None:
    squares = ",".join(f"q{i}" for i in range(64))
    links = ",".join(f"q{i}-q{j}" for i in range(64) for j in range(i + 1, 64))
    rules = f"rules=default+board={squares}/{links}+numbers=8+suits=abcdefghijklmnop"
    position = Position.parse(f"- | 1a 1b 1c 1d | 1e 1f 1g 1h | to=S seats=NS scores=0,0 finish=60 {rules}")
    assert next(legal_moves(position)).points == 2
    short = Limit(seconds=0.05)
    for call in (count_moves, best_move, play_arrays):
        with pytest.raises(LimitReached):
            call(position, limit=short)  # type: ignore[operator]
    assert analyse(position, short).status is Status.TIME
    with pytest.raises(LimitReached):
        best_moves(position, objective="strength", limit=short)
    with pytest.raises(LimitReached, match="memory"):
        Solver(position.rules, memory=1 << 16).play_arrays(position)


def test_limits_of_an_analysis() -> None:
    position = POSITIONS[0]
    full = analyse(position)
    assert full.status is Status.COMPLETE
    few = analyse(position, Limit(nodes=5000))
    assert few.status is Status.NODES
    assert 0 < few.effort <= 5000
    assert analyse(position, Limit(seconds=1.0), samples=1 << 20).status is Status.TIME
    assert json.dumps(full.to_dict())
    line = full.lines[0]
    assert isinstance(line, PlayLine)
    assert line.covers == tuple((square, position.tops[square]) for _, square in line.move.placements)
    assert line.opens is not None
    assert line.opens.points == line.open_answer


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"n": 0}, "n:"),
        ({"n": 5000}, "n:"),
        ({"n": True}, "n:"),
        ({"objective": "best"}, "objective"),
        ({"objective": None}, "objective"),
        ({"samples": 0}, "samples"),
        ({"samples": 1.5}, "samples"),
        ({"seed": -1}, "seed"),
        ({"seed": "x"}, "seed"),
        ({"limit": 3}, "limit"),
    ],
)
def test_bad_arguments_are_named(options: dict[str, object], named: str) -> None:
    with pytest.raises(SolverError, match=named):
        best_moves(POSITIONS[0], **options)  # type: ignore[arg-type]


def test_solver_arguments() -> None:
    rules = POSITIONS[0].rules
    solver = Solver(rules, memory=1 << 20)
    assert pickle.loads(pickle.dumps(solver)).best_move(POSITIONS[0]) == best_move(POSITIONS[0])
    with pytest.raises(SolverError, match="rules"):
        solver.best_move(Position.parse(f"b2:4H | 1H | 2* | {SMALL}"))
    with pytest.raises(SolverError, match="memory"):
        Solver(rules, memory=3)
    with pytest.raises(SolverError, match="rules"):
        Solver("default")  # type: ignore[arg-type]


def test_records_are_read_only_and_described() -> None:
    plays = play_arrays(POSITIONS[0])
    assert plays.dtype == search.RECORD
    assert not plays.flags.writeable
    first = plays[0]
    assert (first["tiles"][first["placed"] :] == 255).all()
    assert (plays["own"] <= plays["placed"]).all()


def test_kernel_checks_what_it_gets() -> None:
    kernel = search.compiled(Rules(finish=60), "NS")
    empty = b"\xff" * 12
    for arguments in (
        (b"\xff" * 11, b"", b"", 0),
        (empty, bytes(5), b"", 0),
        (empty, b"\x00\x00", b"", 0),
        (empty, b"\x32", b"", 0),
        (b"\x00" + empty[1:], b"\x00", b"", 0),
        (empty, b"", b"", 4),
    ):
        with pytest.raises(ValueError, match=r"tops|rack|mover"):
            kernel.count(*arguments)
    with pytest.raises(ValueError, match="weights"):
        kernel.best(empty, b"", b"", 0, (1, 2), 1)
    with pytest.raises(ValueError, match="wanted"):
        kernel.best(empty, b"", b"", 0, (1, 0, 0, 0, 0), 0)
    with pytest.raises(ValueError, match="limit"):
        kernel.records(empty, b"", b"", 0, 0, 0)
    with pytest.raises(ValueError, match="records"):
        answers(kernel, empty, b"", b"", b"", 0, 1, 1, b"x", 0, 0, 1)
    with pytest.raises(ValueError, match="covered"):
        answers(kernel, empty, b"\x01", b"", b"\x01", 0, 1, 1, b"", 0, 0, 1)
    for squares, links, owners, numbers in (
        (65, b"", bytes(65), 10),
        (2, b"\x00\x02", b"\x04\x04", 10),
        (1, b"", b"\x05", 10),
        (1, b"", b"\x04", 26),
    ):
        with pytest.raises(ValueError, match=r"squares|links|owners|numbers"):
            Plays(squares, links, owners, 5, numbers, 5, False, 0, True, False)


@pytest.mark.parametrize("call", [count_moves, best_move, analyse])
def test_ctrl_c_ends_a_long_search(call: Callable[[Position], object]) -> None:
    squares = ",".join(f"q{i}" for i in range(64))
    links = ",".join(f"q{i}-q{j}" for i in range(64) for j in range(i + 1, 64))
    rules = f"rules=default+board={squares}/{links}+numbers=8+suits=abcdefghijklmnop"
    position = Position.parse(f"- | 1a 1b 1c 1d | 1e 1f 1g 1h | to=S seats=NS scores=0,0 finish=60 {rules}")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call(position)
    timer.join()


def test_a_pawn_that_the_play_brings_home_is_left_out_of_the_turn() -> None:
    text = "a2:4H b3:9D | 4C 1S | 8D 2C | to=S seats=NESW scores=10,20,30,59 finish=60 rules=default+teams=yes"
    position = Position.parse(text)
    lines = {line.move: line for line in best_moves(position, 100, "lookahead", samples=64)}
    home, other = lines[Move.parse("b2=4C")], lines[Move.parse("b2=8D")]
    # W is home by the bonus, so N is next, the partner: his answer counts for the team, and E's side got 1 point.
    assert home.move.bonus == {"W": 1}
    assert home.answer is not None
    assert home.value == pytest.approx(2 - 1 + home.answer.mean)
    assert other.answer is not None
    assert other.value == pytest.approx(2 - other.answer.mean)
    north = after_play(position, home.move, [], [])
    north = Position(north.board, [], north.common, "N", "NESW", [0] * 4, position.rules)
    assert home.open_answer == most_points(north)
