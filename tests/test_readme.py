"""README.md: its first two commands, and its Python as doctest; the rest is in test_docs.py."""

from __future__ import annotations

import doctest
from pathlib import Path

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
