"""The conformance kit: random games of any game, with everything checked that the protocol of solver/games.py promises.

`python -m tests.conformance --games 10000 [GAME ...]` plays that many games of each; `make conformance` does so.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from math import fsum, isclose
from typing import Any

from solver import games, records
from solver.errors import IllegalAction, LimitReached, SolverError
from solver.games import CHANCE, OVER, Game, State
from solver.streams import stream_key, word

LISTED = 24  # actions of a state that are looked at whole; a state may have very many
LOOK = 100  # among how many first actions a random one is drawn
OUTCOMES = 200  # outcomes of a chance node that are looked at one by one
JUNK = ("", " ", "x", "-", "|", "1", "0" * 99, "\0", "é", "draw draw", "take", "R1 | R1", "sum@99", "b2=")
LONGEST = 5_000  # events of one game, beyond which it counts as endless
DEEP = 8  # every DEEPth state is looked at from all sides; the others for what is cheap


class Violation(AssertionError):
    """A promise that a game does not keep."""


@dataclass
class Kit:
    """Plays random games of one game.

    look: among how many first actions a random one is drawn. deep: every how many states one is looked at whole.
    states: seen so far. limited: games that ended because a search met its limit: no answer is no wrong answer.
    """

    game: Game
    rules: str | None = None
    players: int = 2
    options: dict[str, Any] = field(default_factory=dict)
    look: int = LOOK
    deep: int = DEEP
    states: int = 0
    limited: int = 0
    order: dict[Any, int] = field(default_factory=dict)
    stale_action: Any = None
    stale_outcome: Any = None

    def begin(self) -> State:
        """The state before the deal."""
        return games.begin(self.game, self.rules, self.players, self.options)

    def play(self, seed: int, index: int) -> State | None:
        """One random game, None if a limit ended it.

        Half of the games draw outcomes by their probabilities, the others by `sample`.
        """
        key = stream_key(seed, f"conformance:{index}")
        words = (word(key, counter) for counter in count())
        state = self.begin()
        by_sample = index % 2 == 0
        deal: list[str] = []
        turns: list[list[Any]] = []
        for number in range(LONGEST):
            self.states += 1
            whole = number % self.deep == next(words) % self.deep
            try:
                self.check(state, seed, index, next(words), whole)
                if state.to_move == OVER:
                    break
                event = self.event(state, seed, index, by_sample, next(words))
                text = str(event)
                if state.to_move == CHANCE:
                    (turns[-1] if turns else deal).append(text)
                else:
                    turns.append([state.to_move, text])
                state = self.advance(state, event, whole)
            except LimitReached:
                self.limited += 1
                return None
            except (Violation, SolverError) as error:
                raise Violation(f"{self.game.name}: game {index} of seed {seed}, event {number}: {error}") from error
        else:
            raise Violation(f"{self.game.name}: game {index} of seed {seed}: no end after {LONGEST} events")
        record = records.from_dict(
            {
                "game": self.game.name,
                "rules": str(state.rules),
                "options": self.options,
                "players": ["random"] * self.players,
                "seed": seed if by_sample else None,
                "index": index if by_sample else None,
                "deal": deal,
                "turns": turns,
                "returns": list(map(float, state.returns())),
                "winners": list(state.winners()),
            }
        )
        self.need(records.parse(str(record)) == record, "the record's text does not read back as the same record")
        try:
            self.need(records.replay(record, self.game)[-1] == state, "the replay ends in another state")
        except SolverError as error:
            raise Violation(f"{self.game.name}: game {index} of seed {seed}: replay: {error}") from None
        return state

    @staticmethod
    def need(kept: bool, message: str) -> None:
        """Raise Violation unless the promise is kept."""
        if not kept:
            raise Violation(message)

    def event(self, state: State, seed: int, index: int, by_sample: bool, draw: int) -> Any:
        """A random event: one of the first actions, or an outcome."""
        if state.to_move == CHANCE:
            outcomes = state.chance_outcomes()
            if by_sample:
                return state.sample(seed, index)
            point = draw / 2**64
            for outcome, chance in outcomes:
                point -= chance
                if point < 0:
                    return outcome
            return outcomes[-1][0]
        # How far to look is drawn, too, so that later actions are seen and few states are listed whole.
        listed = list(islice(state.legal_actions(), 1 + draw % self.look))
        self.need(bool(listed), "no legal action")
        return listed[(draw >> 32) % len(listed)]

    def check(self, state: State, seed: int, index: int, key: int, whole: bool) -> None:
        """Everything that must hold of one state. whole: also what is dear."""
        need = self.need
        seats = range(state.players)
        need(state.game == self.game.name, f"game is {state.game!r}")
        need(state.players == self.players, f"players is {state.players}")
        need(state.to_move in (*seats, CHANCE, OVER), f"to_move is {state.to_move}")
        if state.to_move == CHANCE:
            self.check_chance(state, seed, index, whole)
        elif state.to_move == OVER:
            self.check_over(state)
        if not whole:
            return
        data = state.to_dict()
        back = type(state).from_dict(data)  # type: ignore[attr-defined]
        need(back == state and hash(back) == hash(state), "from_dict(to_dict()) is another state")
        need(back.to_dict() == data, "to_dict of a restored state differs")
        need(pickle.loads(pickle.dumps(state)) == state, "a pickled state comes back changed")
        self.check_refusals(state)
        if state.to_move in seats:
            self.check_actions(state)
        for seat in seats:
            other = state.reshuffled(seat, key)
            need(type(state).from_dict(other.to_dict()) == other, "a reshuffled state is not restored")  # type: ignore[attr-defined]
            need(state.view(seat) == state.view(seat), f"view({seat}) is not equal to itself")
            need(other.view(seat) == state.view(seat), f"view({seat}) shows what the seat cannot see")
            need(hash(other.view(seat)) == hash(state.view(seat)), f"view({seat}) has another hash")
            need(other.to_move == state.to_move, f"reshuffled({seat}) changes who moves")
            if state.to_move == seat:
                mine, others = (list(islice(one.legal_actions(), self.look)) for one in (state, other))
                need(mine == others, "legal actions depend on hidden things")

    def check_chance(self, state: State, seed: int, index: int, whole: bool) -> None:
        """Outcomes are sorted and distinct, positive, sum to 1, and hold the sample."""
        need = self.need
        outcomes = state.chance_outcomes()
        values = [outcome for outcome, _ in outcomes]
        need(bool(values), "no outcomes")
        need(all(chance > 0 for _, chance in outcomes), "an outcome without chance")
        need(isclose(fsum(chance for _, chance in outcomes), 1, abs_tol=1e-9), "chances do not sum to 1")
        need(len(set(values)) == len(values), "an outcome is listed twice")
        # The first list that holds all of a later one shows the game's order.
        if not all(value in self.order for value in values):
            self.order = {value: place for place, value in enumerate(values)}
        places = [self.order[value] for value in values]
        need(places == sorted(places), "outcomes come in another order than before")
        drawn = state.sample(seed, index)
        need(drawn in values, f"sample {drawn} is no outcome")
        need(state.sample(seed, index) == drawn, "sample is not a function of seed and game")
        for value in values[:OUTCOMES] if whole else [drawn]:
            text = str(value)
            need(len(text.split()) == 1, f"the text of outcome {text!r} is empty or has a blank")
            need(state.read(text) == value, f"outcome {text!r} reads back as {state.read(text)}")

    def check_actions(self, state: State) -> None:
        """Actions are distinct, sorted where the game says so, read back from their texts, and can be applied."""
        need = self.need
        listed = list(islice(state.legal_actions(), LISTED))
        need(listed[: self.look] == list(islice(state.legal_actions(), self.look))[:LISTED], "legal actions change")
        need(len(set(listed)) == len(listed), "an action is listed twice")
        key = getattr(state, "action_key", None)
        need(key is None or listed == sorted(listed, key=key), "legal actions are not sorted")
        for action in listed:
            text = str(action)
            need(text.isprintable() and text == text.strip() and " > " not in text, f"action text {text!r}")
            need(state.read(text) == action, f"action {text!r} reads back as {state.read(text)}")

    def check_refusals(self, state: State) -> None:
        """Events of another state are either legal here, too, or IllegalAction; reading junk is no crash."""
        for event in (self.stale_action, self.stale_outcome):
            if event is not None:
                try:
                    state.apply(event)
                except IllegalAction as error:
                    self.need(bool(str(error)), "an illegal event is refused without a reason")
                except Exception as error:
                    raise Violation(f"event {event} of another state gives {error!r}") from error
        for text in JUNK:
            try:
                state.read(text)
            except SolverError:
                continue
            except Exception as error:
                raise Violation(f"reading {text!r} gives {error!r}") from error

    def check_over(self, state: State) -> None:
        """Returns and winners fit the seats."""
        need = self.need
        returns, winners = state.returns(), state.winners()
        need(len(returns) == state.players, f"returns {returns} of {state.players} seats")
        need(all(abs(value) < records.LARGEST for value in returns), f"returns {returns}")
        need(bool(winners) and winners == tuple(sorted(set(winners))), f"winners {winners}")
        need(set(winners) <= set(range(state.players)), f"winners {winners} of {state.players} seats")

    def advance(self, state: State, event: Any, whole: bool) -> State:
        """The next state; the old one must stay what it was."""
        need = self.need
        if whole:
            if state.to_move == CHANCE:
                self.stale_outcome = event
            else:
                self.stale_action = event
        before = state.to_dict() if whole else None
        code = hash(state)
        try:
            after = state.apply(event, check=True)
        except IllegalAction as error:
            raise Violation(f"a listed event is refused: {error}") from None
        need(hash(state) == code and (before is None or state.to_dict() == before), "apply changes the old state")
        moved = state.to_move != CHANCE
        need(after.turn == state.turn + moved, f"turn goes from {state.turn} to {after.turn}")
        if whole:
            need(state.apply(event, check=False) == after, "apply without check gives another state")
            need(after != state, "apply gives the same state")
        return after


def check_games(
    game: Game,
    number: int,
    seed: int = 1,
    rules: str | None = None,
    players: int = 2,
    options: dict[str, Any] | None = None,
    look: int = LOOK,
    deep: int = DEEP,
) -> int:
    """Play random games; gives the number of states. Raises Violation for the first promise that is not kept."""
    kit = play_games(game, number, seed, rules, players, options, look, deep)
    Kit.need(kit.limited == 0, f"{game.name}: {kit.limited} of {number} games of seed {seed} met a limit")
    return kit.states


def play_games(
    game: Game,
    number: int,
    seed: int = 1,
    rules: str | None = None,
    players: int = 2,
    options: dict[str, Any] | None = None,
    look: int = LOOK,
    deep: int = DEEP,
) -> Kit:
    """Play random games, some of which may end by a limit; the kit tells how many."""
    kit = Kit(game, rules, players, options or {}, look, deep)
    for index in range(number):
        kit.play(seed, index)
    return kit


# What is dear is looked at less often: (look, deep).
EFFORT = {"rummikub": (3, 40), "setup": (24, 16), "trek12": (LOOK, 16)}
# (rules, players, options) among which the games are divided.
VARIANTS: dict[str, list[tuple[str | None, int, dict[str, Any]]]] = {
    "rummikub": [
        (None, 2, {}),
        ("retail", 3, {}),
        ("free", 4, {}),
        ("standard+must_play=yes", 2, {}),
        ("family", 3, {}),
        ("american", 2, {}),
        ("xp160", 6, {}),
    ],
    "setup": [
        ("default+finish=60", 2, {}),
        ("default+finish=60", 3, {}),
        ("default+finish=60", 4, {}),
        ("default+finish=60+teams=yes", 4, {}),
        ("default+finish=30+links=with_corners+run_order=block", 2, {"seats": "NE"}),
        ("default+finish=30+on_opponents=allowed+scoring=per_set+absent_squares=filled", 3, {}),
    ],
    "trek12": [
        (None, 2, {}),
        (None, 1, {"sheet": "kagkot"}),
        ("optional", 3, {"sheet": "dhaulagiri"}),
        ("free", 2, {}),
        ("mandatory+bad_circle=forced_only", 2, {"sheet": "expedition"}),
        ("amazonia+observations=boa:1,frog:3,jaguar:6", 4, {}),
    ],
}


def main(arguments: Sequence[str] | None = None) -> int:
    """The long run from the shell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="*", metavar="GAME")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    status = 0
    for name in options.game or games.NAMES:
        variants = VARIANTS[name]
        each = -(-options.games // len(variants))
        for rules, players, others in variants:
            title = " ".join(map(str, [name, rules or "default", players, "players", *([others] if others else [])]))
            start = time.perf_counter()
            try:
                kit = play_games(games.load(name), each, options.seed, rules, players, others, *EFFORT.get(name, ()))
            except Violation as violation:
                print(f"VIOLATION {violation} ({title})", flush=True)
                status = 1
                continue
            seconds = time.perf_counter() - start
            limited = f", {kit.limited} games ended by a limit" if kit.limited else ""
            print(f"{title}: {each} games, {kit.states} states, no violation{limited}, {seconds:.0f} s", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
