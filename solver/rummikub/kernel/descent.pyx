"""The search from the root down, row by row: a dive that follows the bound, and A*."""

from libc.stdint cimport int32_t, uint8_t

from .building cimport build
from .frontier cimport hash_reset, hash_slot, heap_pop, heap_push, offer, push_node, state_key
from .options cimport joker_gain, options_of
from .work cimport FOUND, NOTHING, OUT_OF_MEMORY, Node, Option, Work, poll

cdef enum:
    MOST_COMPARED = 256  # expanded nodes of its row that a node is compared with


cdef int expand(Work *w, int32_t from_, int32_t limit, bint dive) noexcept nogil:
    """All children of a node with a key up to `limit`, onto the heap; in a dive only the best, as a node.

    Returns FOUND, NOTHING (dive: no child within the limit) or OUT_OF_MEMORY.
    """
    cdef Node parent = w.nodes[from_]
    cdef Node child
    cdef Node best
    cdef int v = parent.row, status = NOTHING, width = w.lane_width
    cdef int32_t *f0
    cdef int32_t *f1
    cdef int32_t *f2
    cdef int32_t *f3
    cdef int32_t b0, b1, b2, b3, m3, m23, m123, bound, key, cost, gain
    cdef int q0, q1, q2, q3, i0, i1, i2, i3, i
    cdef uint8_t *g
    cdef Option *o0
    cdef Option *o1
    cdef Option *o2
    cdef Option *o3
    cdef Option *options
    w.expanded += 1
    f0 = options_of(w, v, 0, parent.state[0])
    f1 = options_of(w, v, 1, parent.state[1])
    f2 = options_of(w, v, 2, parent.state[2])
    f3 = options_of(w, v, 3, parent.state[3])
    if f0 == NULL or f1 == NULL or f2 == NULL or f3 == NULL:
        return OUT_OF_MEMORY
    gain = joker_gain(w, v)
    options = w.options
    child.parent = from_
    child.row = v + 1
    for i in range(w.live_count[v]):
        g = w.live[v][i].x.tiles
        b0 = parent.bound + w.live[v][i].residual
        m3 = f3[g[3]]
        m23 = f2[g[2]] + m3
        m123 = f1[g[1]] + m23
        if b0 + f0[g[0]] + m123 > limit:
            continue
        q0 = parent.jokers + w.live[v][i].x.jokers
        if q0 > w.jokers:
            continue
        child.live = i
        for i0 in range(f0[width + g[0]], f0[width + g[0] + 1]):
            o0 = &options[i0]
            b1 = b0 + o0.reduced
            if b1 + m123 > limit:
                break
            q1 = q0 + o0.jokers
            if q1 > w.jokers:
                continue
            for i1 in range(f1[width + g[1]], f1[width + g[1] + 1]):
                o1 = &options[i1]
                b2 = b1 + o1.reduced
                if b2 + m23 > limit:
                    break
                q2 = q1 + o1.jokers
                if q2 > w.jokers:
                    continue
                for i2 in range(f2[width + g[2]], f2[width + g[2] + 1]):
                    o2 = &options[i2]
                    b3 = b2 + o2.reduced
                    if b3 + m3 > limit:
                        break
                    q3 = q2 + o2.jokers
                    if q3 > w.jokers:
                        continue
                    for i3 in range(f3[width + g[3]], f3[width + g[3] + 1]):
                        o3 = &options[i3]
                        bound = b3 + o3.reduced
                        if bound > limit:
                            break
                        if q3 + o3.jokers > w.jokers:
                            continue
                        cost = (parent.cost + o0.cost + o1.cost + o2.cost + o3.cost
                                - gain * w.live[v][i].x.jokers)
                        key = bound if bound > parent.key else parent.key
                        if not w.explicit and cost > key:
                            key = cost
                        if key > limit:
                            continue
                        child.key = key
                        child.bound = bound
                        child.cost = cost
                        child.jokers = q3 + o3.jokers
                        child.state[0] = o0.to
                        child.state[1] = o1.to
                        child.state[2] = o2.to
                        child.state[3] = o3.to
                        child.option[0] = i0
                        child.option[1] = i1
                        child.option[2] = i2
                        child.option[3] = i3
                        if dive:
                            best = child
                            status = FOUND
                            limit = key - 1
                            if limit < parent.key:
                                return FOUND if push_node(w, &best) else OUT_OF_MEMORY
                        elif not offer(w, &child):
                            return OUT_OF_MEMORY
    if dive and status == FOUND:
        return FOUND if push_node(w, &best) else OUT_OF_MEMORY
    return FOUND if not dive else NOTHING


cdef int dive(Work *w, int32_t limit) noexcept nogil:
    """One descent from the root; keeps a better end as the best. FOUND, NOTHING or an OUT_OF status."""
    cdef int32_t at = 0
    cdef int status
    w.node_count = 1
    while w.nodes[at].row < w.numbers:
        status = expand(w, at, limit, True)
        if status != FOUND:
            return status
        at = w.node_count - 1
    if w.nodes[at].jokers < w.jokers_forced and w.explicit:
        return NOTHING
    if w.nodes[at].cost < w.best_cost:
        w.best_cost = w.nodes[at].cost
        w.best_node = at
        build(w)
    return FOUND


cdef bint beaten(Work *w, int32_t at) noexcept nogil:
    """Whether an expanded node of the same row is at least as good in everything; else the node joins them."""
    cdef Node *node = &w.nodes[at]
    cdef Node *other
    cdef int32_t i = w.latest[node.row]
    cdef int looked = 0, n = w.tables.states
    cdef uint8_t *beats = w.tables.beats
    if w.explicit:
        return False  # there fewer jokers used are no gain
    while i >= 0 and looked < MOST_COMPARED:
        other = &w.nodes[i]
        if (other.cost <= node.cost and other.jokers <= node.jokers
                and beats[other.state[0] * n + node.state[0]] and beats[other.state[1] * n + node.state[1]]
                and beats[other.state[2] * n + node.state[2]] and beats[other.state[3] * n + node.state[3]]):
            return True
        i = other.before
        looked += 1
    node.before = w.latest[node.row]
    w.latest[node.row] = at
    return False


cdef int best_first(Work *w, int32_t limit) noexcept nogil:
    """A* from the root among keys up to `limit`; what it finds is kept, and is the best there is."""
    cdef int32_t at, i
    cdef int status
    w.node_count = 1
    w.heap_count = 0
    if not hash_reset(w):
        return OUT_OF_MEMORY
    for i in range(w.numbers):
        w.latest[i] = -1
    heap_push(w, w.nodes[0].key, 0, 0)
    while w.heap_count:
        at = heap_pop(w)
        if w.nodes[at].key > limit:
            return FOUND
        if w.nodes[at].row == w.numbers:
            if not w.explicit or w.nodes[at].jokers >= w.jokers_forced:
                if w.nodes[at].cost < w.best_cost:
                    w.best_cost = w.nodes[at].cost
                    w.best_node = at
                    limit = min(limit, w.best_cost - w.grain)
                    build(w)
            continue
        if at:
            i = hash_slot(w, state_key(&w.nodes[at]))
            if w.hash_cost[i] < w.nodes[at].cost or beaten(w, at):
                continue
        status = expand(w, at, limit, False)
        if status == FOUND:
            status = poll(w)
        if status != FOUND:
            return status
    return FOUND
