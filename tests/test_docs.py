"""Documents: their Python runs, typed where it is annotated, their commands can be read, their links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from argparse import Namespace
from importlib.util import find_spec
from pathlib import Path

import pytest
from mypy import api as mypy

from solver import cli, games

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")])
NAMES = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
# What stands for something else: FILE, A, `...`, best|moves. Not looked for in the third word, which may be a position.
PLACEHOLDER = re.compile(r"\b[A-Z]+\b|\.\.\.|\w\|\w")
NAMED_ONLY = 2  # words of a command that is only named, as `solver match rummikub`


def scripts() -> list[tuple[str, str]]:
    """(Place, code) of every Python block that is no doctest."""
    found = []
    for name, text in NAMES.items():
        for number, code in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL), 1):
            if not code.startswith(">>>"):
                found.append((f"{name} block {number}", code))
    return found


def commands() -> list[tuple[str, str]]:
    """(Page, command) of every command that stands in a page, in a block or between ticks."""
    found = []
    for name, text in NAMES.items():
        blocks = "\n".join(re.findall(r"```(?:sh|console)\n(.*?)```", text, re.DOTALL))
        blocks += "\n".join(re.findall(r"^    (.*)$", text, re.MULTILINE))
        lines = [line.removeprefix("$ ").strip() for line in blocks.splitlines()]
        for command in (*lines, *re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)):
            if re.match(r"(solver|python|make) ", command) and (name, command) not in found:
                found.append((name, command))
    return found


@pytest.mark.parametrize(("place", "code"), scripts(), ids=[place for place, _ in scripts()])
def test_python(place: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    path.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), place


def test_own_players_are_typed(tmp_path: Path) -> None:
    checked = [code for place, code in scripts() if place.startswith("docs/matches.md") and "Action" in code]
    assert len(checked) == len(games.NAMES)
    paths = []
    for number, code in enumerate(checked):
        code += f"\n\nfrom solver.games import Player\n\nmine: Player = {re.findall('class (.*):', code)[0]}()\n"
        paths.append(tmp_path / f"example{number}.py")
        paths[-1].write_text(code, encoding="utf-8")
    cache = f"--cache-dir={ROOT / '.mypy_cache'}"
    out, err, status = mypy.run(["--strict", "--config-file=", cache, *map(str, paths)])
    assert (status, err) == (0, ""), out


def sessions() -> list[tuple[str, str, str]]:
    """(Page, command, output) of every `$` line in the console blocks of the documents."""
    found = []
    for name, text in NAMES.items():
        for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((name, command, output))
    return found


@pytest.mark.parametrize(("page", "command", "output"), sessions())
def test_shell(page: str, command: str, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = shlex.split(command)
    assert program == "solver"
    cli.main(arguments)
    assert capsys.readouterr().out == output, page


@pytest.mark.parametrize(("page", "command"), commands())
def test_commands_can_be_read(page: str, command: str) -> None:
    program, *arguments = shlex.split(command.removesuffix("\\"), comments=True)
    if program == "make":
        targets = re.findall(r"^([a-z][a-z0-9 -]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert arguments[0] in " ".join(targets).split()
    elif program == "python" and arguments[0] == "-m":
        assert find_spec(arguments[1])
    elif program == "python":
        assert (ROOT / arguments[0]).exists()
    elif len(arguments) > NAMED_ONLY and not PLACEHOLDER.search(" ".join(arguments[:2] + arguments[3:])):
        options = cli.read(arguments)
        if options.game == "match":
            _check_match(options, arguments[1])


def _check_match(options: Namespace, name: str) -> None:
    game = games.load(name)
    given = dict(option.split("=", 1) for option in options.option)
    state = games.begin(game, options.rules, max(len(options.players), 1), given)
    assert state.players == len(options.players)
    assert all(game.player(text).name for text in options.players)
    assert options.games % len(options.players) == 0


def test_links_lead_somewhere() -> None:
    links = 0
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                file, _, heading = target.partition("#")
                found = page.parent / file if file else page
                assert found.exists(), f"{page.name}: {target}"
                if heading:
                    headings = re.findall(r"^#+ (.*)$", found.read_text(encoding="utf-8"), re.MULTILINE)
                    anchors = {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}
                    assert heading in anchors, f"{page.name}: {target}"
                links += 1
    assert links
