"""The open nodes of the search: a heap, and a table of the states reached with what they cost."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from .work cimport FIRST_HASH, Node, Work, grow

cdef enum:
    INDEX_BITS = 25  # of a node in a heap entry
    ROW_BITS = 7


cdef int32_t hash_slot(Work *w, uint64_t key) noexcept nogil:
    cdef uint64_t h = key * <uint64_t>0x9E3779B97F4A7C15  # 2^64 / golden ratio: spreads neighbouring keys
    cdef int32_t i = <int32_t>(h >> 33) & (w.hash_size - 1)
    while w.hash_key[i] != 0 and w.hash_key[i] != key:
        i = (i + 1) & (w.hash_size - 1)
    return i


cdef bint hash_reset(Work *w) noexcept nogil:
    """An empty table of the first size; False when memory is out."""
    if w.hash_size > FIRST_HASH:
        if not grow(w, <void **>&w.hash_key, w.hash_size * sizeof(uint64_t), FIRST_HASH * sizeof(uint64_t)):
            return False
        if not grow(w, <void **>&w.hash_cost, w.hash_size * sizeof(int32_t), FIRST_HASH * sizeof(int32_t)):
            return False
        w.hash_size = FIRST_HASH
    w.hash_count = 0
    memset(w.hash_key, 0, w.hash_size * sizeof(uint64_t))
    return True


cdef bint hash_double(Work *w) noexcept nogil:
    cdef int32_t old = w.hash_size, i, k
    cdef uint64_t *keys = w.hash_key
    cdef int32_t *costs = w.hash_cost
    if w.memory + <int64_t>old * 12 > w.memory_limit:
        return False
    w.hash_key = <uint64_t *>calloc(2 * old, sizeof(uint64_t))
    w.hash_cost = <int32_t *>malloc(2 * old * sizeof(int32_t))
    if w.hash_key == NULL or w.hash_cost == NULL:
        free(w.hash_key)
        free(w.hash_cost)
        w.hash_key = keys
        w.hash_cost = costs
        return False
    w.hash_size = 2 * old
    w.memory += <int64_t>old * 12
    for i in range(old):
        if keys[i]:
            k = hash_slot(w, keys[i])
            w.hash_key[k] = keys[i]
            w.hash_cost[k] = costs[i]
    free(keys)
    free(costs)
    return True


cdef bint push_node(Work *w, Node *node) noexcept nogil:
    cdef int32_t room
    if w.node_count == w.node_room:
        room = 2 * w.node_room
        if not grow(w, <void **>&w.nodes, w.node_room * sizeof(Node), room * sizeof(Node)):
            return False
        w.node_room = room
    w.nodes[w.node_count] = node[0]
    w.node_count += 1
    return True


cdef bint offer(Work *w, Node *node) noexcept nogil:
    """Push a node on the heap unless the same state was reached as cheaply; False when memory is out."""
    cdef uint64_t key = state_key(node)
    cdef int32_t i
    cdef int q
    cdef int32_t room
    if not w.explicit:
        # Fewer jokers used are at least as good as more.
        for q in range(1, node.jokers + 1):
            i = hash_slot(w, key - q)
            if w.hash_key[i] != 0 and w.hash_cost[i] <= node.cost:
                return True
    i = hash_slot(w, key)
    if w.hash_key[i] != 0:
        if w.hash_cost[i] <= node.cost:
            return True
    else:
        w.hash_key[i] = key
        w.hash_count += 1
    w.hash_cost[i] = node.cost
    if 2 * w.hash_count > w.hash_size and not hash_double(w):
        return False
    if w.node_count >= (1 << INDEX_BITS) - 1 or not push_node(w, node):
        return False
    if w.heap_count == w.heap_room:
        room = 2 * w.heap_room
        if not grow(w, <void **>&w.heap, w.heap_room * 8, room * <size_t>8):
            return False
        w.heap_room = room
    heap_push(w, node.key, node.row, w.node_count - 1)
    return True


cdef void heap_push(Work *w, int32_t key, int row, int32_t index) noexcept nogil:
    """Least key first, then the deeper row, then the newer node."""
    cdef int64_t entry = <int64_t>key * (<int64_t>1 << (ROW_BITS + INDEX_BITS))
    cdef int32_t i = w.heap_count, up
    entry += (<int64_t>((1 << ROW_BITS) - 1 - row) << INDEX_BITS) + ((1 << INDEX_BITS) - 1 - index)
    w.heap_count += 1
    while i > 0:
        up = (i - 1) >> 1
        if w.heap[up] <= entry:
            break
        w.heap[i] = w.heap[up]
        i = up
    w.heap[i] = entry


cdef int32_t heap_pop(Work *w) noexcept nogil:
    cdef int64_t top = w.heap[0], last
    cdef int32_t i = 0, down, n
    w.heap_count -= 1
    n = w.heap_count
    last = w.heap[n]
    while True:
        down = 2 * i + 1
        if down >= n:
            break
        if down + 1 < n and w.heap[down + 1] < w.heap[down]:
            down += 1
        if w.heap[down] >= last:
            break
        w.heap[i] = w.heap[down]
        i = down
    w.heap[i] = last
    return (1 << INDEX_BITS) - 1 - <int32_t>(top & ((1 << INDEX_BITS) - 1))
