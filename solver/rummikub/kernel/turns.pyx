"""One turn of a whole game, without Python objects: the same best moves as `search`, for tables that keep their sets.

A table is a list of sets, because the rules of jokers ask in which set a joker lies and whether a set lay there before.
A turn is one count problem for the sweep where that is all there is to it. Else:

1. The relaxation (`laying`): every joker of the table may stand for anything. If the table that the sweep finds is
   legal (`freeing`), it is the best. A freed joker that only rounds off a set of before (`joker_destination=new`) is
   put to another set first.
2. The cases (`branching`, each one by `cases`): what every table joker stays as, or that it is freed.
3. What is left (`deciding`): the set in which a freed joker ends is decided in every way, best first.

Openings (`openings`) go over the sets that the rack can make (`melds`). Below all of them: `asking` (the sweep), `room`
and `board`.

Taken are rules with at most 16 numbers and two jokers, without `joker_set_locked`, `jokers_per_set`, `high_one`,
`take_back`, `opening_single_set`, and with `joker_destination` new or any: the rest is for `search`.
"""

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from .board cimport MIN_SET, MOST_JOKERS, MOST_SETS, add_set, bit, bits, canonical, run_mask
from .laying cimport opened_turn
from .lanes cimport LANES
from .openings cimport opening_turn
from .questions cimport TILES, VALUE, WEIGHTS
from .room cimport FACES, FIRST_CASES, FORBIDDEN, MOST_MELDS, UNTIL_STUCK, ZERO, Case, Meld
from .work cimport FOUND, NOTHING, raise_status, work_free, work_new

from ...errors import SolverError, UnsupportedRules, quote


cdef int best_turn(Turner *t, const Board *b, const uint8_t *rack, bint opened, int objective, bint everything,
                   Turn *out) noexcept nogil:
    """The best move of a rack (TILES, VALUE or WEIGHTS: penalty points); `everything`: only one that empties it."""
    cdef uint8_t none[WIDE]
    cdef int status
    if not opened:
        status = opening_turn(t, b, rack, objective, everything, out)
        if status == FOUND:
            canonical(&out.after, t.ways.numbers)
        return status
    memset(none, 0, WIDE)
    status = opened_turn(t, b, none, rack, objective, everything, out)
    if status == FOUND:
        canonical(&out.after, t.ways.numbers)
    return status


OPENING_JOKERS = {"forbidden": FORBIDDEN, "face": FACES, "zero": ZERO}
POOL_ENDS = {"one_more_turn": ONE_MORE_TURN, "until_stuck": UNTIL_STUCK, "forced": FORCED}
MOST_NUMBERS = CELLS // LANES


def why_not(rules):
    """Why the rules are not taken here: the fields and values, "" if they are."""
    asked = {
        "numbers": rules.numbers <= MOST_NUMBERS,
        "jokers": rules.jokers <= MOST_JOKERS,
        "joker_set_locked": not rules.joker_set_locked,
        "jokers_per_set": rules.jokers_per_set == "any",
        "high_one": not rules.high_one,
        "take_back": rules.take_back == "none",
        "joker_destination": rules.joker_destination in ("new", "any"),
        "opening_single_set": not rules.opening_single_set,
    }
    return ", ".join(f"{name}={getattr(rules, name)}" for name, fine in asked.items() if not fine)


cdef class Turning:
    """Owner of the room of one search."""

    def __dealloc__(self):
        work_free(self.t.work)
        free(self.t.melds)
        free(self.t.cases)
        free(self.t.spare)
        free(self.t.trial)


cdef class Turns:
    """Turns under one rule set. Safe to share between threads.

    rules: Rules. names: of the tiles by place in the counts, the joker last. memory: of one search, in bytes.
    Raises UnsupportedRules that names the field (see the head of the module).
    """

    def __init__(self, rules, tuple names not None, int64_t memory):
        cdef str reason = why_not(rules)
        if reason:
            raise UnsupportedRules(f"rules: whole turns in the kernel do not take {reason}")
        self.sweep = Sweep(rules.colors, rules.numbers, names, memory)
        self.tile_names = names
        joker = names[len(names) - 1]
        self.places = {name: at for at, name in enumerate(names) if name != joker}
        self.places[joker] = JOKER_AT
        self.pool = []
        cdef Ways *w = &self.ways
        w.numbers = rules.numbers
        w.colors = rules.colors
        w.copies = rules.copies
        w.jokers = rules.jokers
        w.threshold = rules.opening_threshold
        w.opening_joker = OPENING_JOKERS[rules.opening_joker]
        w.uses_table = rules.opening_uses_table
        w.replace = rules.joker_freeing == "replace"
        w.from_rack = rules.joker_source == "rack"
        w.both = rules.joker_group == "both"
        w.new = rules.joker_destination == "new"
        w.must_play = rules.must_play
        w.draw = rules.draw
        w.joker_penalty = rules.joker_penalty
        w.never_opened = -1 if rules.never_opened_penalty is None else rules.never_opened_penalty
        w.pool_empty = POOL_ENDS[rules.pool_empty]

    cdef Turning borrow(self):
        cdef Turning turning
        cdef int i
        if self.pool:
            return self.pool.pop()
        turning = Turning.__new__(Turning)
        cdef Turner *t = &turning.t
        t.ways = self.ways
        t.cells = self.ways.numbers * LANES
        t.cache = self.sweep.cache
        t.work = work_new(self.sweep.numbers, self.sweep.colors, False, self.sweep.memory)
        t.melds = <Meld *>malloc(MOST_MELDS * sizeof(Meld))
        t.cases = <Case *>malloc(FIRST_CASES * sizeof(Case))
        t.case_room = FIRST_CASES
        t.spare = <Turn *>calloc(1, sizeof(Turn))
        t.trial = <Turn *>calloc(1, sizeof(Turn))
        if t.work == NULL or t.melds == NULL or t.cases == NULL or t.spare == NULL or t.trial == NULL:
            raise MemoryError
        for i in range(t.cells):
            t.penalties[i] = i // LANES + 1
        t.penalties[t.cells] = self.ways.joker_penalty
        return turning

    cdef void give_back(self, Turning turning):
        self.pool.append(turning)

    cdef int read_board(self, table, Board *b) except -1:
        """A table of legal sets in canonical order, within the material."""
        cdef Set s
        cdef int cell, place, first, colour, numbers
        clear_board(b)
        for tiles in table:
            if b.sets >= MOST_SETS - MOST_JOKERS or not MIN_SET <= len(tiles) <= self.ways.numbers:
                raise SolverError(f"table: {quote(tiles)} is no set of a table")
            s.mask = 0
            s.jokers = 0
            s.length = len(tiles)
            s.first = 0
            first = -1
            colour = 0
            numbers = 0
            for place, tile in enumerate(tiles):
                cell = self.places.get(tile, -1)
                if cell < 0:
                    raise SolverError(f"table: {quote(tile)} is no tile of the rules")
                if cell == JOKER_AT:
                    s.jokers += 1
                    continue
                if first < 0:
                    first = place
                    numbers = cell // LANES
                    colour = cell % LANES
                s.mask |= bit(cell)
            if first < 0 or bits(s.mask) + s.jokers != s.length:
                raise SolverError(f"table: {quote(tiles)} is no set of a table")
            # A run as it is written, if its real tiles stand where they would.
            s.run = numbers >= first and numbers - first + s.length <= self.ways.numbers
            if s.run:
                s.first = numbers - first
                s.run = not s.mask & ~run_mask(s.first, s.length, colour)
            if not s.run:
                s.first = numbers
                if s.mask & ~(<uint64_t>0xF << (numbers * LANES)) or s.length > self.ways.colors:
                    raise SolverError(f"table: {quote(tiles)} is no set of a table")
            if b.jokers + s.jokers > self.ways.jokers:
                raise SolverError(f"jokers: more than {self.ways.jokers} on the table")
            add_set(b, &s)
        for cell in range(CELLS):
            if b.counts[cell] > self.ways.copies:
                raise SolverError(f"copies: more than {self.ways.copies} of {self.tile_names[cell]} on the table")
        return 0

    cdef int read_rack(self, tiles, uint8_t *rack) except -1:
        cdef int cell
        memset(rack, 0, WIDE)
        for tile in tiles:
            cell = self.places.get(tile, -1)
            if cell < 0:
                raise SolverError(f"rack: {quote(tile)} is no tile of the rules")
            if rack[cell] == (self.ways.jokers if cell == JOKER_AT else self.ways.copies):
                raise SolverError(f"rack: more than {rack[cell]} of {quote(tile)}")
            rack[cell] += 1
        return 0

    cdef int check_material(self, const Board *b, const uint8_t *rack) except -1:
        """SolverError unless table and rack together are within the material."""
        cdef int cell
        for cell in range(self.ways.numbers * LANES):
            if b.counts[cell] + rack[cell] > self.ways.copies:
                raise SolverError(f"copies: more than {self.ways.copies} of {self.tile_names[cell]}")
        if b.jokers + rack[JOKER_AT] > self.ways.jokers:
            raise SolverError(f"jokers: more than {self.ways.jokers} on table and in rack")
        return 0

    cdef tuple tiles_of(self, const uint8_t *counts):
        """Tile names in canonical order."""
        cdef list out = []
        cdef int colour, number
        for colour in range(self.ways.colors):
            for number in range(self.ways.numbers):
                for _k in range(counts[number * LANES + colour]):
                    out.append(self.tile_names[number * LANES + colour])
        for _k in range(counts[JOKER_AT]):
            out.append(self.tile_names[self.ways.numbers * LANES])
        return tuple(out)

    cdef tuple table_of(self, const Board *b):
        cdef list out = [], tiles
        cdef const Set *s
        cdef int i, cell, place
        joker = self.tile_names[self.ways.numbers * LANES]
        for i in range(b.sets):
            s = &b.set[i]
            tiles = []
            if s.run:
                for place in range(s.first, s.first + s.length):
                    cell = place * LANES + low(s.mask) % LANES
                    tiles.append(self.tile_names[cell] if s.mask & bit(cell) else joker)
            else:
                for cell in range(s.first * LANES, s.first * LANES + LANES):
                    if s.mask & bit(cell):
                        tiles.append(self.tile_names[cell])
                for _k in range(s.jokers):
                    tiles.append(joker)
            out.append(tuple(tiles))
        return tuple(out)

    cdef tuple move_of(self, const Turn *turn):
        return self.tiles_of(turn.laid), self.table_of(&turn.after)

    cdef tuple answered(self, Turning turning, int status, const Turn *turn):
        """What a search found: the move, None for nothing, or its error. The search's room is given back."""
        self.give_back(turning)
        if status == FOUND:
            return self.move_of(turn)
        if status != NOTHING:
            raise_status(turning.t.work, status)
        return None

    def best(self, table, rack, bint opened=True, str objective not None="tiles", *, bint go_out=False):
        """The best move as (tiles laid, sets after it), or None.

        table: legal sets in canonical order; rack: tiles. objective: tiles, value or penalty. go_out: only a move that
        empties the rack. Raises SolverError for bad input, LimitReached where the sets of jokers are too much.
        """
        cdef int code, status
        cdef Turning turning
        cdef Turn turn
        cdef Board b
        cdef uint8_t held[WIDE]
        if objective not in ("tiles", "value", "penalty"):
            raise SolverError(f"objective: {quote(objective)} is none of tiles, value, penalty")
        code = TILES if objective == "tiles" else VALUE if objective == "value" else WEIGHTS
        self.read_board(table, &b)
        self.read_rack(rack, held)
        self.check_material(&b, held)
        turning = self.borrow()
        with nogil:
            status = best_turn(&turning.t, &b, held, opened or self.ways.threshold == 0, code, go_out, &turn)
        return self.answered(turning, status, &turn)

    def smallest_opening(self, table, rack):
        """The opening of the fewest tiles, of those the one worth most, without jokers if there is one; or None."""
        cdef int status
        cdef Turning turning
        cdef Turn turn
        cdef Board b
        cdef uint8_t held[WIDE]
        self.read_board(table, &b)
        self.read_rack(rack, held)
        self.check_material(&b, held)
        turning = self.borrow()
        with nogil:
            status = smallest_opening(&turning.t, &b, held, &turn)
        return self.answered(turning, status, &turn)
