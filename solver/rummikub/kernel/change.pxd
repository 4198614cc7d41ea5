"""The state of the search for the least changed table."""

from .prices cimport Original, Prices
from .tilesets cimport MAX_PICKED, MAX_TABLE, Bag, Set, Work, bits, u64


# best: sets in order; worth: of the best arrangement, -1 if none was found.
ctypedef struct Search:
    Work *w
    void *owner             # the Condition of a caller, else NULL
    Original originals[MAX_TABLE]
    Set shapes[MAX_TABLE]   # of keepable originals
    int ranks[MAX_TABLE]    # of originals in the list of sets, -1: too dear, or not to be kept
    long long costs[MAX_TABLE]      # of the tiles of keepable originals
    long long keeping[MAX_TABLE]    # what it costs to keep an original
    int count
    Bag bag
    Prices prices
    u64 open                # originals that may be kept
    u64 sure                # originals that are kept
    u64 first               # nodes of the first search
    u64 patience            # nodes after which the search is in doubt, 0: none
    u64 visits
    long long listed        # price up to which sets are listed
    int wanted              # worth that is asked for as long as there is no best arrangement
    int tried               # it is known that nothing is worth so much
    long long missed        # parts that were left out for it are worth no more
    int level               # originals to be kept
    int worth
    int kept
    int shares
    Set best[MAX_PICKED]
    int best_count
    int picked[MAX_PICKED]
    int picked_count


# What is left of the bag; originals that can still be kept, or must be; how many of these may be lost.
ctypedef struct State:
    Bag bag
    u64 alive
    int losses


cdef inline int common(u64 mask, int jokers, const Original *o) noexcept nogil:
    """Tiles that a set shares with an original."""
    return bits(mask & o.mask) + min(jokers, o.jokers)
