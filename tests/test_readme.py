"""README.md: its first two commands, its Python as doctest, and its shell sessions."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from solver import cli

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")


def test_opens_with_the_two_commands() -> None:
    assert README.startswith("```sh\nmake demo\nmake test\n```\n")


def test_python() -> None:
    examples = doctest.DocTestParser().get_doctest(README, {}, "README.md", "README.md", 0)
    assert examples.examples
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(examples, out=report.append)
    assert not report, "".join(report)


def sessions() -> list[tuple[str, str]]:
    """(Command, output) of every `$` line in the console blocks."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.mark.parametrize(("command", "output"), sessions())
def test_shell(command: str, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = shlex.split(command)
    assert program == "solver"
    cli.main(arguments)
    assert capsys.readouterr().out == output
