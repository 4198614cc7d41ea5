# kind; weights of a point, of an opponent's and of a partner's bonus point; style; ties in plain order; wins first;
# candidates; terms; lines; deals; plies; prior; spread; what being to move is worth
Policy = tuple[
    int,
    tuple[int, int, int],
    tuple[int, ...],
    bool,
    bool,
    int,
    tuple[float, ...],
    int,
    int,
    int,
    float,
    float,
    float,
]
