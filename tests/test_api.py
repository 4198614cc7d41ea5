"""The same names, arguments, results and errors in all games: what stands in solver/<game>/__init__.py."""

from __future__ import annotations

import inspect
import json
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import solver
from solver import games, rummikub, setup, trek12
from solver.errors import IllegalPosition, LimitReached, SolverError
from solver.limits import Limit, Status
from solver.results import Analysis, Line

GAMES: dict[str, Any] = {"rummikub": rummikub, "setup": setup, "trek12": trek12}
POSITIONS = {
    "rummikub": "R4 R5 R6 R7 R8, B4 K4 O4 | R4 R6 B9",
    "setup": "b2:4H c2:7D/9S | 5H 1S 2S 3S | 7* 8* 9* 10* | to=S seats=NS scores=0,0 finish=60",
    "trek12": "graph:4:0-1,1-2,2-3 | 4 5 . . | 3 3 4 4 4 | 0-1 | 2,5",
}
OTHER_RULES = {
    "rummikub": f"{POSITIONS['rummikub']} | rules=free",
    "setup": POSITIONS["setup"].replace("60", "50"),
    "trek12": f"{POSITIONS['trek12']} | rules=optional",
}
ILLEGAL = {
    "rummikub": "R1 R2 | R5",
    "setup": "b2:4H b2:5H | 4H | - | to=N seats=NS scores=0,0 finish=60",
    "trek12": "graph:4:0-1,1-2,2-3 | 4 . . 5 | 3 3 4 4 4 | - | 2,5",
}
COMMON = {
    "LEVELS",
    "OBJECTIVES",
    "PLAYERS",
    "PRESETS",
    "Action",
    "Move",
    "Outcome",
    "Player",
    "Position",
    "Rules",
    "Solver",
    "State",
    "View",
    "analyse",
    "best_move",
    "best_moves",
    "count_moves",
    "legal_moves",
    "player",
    "solve_batch",
    "start",
    "verify",
}
# The arguments that every game has, in their order; those behind the star are given by name, each game has more.
ARGUMENTS = {
    "best_move": ("position", "objective", "*", "limit"),
    "best_moves": ("position", "n=5", "objective", "*", "limit"),
    "legal_moves": ("position",),
    "count_moves": ("position",),
    "analyse": ("position", "limit", "lines=3", "objective", "*", "seed=0", "cancel=None"),
    "solve_batch": ("positions", "executor", "objective", "*", "limit", "workers"),
    "verify": ("position", "move"),
}
EVERY = pytest.mark.parametrize("name", GAMES)
SEARCHES: dict[str, Callable[[Any, Any], Any]] = {
    "best_move": lambda api, position: api.best_move(position),
    "best_moves": lambda api, position: api.best_moves(position),
    "legal_moves": lambda api, position: next(api.legal_moves(position)),
    "count_moves": lambda api, position: api.count_moves(position),
    "analyse": lambda api, position: api.analyse(position),
    "solve_batch": lambda api, position: api.solve_batch([position]),
}


def parsed(name: str, texts: dict[str, str] = POSITIONS) -> Any:
    return GAMES[name].Position.parse(texts[name])


def parameters(function: Any) -> list[inspect.Parameter]:
    return [one for one in inspect.signature(function).parameters.values() if one.name != "self"]


@EVERY
def test_names(name: str) -> None:
    api = GAMES[name]
    assert set(api.__all__) >= COMMON
    assert sorted(api.__all__) == sorted(set(api.__all__))
    assert all(hasattr(api, one) for one in api.__all__)
    assert all(one in api.__doc__ for one in COMMON)
    for one in api.__all__:
        thing = getattr(api, one)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, one


@EVERY
@pytest.mark.parametrize("call", ARGUMENTS)
def test_arguments(name: str, call: str) -> None:
    api = GAMES[name]
    function, method = parameters(getattr(api, call)), parameters(getattr(api.Solver, call))
    assert [str(one) for one in function] == [str(one) for one in method]
    expected = ARGUMENTS[call]
    star = expected.index("*") if "*" in expected else len(expected)
    positional = [one for one in function if one.kind is one.POSITIONAL_OR_KEYWORD]
    assert [one.name for one in positional] == [one.split("=")[0] for one in expected[:star]]
    by_name = {one.name: one for one in function if one.kind is one.KEYWORD_ONLY}
    assert set(expected[star + 1 :]) <= {*by_name, *(f"{one.name}={one.default}" for one in by_name.values())}
    for one in expected:
        wanted, _, default = one.partition("=")
        if default:
            assert str(inspect.signature(getattr(api, call)).parameters[wanted].default) == default
    objective = inspect.signature(getattr(api, call)).parameters.get("objective")
    assert objective is None or objective.default in api.OBJECTIVES


@EVERY
def test_results(name: str) -> None:
    api, position = GAMES[name], parsed(name)
    move = api.best_move(position)
    assert isinstance(move, api.Move)
    lines = api.best_moves(position, 2)
    assert all(isinstance(line, Line) and isinstance(line.move, api.Move) for line in lines)
    assert lines[0].move == move
    moves = list(api.legal_moves(position))
    assert move in moves
    assert len(moves) == len(set(moves)) == api.count_moves(position)
    analysis = api.analyse(position, Limit(seconds=60), 2)
    assert isinstance(analysis, Analysis)
    assert analysis.status is Status.COMPLETE
    assert len(analysis.lines) == 2
    assert api.verify(position, move) == []
    solver = api.Solver(position.rules)
    assert solver.best_move(position) == move
    assert solver.best_moves(position, 2) == lines
    assert solver.verify(position, move) == []
    assert pickle.loads(pickle.dumps(solver)).best_move(position) == move
    assert (solver.rules, type(solver.memory)) == (position.rules, int)


@pytest.mark.parametrize(
    ("name", "text", "limit", "status"),
    [
        ("rummikub", POSITIONS["rummikub"], Limit(nodes=1), Status.NODES),
        ("setup", POSITIONS["setup"], Limit(nodes=1), Status.NODES),
        ("rummikub", POSITIONS["rummikub"], Limit(seconds=1e-9), Status.TIME),
        ("setup", POSITIONS["setup"], Limit(seconds=1e-9), Status.TIME),
        (
            "trek12",
            "dunai | . . . . . . . . . . . . . . . . . . . | 4 4 4 4 4 | - | -",
            Limit(seconds=1e-9),
            Status.TIME,
        ),
    ],
)
def test_an_analysis_that_is_cut_off_says_so(name: str, text: str, limit: Limit, status: Status) -> None:
    api = GAMES[name]
    found = api.analyse(api.Position.parse(text), limit)
    assert isinstance(found, Analysis)
    assert found.status is status


class Asked:
    """A cancel that says True at the question of a number, and counts how often it was asked."""

    def __init__(self, at: int | None) -> None:
        self.at = at
        self.times = 0

    def __call__(self) -> bool:
        self.times += 1
        assert self.at is None or self.times <= self.at, "asked again after it had said True"
        return self.times == self.at


# What is asked of each game: positions that keep it busy for some questions, with an objective.
BUSY = [
    ("rummikub", POSITIONS["rummikub"], {}),
    ("rummikub", POSITIONS["rummikub"], {"objective": "go_out"}),
    ("rummikub", POSITIONS["rummikub"], {"objective": "win"}),
    ("rummikub", "R1-6, R3 B3 K3, B4-8, K9-13, O5 O6 O7 | R4 R6 R9 B9 K9 O9 B1 J", {"lines": 30}),
    ("rummikub", "R1-6, R3 B3 K3, B4-8, K9-13, O5 O6 O7 | R4 R6 R9 B9 O9 B1 J | rules=american", {"lines": 30}),
    ("rummikub", "- | R9-12 B9-12 K9-12 O1 J | unopened", {"objective": "value"}),
    *(("setup", POSITIONS["setup"], {"objective": objective}) for objective in setup.OBJECTIVES),
    ("trek12", POSITIONS["trek12"], {}),
    ("trek12", POSITIONS["trek12"], {"objective": "reach", "target": 12}),
    ("trek12", POSITIONS["trek12"].replace("2,5", "-"), {}),
    ("trek12", "graph:9:0-1,1-2,2-3,3-4,4-5,5-6,6-7,7-8 | . . . . . . . . . | 4 4 4 4 4 | - | 2,5", {"samples": 20}),
]


@pytest.mark.parametrize(("name", "text", "options"), BUSY)
def test_cancel(name: str, text: str, options: dict[str, Any]) -> None:
    api = GAMES[name]
    position = api.Position.parse(text)
    whole = api.analyse(position, **options)
    never = Asked(None)
    found = api.analyse(position, cancel=never, **options)
    assert never.times
    assert found.status is Status.COMPLETE
    assert found.lines == whole.lines
    asked = never.times
    for at in sorted({1, 2, 3, asked // 2, asked - 1, asked} - {0, -1}):
        if at > asked:
            continue
        cancel = Asked(at)
        for one in (api, api.Solver(position.rules)):
            cancel.times = 0
            found = one.analyse(position, cancel=cancel, **options)
            assert found.status is Status.CANCELLED
            assert cancel.times == at
            assert len(found.lines) <= len(whole.lines)
            for line in found.lines:
                assert line.move is None or api.verify(position, line.move) == []
            if name == "rummikub" and options.get("objective") != "win":  # what was found was proven
                assert [line.value for line in found.lines] == [line.value for line in whole.lines[: len(found.lines)]]
    assert never.times == asked
    assert api.analyse(position, cancel=Asked(None), **options).lines == whole.lines


@pytest.mark.parametrize(("name", "text", "options"), BUSY)
def test_errors_of_a_cancel_come_through(name: str, text: str, options: dict[str, Any]) -> None:
    api, times = GAMES[name], 0
    position = api.Position.parse(text)
    for error in (OSError("odd"), KeyboardInterrupt(), LimitReached("seconds: mine"), LimitReached("cancel: mine")):
        for at in (1, 2, 3):
            times = 0

            def cancel(at: int = at, error: BaseException = error) -> bool:
                nonlocal times
                times += 1
                if times == at:
                    raise error
                return False

            caught = raised(lambda cancel=cancel: api.analyse(position, cancel=cancel, **options))
            assert caught is (error if times >= at else None)
            assert times <= at


def raised(call: Callable[[], object]) -> BaseException | None:
    try:
        call()
    except BaseException as error:
        return error
    return None


@pytest.mark.parametrize(("name", "text", "options"), BUSY)
def test_a_cancel_that_searches_itself(name: str, text: str, options: dict[str, Any]) -> None:
    api = GAMES[name]
    position = api.Position.parse(text)
    own = parsed(name) if str(parsed(name).rules) == str(position.rules) else position
    solver, lines = api.Solver(position.rules), api.analyse(position, **options).lines

    def cancel() -> bool:
        return solver.best_move(own, limit=Limit(nodes=10**6)) is parsed

    caught = raised(lambda: solver.analyse(position, cancel=cancel, **options))
    assert str(caught) == ("cancel: must not search with the Solver that asks it" if name == "trek12" else "None")
    assert solver.analyse(position, **options).lines == lines


@EVERY
def test_cancel_takes_a_function(name: str) -> None:
    api, position = GAMES[name], parsed(name)
    for one in (api, api.Solver(position.rules)):
        for odd in (5, "stop", True, [1]):
            assert refused(one.analyse, position, cancel=odd).startswith("cancel: must be a function, not ")
        with pytest.raises(TypeError, match="argument"):
            one.analyse(position, cancel=lambda much: much)


@EVERY
def test_plain_data(name: str) -> None:
    api, position = GAMES[name], parsed(name)
    for value in (position, position.rules, api.best_move(position)):
        assert type(value).from_dict(json.loads(json.dumps(value.to_dict()))) == value
        assert pickle.loads(pickle.dumps(value)) == value
    for line in api.best_moves(position, 2):
        data = json.loads(json.dumps(line.to_dict()))
        assert list(data)[:5] == ["move", "value", "exact", "tied", "only"]
        assert api.Move.from_dict(data["move"]) == line.move
    data = json.loads(json.dumps(api.analyse(position, lines=2).to_dict()))
    assert set(data) >= {"lines", "status", "effort", "seed"}
    assert [api.Move.from_dict(line["move"]) for line in data["lines"]]


@EVERY
def test_batches(name: str) -> None:
    api = GAMES[name]
    positions = [parsed(name), parsed(name, OTHER_RULES)] * 2
    each = [api.best_move(position) for position in positions]
    assert api.solve_batch(iter(positions)) == each
    assert api.solve_batch(positions, workers=2, limit=Limit(seconds=60)) == each
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(1, get_context("spawn")) as processes:
        assert api.solve_batch(positions, threads) == each
        assert api.solve_batch(positions, processes) == each
    assert api.solve_batch([]) == []
    solver = api.Solver(positions[0].rules)
    assert solver.solve_batch(positions[::2], workers=1) == each[::2]
    with pytest.raises(SolverError, match=r"^positions\[1\]: rules: "):
        solver.solve_batch(positions)


def refused(call: Callable[..., object], *given: object, **named: object) -> str:
    with pytest.raises(SolverError) as caught:
        call(*given, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@EVERY
@pytest.mark.parametrize("call", SEARCHES)
def test_what_is_no_legal_position(name: str, call: str) -> None:
    api = GAMES[name]
    search = SEARCHES[call]
    place = "positions[0]: " if call == "solve_batch" else ""
    position, bad = parsed(name), parsed(name, ILLEGAL)
    assert bad.problems()
    for one in (api, api.Solver(position.rules)):
        for odd in (None, 5, str(position), position.to_dict(), object):
            assert refused(search, one, odd).startswith(f"{place}position: must be a Position, not ")
    for one in (api, api.Solver(bad.rules)):
        with pytest.raises(IllegalPosition) as caught:
            search(one, bad)
        assert list(caught.value.problems) == [place + problem for problem in bad.problems()]
    other = parsed(name, OTHER_RULES)
    assert refused(search, api.Solver(position.rules), other).startswith(f"{place}rules: ")


@EVERY
def test_arguments_that_make_no_sense(name: str) -> None:
    api, position = GAMES[name], parsed(name)
    for one in (api, api.Solver(position.rules)):
        objectives = f"objective: must be one of {', '.join(api.OBJECTIVES)}"
        analysed = objectives + {"rummikub": ", win"}.get(name, "")
        for odd in ("luck", None, 5, ["tiles"], ""):
            assert refused(one.best_move, position, odd).startswith(f"{objectives}, not ")
            assert refused(one.best_moves, position, 2, odd).startswith(f"{objectives}, not ")
            assert refused(one.analyse, position, None, 2, odd).startswith(f"{analysed}, not ")
            assert refused(one.solve_batch, [position], None, odd).startswith(f"{objectives}, not ")
        for odd in (5, "1", {"seconds": 1}):
            for call in (one.best_move, one.best_moves, one.analyse):
                assert refused(call, position, limit=odd).startswith("limit: must be a Limit, not ")
            assert "limit: must be a Limit, not " in refused(one.solve_batch, [position], limit=odd)
        for odd in (0, -1, None, "2", 1.5, True):
            assert refused(one.best_moves, position, odd).startswith("n: must be ")
            assert refused(one.analyse, position, lines=odd).startswith("lines: must be ")
        for odd in (0, -1, "2", 1.5, True):
            assert refused(one.solve_batch, [position], workers=odd).startswith("workers: must be ")
        for odd in (-1, None, "2", 1.5, True, 2**70):
            assert refused(one.analyse, position, seed=odd).startswith("seed: must be ")
        for odd in (5, None, "R1", b"R1"):
            assert refused(one.solve_batch, odd).startswith("positions: must be positions, not ")
        assert refused(one.solve_batch, [position], "threads").startswith("executor: must be a concurrent.futures.")
    for odd in ("free", 5, object):
        assert refused(api.Solver, odd).startswith("rules: must be Rules, not ")
    for odd in (-1, "1", 1.5, True, None):
        assert refused(api.Solver, position.rules, odd).startswith("memory: must be ")


@EVERY
def test_verify(name: str) -> None:
    api, position, bad = GAMES[name], parsed(name), parsed(name, ILLEGAL)
    move = api.best_move(position)
    for one in (api, api.Solver(position.rules)):
        for odd in (None, 5, "x"):
            assert refused(one.verify, odd, move).startswith("position: must be a Position, not ")
            assert one.verify(position, odd)  # a problem
        with pytest.raises(IllegalPosition) as caught:
            one.verify(bad, move)
        assert list(caught.value.problems) == bad.problems()


@EVERY
def test_limits_of_counts(name: str) -> None:
    api, position = GAMES[name], parsed(name)
    if "limit" not in inspect.signature(api.count_moves).parameters:
        assert name == "trek12"  # a roll has a hundred moves
        return
    count = api.count_moves(position)
    for one in (api, api.Solver(position.rules)):
        assert one.count_moves(position, limit=Limit(seconds=60, nodes=10**6)) == count
        assert refused(one.count_moves, position, limit=5).startswith("limit: must be a Limit, not ")


@pytest.mark.parametrize(
    "text",
    [
        "R1-13, B1-13, K1-13, O1-13 | R1-13 B3-12 K5-9 O2-8 J J",
        "R1-13, B1-13, K1-13, O1-13 | R1-13 B3-12 K5-9 O2-8 J J | rules=xp160",
        "R1-3, B4 K4 J | R4 R6 B9 K9 O9 | rules=american",
        "- | R9-12 B9-12 K9-12 O1 J | unopened",
        "R4-8, B4 K4 O4 | R4 R6 B9 J | rules=family",
    ],
)
def test_a_count_of_moves_ends_with_its_limit(text: str) -> None:
    position = rummikub.Position.parse(text)
    for limit, word in ((Limit(nodes=1), "nodes: "), (Limit(seconds=1e-9), "seconds: ")):
        assert refused(rummikub.count_moves, position, limit=limit).startswith(word)


@pytest.mark.parametrize(
    ("tiles", "rules"),
    [
        ("R1-6 B1-6 K1-6", "standard"),
        ("R1-13 R1-13 B1-13 B1-13 K1-13 K1-13 O1-13 O1-13 J", "standard"),
        ("R1-13 R1-13 B1-13 B1-13 K1-13", "american"),
    ],
)
def test_a_count_of_arrangements_ends_with_its_limit(tiles: str, rules: str) -> None:
    known = rummikub.Rules.parse(rules)
    for limit, word in ((Limit(nodes=2), "nodes: "), (Limit(seconds=1e-9), "seconds: ")):
        assert refused(rummikub.count_arrangements, tiles, known, limit=limit).startswith(word)
    assert refused(rummikub.count_arrangements, tiles, known, limit=5).startswith("limit: must be a Limit, not ")
    few = "R1-3 B1-3 K1-3"
    assert rummikub.count_arrangements(few, known, limit=Limit(seconds=60, nodes=10**6)) == 2
    assert rummikub.count_arrangements(few, known) == 2


ODD: tuple[Any, ...] = (5, "x", b"x", 1.5, True, [[]], {}, object(), [5], -1, 2**70, float("nan"))
# Those of them that an argument may be.
FINE: dict[str, tuple[Any, ...]] = {
    "rummikub arrangements": ([[]], {}),
    "rummikub repair": ([[]], {}),
    "rummikub replay steps": ({},),
    "rummikub weights": ({},),
    "rummikub win opponents": ([5],),
}


def single_arguments() -> dict[str, Callable[[Any], Any]]:
    """Calls of what only one game has, and of whole games, with one argument left open."""
    rack, numbers, trek = parsed("rummikub"), parsed("setup"), parsed("trek12")
    moves = {name: GAMES[name].best_move(parsed(name)) for name in GAMES}
    few = Limit(nodes=100)
    calls: dict[str, Callable[[Any], Any]] = {
        "rummikub draws position": lambda odd: rummikub.draws(odd),
        "rummikub draws objective": lambda odd: rummikub.draws(rack, odd),
        "rummikub draws solver": lambda odd: rummikub.draws(rack, solver=odd),
        "rummikub steps_for position": lambda odd: rummikub.steps_for(odd, moves["rummikub"]),
        "rummikub steps_for move": lambda odd: rummikub.steps_for(rack, odd),
        "rummikub steps_for limit": lambda odd: rummikub.steps_for(rack, moves["rummikub"], odd),
        "rummikub replay position": lambda odd: rummikub.replay(odd, moves["rummikub"].steps),
        "rummikub replay steps": lambda odd: rummikub.replay(rack, odd),
        "rummikub arrangements": lambda odd: list(rummikub.arrangements(odd)),
        "rummikub arrangements rules": lambda odd: list(rummikub.arrangements("R1-3", odd)),
        "rummikub repair": lambda odd: rummikub.repair(odd),
        "rummikub hands rules": lambda odd: rummikub.count_winning_hands(odd, max_tiles=3),
        "rummikub weights": lambda odd: rummikub.best_move(rack, weights=odd),
        **{
            f"rummikub win {name}": lambda odd, name=name: rummikub.analyse(  # type: ignore[misc]
                rack, few, objective="win", **{name: odd}
            )
            for name in ("opponents", "opened", "playing", "other")
        },
        "setup score position": lambda odd: setup.score(odd, moves["setup"]),
        "setup score move": lambda odd: setup.score(numbers, odd),
        "setup play_arrays": lambda odd: setup.play_arrays(odd),
        "trek12 score": lambda odd: trek12.score(odd),
        "trek12 best_layout": lambda odd: trek12.best_layout(odd),
        "trek12 verify_score": lambda odd: trek12.verify_score(odd, 5),
        "trek12 best_sheet": lambda odd: trek12.best_sheet(odd, width=2),
        "trek12 best_sheet order": lambda odd: trek12.best_sheet("dunai", order=odd, width=2),
        "trek12 best_sheet rules": lambda odd: trek12.best_sheet("dunai", rules=odd, width=2),
        "trek12 best_sheet limit": lambda odd: trek12.best_sheet("dunai", limit=odd, width=2),
        "trek12 judge position": lambda odd: trek12.judge(odd, moves["trek12"]),
        "trek12 judge move": lambda odd: trek12.judge(trek, odd),
        "trek12 value": lambda odd: trek12.value(odd),
    }
    for name, api in GAMES.items():
        state = api.start(parsed(name).rules, 2)
        later = state.apply(state.sample(1, 0))
        calls |= {
            f"{name} {what}": call
            for what, call in {
                "start": api.start,
                "player": api.player,
                "apply": state.apply,
                "read": state.read,
                "State.from_dict": api.State.from_dict,
                "Position.parse": api.Position.parse,
                "Position.from_dict": api.Position.from_dict,
                "Move.parse": api.Move.parse,
                "Move.from_dict": api.Move.from_dict,
            }.items()
        }
        calls[f"{name} view"] = lambda odd, later=later: later.view(odd + 2 if odd == 1 else odd)  # type: ignore[misc]
        calls[f"{name} reshuffled"] = lambda odd, later=later: later.reshuffled(odd, 1)  # type: ignore[misc]
    return calls


CALLS = single_arguments()


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_of_another_kind(name: str) -> None:
    fine = list(map(repr, FINE.get(name, ())))
    for odd in ODD:
        if repr(odd) not in fine:
            refused(CALLS[name], odd)


@EVERY
def test_whole_games(name: str) -> None:
    api = GAMES[name]
    state = api.start(parsed(name).rules, 2)
    assert isinstance(state, api.State)
    assert isinstance(state.view(0), api.View)
    assert api.start(str(parsed(name).rules), players=2) == state
    mine = [api.player(text) for text in api.LEVELS.values()][:2]
    for now, event in games.steps(state, mine, 1, 0):
        if now.to_move >= 0:
            view: Any = now.view(now.to_move)
            assert isinstance(view.position, api.Position)
            assert isinstance(event, api.Action)
            assert (view.seat, view.turn, view.to_move, view.rules) == (now.to_move, now.turn, now.to_move, now.rules)
            assert view.position == now.position  # type: ignore[attr-defined]
        elif now.to_move == games.CHANCE:
            assert isinstance(event, api.Outcome)


def test_the_package_tells_what_is_in_it() -> None:
    assert solver.__doc__
    for name in (*GAMES, "games", "match", "records", "results", "limits", "errors", "streams"):
        assert f"solver.{name}" in solver.__doc__
    assert LimitReached.__doc__
