from collections.abc import Callable

from .playouts import Moment, Playouts, Policy, Result
from .turns import Found

Plan = tuple[int, int, float, float, Policy, Policy, Policy]
Weighed = tuple[Found | None, int, float, float, float, float]

class Searching(Playouts):
    def search(self, plan: Plan, moment: Moment, key: int) -> Found | None: ...
    def weigh(
        self,
        plan: Plan,
        moment: Moment,
        key: int,
        first: int = 0,
        chosen: list[Found | None] | None = None,
        watch: Callable[[], None] | None = None,
    ) -> list[Weighed]: ...
    def match(self, players: list[Policy | Plan], seed: int, first: int, count: int) -> list[Result]: ...
