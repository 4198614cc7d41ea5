"""What the package promises as a package: typing marker, who imports whom, metadata."""

from __future__ import annotations

import ast
import runpy
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from mypy import api as mypy

import solver

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "solver"
GAMES = ("rummikub", "setup", "trek12")

# The rooms of the house from the ground up. A module may import from lower ones only; rooms that are not named here
# are where they are by what they import.
SHARED = ("errors", "limits", "plain", "results", "streams", "batches", "rules_text", "games")
ROOMS = ("rules", "position", "verify", "reference", "kernel", "search", "render", "game", "players", "")
TOP = ("records", "review", "match", "cli_match", "cli_answers", "cli_games", "cli", "__main__")

# Independent checks: (room, what it must not reach).
INDEPENDENT = (
    ("verify", ("search", "kernel", "reference")),
    ("reference", ("search", "kernel", "verify")),
)
RUN_TIME = {"numpy"}
SHELL_ONLY = {"rich"}


def modules() -> dict[str, Path]:
    """Dotted name -> file of every module of the package that is Python."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(name: str, path: Path) -> Iterator[str]:
    """Dotted names that a module imports at run time, lazily or not; those for type checkers only are left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                # `from . import x` imports the module x; `from .y import name` imports y.
                inside = f"{base}.{alias.name}"
                yield inside if inside in MODULES or is_compiled(inside) else base


def is_compiled(name: str) -> bool:
    """Whether the module is a kernel's source."""
    return (ROOT / (name.replace(".", "/") + ".pyx")).exists()


MODULES = modules()
IMPORTS = {name: sorted(set(imported(name, path))) for name, path in MODULES.items()}


def room(name: str) -> tuple[str, str]:
    """(Game or "", room) of a module of the package; the room of a game's package itself is ""."""
    parts = name.split(".")[1:]
    if parts and parts[0] in GAMES:
        return parts[0], parts[1] if len(parts) > 1 else ""
    return "", parts[0] if parts else ""


def level(name: str) -> int | None:
    """Height of a module in the house, None for rooms that it does not name."""
    game, inside = room(name)
    if name == "solver":
        return 0
    if game:
        return len(SHARED) + ROOMS.index(inside) if inside in ROOMS else None
    if inside in SHARED:
        return SHARED.index(inside)
    return len(SHARED) + len(ROOMS) + TOP.index(inside) if inside in TOP else None


def reached(name: str) -> set[str]:
    """Modules of the package that a module imports, through whatever else they import."""
    found: set[str] = set()
    new = [name]
    while new:
        for other in IMPORTS.get(new.pop(), ()):
            if other.split(".")[0] == "solver" and other not in found:
                found.add(other)
                new.append(other)
    return found


def test_typing_marker_and_version() -> None:
    assert (PACKAGE / "py.typed").exists()
    assert solver.__version__.count(".") == 2


def test_project_metadata_is_consistent() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "solver.__version__"}
    needs = {need.split(">")[0] for need in project["project"]["dependencies"]}
    assert needs == RUN_TIME | SHELL_ONLY


@pytest.mark.parametrize("name", MODULES)
def test_imports_run_downwards(name: str) -> None:
    own = level(name)
    for other in reached(name):
        height = level(other)
        if own is not None and height is not None:
            same_room = room(name) == room(other)
            assert height < own or same_room, f"{name} reaches up to {other}"


@pytest.mark.parametrize("name", MODULES)
def test_imports_have_no_circles(name: str) -> None:
    assert name not in reached(name)


@pytest.mark.parametrize("name", MODULES)
def test_games_do_not_know_each_other(name: str) -> None:
    game, _ = room(name)
    if game:
        others = {room(other)[0] for other in reached(name)} - {"", game}
        assert not others, f"{name} reaches {others}"


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("inside", "forbidden"), INDEPENDENT)
def test_checks_are_independent(game: str, inside: str, forbidden: tuple[str, ...]) -> None:
    for other in reached(f"solver.{game}.{inside}"):
        assert room(other)[1] not in forbidden, f"{game}.{inside} reaches {other}"


@pytest.mark.parametrize("name", MODULES)
def test_compiled_code_has_one_door(name: str) -> None:
    for other in IMPORTS[name]:
        game, inside = room(other)
        if inside == "kernel" and room(name) != (game, "kernel"):
            assert other == f"solver.{game}.kernel", f"{name} imports {other}"


@pytest.mark.parametrize("name", MODULES)
def test_only_declared_packages_are_imported(name: str) -> None:
    allowed = {"solver", *RUN_TIME, *(SHELL_ONLY if name.startswith("solver.cli") else ())}
    for other in IMPORTS[name]:
        top = other.split(".")[0]
        assert top in allowed or top in sys.stdlib_module_names, f"{name} imports {other}"


def test_every_kernel_has_types() -> None:
    for source in PACKAGE.glob("*/kernel/*.pyx"):
        assert source.with_suffix(".pyi").exists(), f"{source.name} has no .pyi"


def test_a_users_script_is_typed_and_runs(capsys: pytest.CaptureFixture[str]) -> None:
    script = ROOT / "tests" / "user_script.py"
    out, err, status = mypy.run(["--strict", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache'}", str(script)])
    assert (status, err) == (0, ""), out
    runpy.run_path(str(script), run_name="__main__")
    assert "True - | - | unopened" in capsys.readouterr().out
