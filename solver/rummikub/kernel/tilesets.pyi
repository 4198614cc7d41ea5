from ..rules import Rules

class Workspace: ...

class Reader:
    rules: Rules
    memory: int
    nodes: int
    def __init__(self, rules: Rules, *, memory: int = ..., nodes: int = ...) -> None: ...
