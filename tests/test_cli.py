"""The shell: forms of output, exit status, files with bad lines. Processes are started where the process matters."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from solver import __version__, cli
from solver.rummikub import Position

ROOT = Path(__file__).resolve().parents[1]
PUZZLE = "- | R1 R1 B1 K1 O1 O1 | rules=free"
PUZZLE_MOVE = "R1 R1 B1 K1 O1 O1 | R1 B1 O1, R1 K1 O1"
NOTHING = "B5 B6 B7 B8 | R5 | rules=free"
# The joker can be used again under `free` only (Goliath's XP sheet, fourth example of jokers).
JOKER = "K1 K2 J, R1 B1 O1, R2 B2 O2 | R9 B9"


class Call:
    """Runs the shell in this process and keeps what it wrote."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        try:
            status = cli.main(["rummikub", *arguments])
        except SystemExit as leaving:  # argparse
            status = int(leaving.code or 0)
        written = self._capsys.readouterr()
        return status, written.out, written.err


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return Call(capsys)


def started(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "solver.cli", "rummikub", *arguments],
        cwd=ROOT,
        capture_output=True,
        timeout=60,
        check=False,
        **options,
    )


def test_best(call: Call) -> None:
    status, out, err = call("best", PUZZLE)
    assert (status, err) == (0, "")
    assert out.splitlines() == [PUZZLE_MOVE]


def test_an_empty_table_is_no_option(call: Call) -> None:
    assert call("best", PUZZLE.replace(" ", "\t", 1).replace("-\t|", "-|"))[0] == 0


def test_best_says_none(call: Call) -> None:
    assert call("best", NOTHING) == (1, "none\n", "")


def test_best_as_json(call: Call) -> None:
    status, out, _ = call("best", PUZZLE, "--json")
    answer = json.loads(out)
    assert status == 0
    assert answer.pop("ms") >= 0
    assert answer == {
        "line": 1,
        "position": PUZZLE,
        "objective": "tiles",
        "move": {
            "tiles": ["R1", "R1", "B1", "K1", "O1", "O1"],
            "table": [["R1", "B1", "O1"], ["R1", "K1", "O1"]],
            "value": 6,
            "taken": [],
        },
        "value": 6,
        "exact": True,
    }


def test_none_as_json(call: Call) -> None:
    status, out, _ = call("best", NOTHING, "--json")
    answer = json.loads(out)
    assert status == 1
    assert (answer["move"], answer["value"], answer["exact"]) == (None, None, True)


def test_objectives(call: Call) -> None:
    position = "- | R1 R2 R3 R4 K4 O4 | rules=free"
    assert json.loads(call("best", position, "--json", "--objective", "value")[1])["value"] == 18
    assert json.loads(call("best", position, "--json", "--objective", "tiles")[1])["value"] == 6
    assert call("best", position, "--objective", "go_out")[0] == 0
    assert call("best", "- | R1 R2 R3 R5 | rules=free", "--objective", "go_out") == (1, "none\n", "")
    assert call("best", position, "--objective", "beauty")[0] == 2


def test_rules_are_for_positions_without_their_own(call: Call) -> None:
    assert call("best", JOKER)[0] == 1
    assert call("best", JOKER, "--rules", "free")[0] == 0
    assert call("best", f"{JOKER} | rules=standard", "--rules", "free")[0] == 1
    _, out, _ = call("render", "- | R1 | unopened", "--rules", "retail", "--json")
    assert json.loads(out)["position"] == "- | R1 | unopened rules=retail"


@pytest.mark.parametrize(
    ("rules", "named"), [("nothing", "nothing"), ("free+copies=9", "copies"), ("free+color=2", "color"), ("", "rules")]
)
def test_bad_rules(call: Call, rules: str, named: str) -> None:
    status, out, err = call("best", PUZZLE, f"--rules={rules}")
    assert (status, out) == (2, "")
    assert named in err
    status, out, err = call("best", PUZZLE, f"--rules={rules}", "--json")
    assert (status, err) == (2, "")
    assert named in json.loads(out)["error"]


def test_moves(call: Call) -> None:
    status, out, _ = call("moves", PUZZLE, "-n", "3")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0
    assert len(rows) == 3
    assert rows[0] == ["6", PUZZLE_MOVE]
    assert [int(value) for value, _ in rows] == sorted((int(value) for value, _ in rows), reverse=True)
    answers = json.loads(call("moves", PUZZLE, "-n", "3", "--json")[1])["moves"]
    assert [answer["value"] for answer in answers] == [int(value) for value, _ in rows]
    assert call("moves", NOTHING) == (1, "none\n", "")


def test_an_analysis_without_time_is_no_none(call: Call) -> None:
    hard = "R1-13, B1-13, K1-13, O1-13 | R1 R3 R5 R7 R9 R11 R13 B1 B3 B5 B7 B9 J J | rules=free"
    status, out, err = call("analyse", hard, "--seconds", "1e-9")
    assert (status, out) == (2, "")
    assert err == "error: time: the limit came before there was anything to say\n"


@pytest.mark.parametrize("number", ["0", "-1", "x", ""])
def test_moves_wants_a_positive_number(call: Call, number: str) -> None:
    status, _, errors = call("moves", PUZZLE, f"-n={number}")
    assert status == 2
    assert f"argument -n: must be a positive whole number, not '{number}'" in errors


def test_verify(call: Call) -> None:
    assert call("verify", PUZZLE, PUZZLE_MOVE) == (0, "legal\n", "")
    status, out, _ = call("verify", PUZZLE, "R1 B1 | R1 B1")
    assert status == 1
    assert out
    answer = json.loads(call("verify", PUZZLE, "R1 B1 | R1 B1", "--json")[1])
    assert answer["legal"] is False
    assert "".join(f"{problem}\n" for problem in answer["problems"]) == out


def test_the_answer_of_best_is_read_by_verify(call: Call) -> None:
    move = call("best", PUZZLE)[1].strip()
    assert call("verify", PUZZLE, move)[0] == 0
    assert call("verify", PUZZLE.replace(" ", "\t"), move.replace(" ", "\t"))[0] == 0


def test_verify_a_file(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "moves"
    path.write_text(f"{PUZZLE}\t{PUZZLE_MOVE}\n{PUZZLE}\n{PUZZLE}\tR1 | R1\n", encoding="utf-8")
    status, out, err = call("verify", "--file", str(path))
    assert status == 2
    assert out.splitlines()[0] == "1\tlegal"
    assert {line.split("\t")[0] for line in out.splitlines()} == {"1", "3"}
    assert err.startswith("line 2: ")


def test_render(call: Call) -> None:
    status, out, _ = call("render", PUZZLE)
    assert status == 0
    assert "│R1│R1│" in out
    assert "R1*" in call("render", PUZZLE, "--move", PUZZLE_MOVE)[1]
    assert call("render", PUZZLE, "--svg")[1].startswith("<svg")
    answer = json.loads(call("render", PUZZLE, "--svg", "--move", PUZZLE_MOVE, "--json")[1])
    assert answer["svg"].startswith("<svg")
    assert answer["problems"] == []


def test_render_draws_what_is_not_legal_and_says_so(call: Call) -> None:
    status, out, _ = call("render", "R1 R2 | R9")
    assert status == 1
    assert "│R1│R2│" in out
    assert "not legal: " in out
    assert "not legal: " in call("render", PUZZLE, "--move", "R9 | R9")[1]


BAD = ["", "R1", "R1 R2 R3", "X9 | R1", "R0 | R1", "- | R1 | nonsense", "- | R1 R1 R1 | rules=free", "R1 R2 | R3"]


@pytest.mark.parametrize("text", BAD)
def test_bad_positions(call: Call, text: str) -> None:
    status, out, err = call("best", text)
    assert (status, out) == (2, "")
    assert err.startswith("error: ")
    assert len(err.splitlines()) == 1
    status, out, err = call("best", text, "--json")
    assert (status, err) == (2, "")
    assert json.loads(out).keys() == {"line", "error"}


def test_a_bad_line_does_not_stop_the_others(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "positions"
    lines = ["# a comment", "", PUZZLE, "R1 R2 | R3", "   ", NOTHING, "nonsense \udcff", PUZZLE]
    path.write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
    status, out, err = call("best", "--file", str(path))
    assert status == 2
    assert out.splitlines() == [f"3\t{PUZZLE_MOVE}", "6\tnone", f"8\t{PUZZLE_MOVE}"]
    assert [line.split(":")[0] for line in err.splitlines()] == ["line 4", "line 7"]
    status, out, err = call("best", "--file", str(path), "--json")
    assert (status, err) == (2, "")
    answers = [json.loads(line) for line in out.splitlines()]
    assert [(answer["line"], "error" in answer) for answer in answers] == [
        (3, False),
        (4, True),
        (6, False),
        (7, True),
        (8, False),
    ]


def test_pictures_of_a_file_have_headings(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "positions"
    path.write_text(f"{PUZZLE}\n{NOTHING}\n", encoding="utf-8")
    out = call("render", "--file", str(path))[1]
    assert [line for line in out.splitlines() if line.startswith("line")] == ["line 1", "line 2"]


def test_exit_status_of_a_file_is_the_greatest(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "positions"
    for lines, expected in (([PUZZLE], 0), ([NOTHING, PUZZLE], 1), (["x", NOTHING, PUZZLE], 2)):
        path.write_text("\n".join(lines), encoding="utf-8")
        assert call("best", "--file", str(path))[0] == expected


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "\r\n", "\ufeff"])
def test_a_file_without_positions_is_bad_input(call: Call, tmp_path: Path, text: str) -> None:
    path = tmp_path / "positions"
    path.write_text(text, encoding="utf-8")
    for command in ("best", "moves", "analyse", "legal_moves", "count_moves", "verify", "render"):
        message = f"file: {path} holds no position"
        assert call(command, "--file", str(path)) == (2, "", f"error: {message}\n")
        status, out, err = call(command, "--file", str(path), "--json")
        assert (status, err) == (2, "")
        assert json.loads(out) == {"line": None, "error": message}
    done = started("best", "--file", "-", input=text.encode())
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"error: file: standard input holds no position\n"


def test_lines_may_end_as_on_any_system(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "positions"
    for end in ("\n", "\r\n", "\r"):
        path.write_bytes(f"# two{end}{PUZZLE}{end}{end}{NOTHING}{end}".encode())
        assert call("best", "--file", str(path)) == (1, f"2\t{PUZZLE_MOVE}\n4\tnone\n", "")
        path.write_bytes(f"{PUZZLE}\t{PUZZLE_MOVE}{end}".encode())
        assert call("verify", "--file", str(path)) == (0, "1\tlegal\n", "")
        assert started("verify", "--file", "-", input=path.read_bytes()).stdout == b"1\tlegal\n"


def test_any_locale(tmp_path: Path) -> None:
    path = tmp_path / "p\u00f6sitions"
    path.write_text(f"{PUZZLE}\n", encoding="utf-8")
    for names in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
        env = {**os.environ, **names}
        done = started("best", "--file", str(path), env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode() == f"1\t{PUZZLE_MOVE}\n"
        done = started("render", PUZZLE, env=env)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"R1" in done.stdout
        done = started("best", "\u041a5 | \udcff", env=env)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"error: position: ")
        assert started("best", "--file", str(tmp_path / "\udcff"), env=env).returncode == 2


def test_a_line_without_end_is_cut(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "positions"
    path.write_text("R1 " * cli.MAX_LINE + "\n" + PUZZLE + "\n", encoding="utf-8")
    status, out, err = call("best", "--file", str(path))
    assert status == 2
    assert out == f"2\t{PUZZLE_MOVE}\n"
    assert err.startswith("line 1: ")
    assert len(err) < 500


def test_standard_input(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PUZZLE}\r\n{NOTHING}"))
    assert call("best", "--file", "-")[1].splitlines() == [f"1\t{PUZZLE_MOVE}", "2\tnone"]
    done = started("best", "--file", "-", input=b"\xef\xbb\xbf" + PUZZLE.encode() + b"\n\xff\xfe\n")
    assert done.stdout.decode().splitlines() == [f"1\t{PUZZLE_MOVE}"]
    assert done.returncode == 2


def test_no_such_file(call: Call, tmp_path: Path) -> None:
    for name in (str(tmp_path / "absent"), str(tmp_path)):
        status, out, err = call("best", "--file", name)
        assert (status, out) == (2, "")
        assert name in err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("best",),
        ("best", PUZZLE, "--file", "x"),
        ("verify", PUZZLE),
        ("verify", PUZZLE, PUZZLE_MOVE, "--file", "x"),
        ("conquer", PUZZLE),
    ],
)
def test_wrong_use(call: Call, arguments: tuple[str, ...]) -> None:
    status, out, err = call(*arguments)
    assert (status, out) == (2, "")
    assert "usage:" in err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["rumikub", "best", PUZZLE], "rummikub"),
        (["rummikub", "bset", PUZZLE], "best"),
        (["rummikub", "count-moves", PUZZLE], "count_moves"),
        (["rummikub", "best", PUZZLE, "--objective", "tile"], "tiles"),
        (["match", "trek", "net", "net"], "trek12"),
        (["plyers", "setup"], "players"),
        (["rummikub", "best", PUZZLE, "--ruls", "free"], "--rules"),
        (["match", "setup", "easy", "easy", "--recrods=x"], "--records"),
        (["trek12", "best_sheet", "dunai", "--widht", "5"], "--width"),
    ],
)
def test_a_wrong_word_gets_the_one_that_was_meant(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(arguments)
    assert left.value.code == 2
    assert capsys.readouterr().err.endswith(f"; did you mean {meant}?\n")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"solver {__version__}\n"


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    commands = [[game.name, one.name] for game in cli.GAMES for one in (*cli.COMMANDS, *game.commands)]
    for words in ([], *([game.name] for game in cli.GAMES), ["match"], ["players"], ["replay"], *commands):
        with pytest.raises(SystemExit) as left:
            cli.main([*words, "--help"])
        assert left.value.code == 0
        assert capsys.readouterr().out.startswith(" ".join(["usage: solver", *words]))
    for name, names in ((game.name, [one.name for one in (*cli.COMMANDS, *game.commands)]) for game in cli.GAMES):
        assert len(set(names)) == len(names), name


def test_help_needs_no_game() -> None:
    code = "import sys; from solver import cli\ntry: cli.main(['--help'])\nexcept SystemExit: pass\n"
    code += "sys.exit(any(name.startswith('solver.rummikub') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False).returncode == 0


def test_piped_output_is_plain_and_the_same_every_time() -> None:
    wide = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": "20"}
    for arguments in (("best", PUZZLE), ("moves", PUZZLE), ("render", PUZZLE), ("verify", PUZZLE, PUZZLE_MOVE)):
        first = started(*arguments).stdout
        assert b"\x1b" not in first
        assert started(*arguments, env=wide).stdout == first


class Terminal(io.StringIO):
    """What a terminal says of itself."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("arguments", [("best", PUZZLE), ("moves", PUZZLE), ("render", PUZZLE)])
def test_a_terminal_gets_colors(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert cli.main(["rummikub", *arguments]) == 0
    assert re.search(r"\x1b\[[0-9;]*31[0-9;]*mR1", sys.stdout.getvalue())  # type: ignore[attr-defined]


def test_a_terminal_without_rich_gets_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rich.console", None)
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert cli.main(["rummikub", "best", PUZZLE]) == 0
    assert sys.stdout.getvalue() == f"{PUZZLE_MOVE}\n"  # type: ignore[attr-defined]


def test_without_box_characters() -> None:
    done = started("render", PUZZLE, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert b"R1" in done.stdout


def test_a_reader_that_leaves() -> None:
    command = [sys.executable, "-m", "solver.cli", "rummikub", "render", "--file", "-"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(f"{PUZZLE}\n".encode() * 100)
        process.stdin.close()
        assert process.wait(60) == cli.READER_GONE
        assert process.stderr.read() == b""


def test_a_reader_that_wants_no_more() -> None:
    command = [sys.executable, "-m", "solver", "rummikub", "arrangements", "R1-13 R1-13 B1-13 B1-13 K1-13 K1-13"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == cli.READER_GONE
        assert process.stderr.read() == b""


def test_output_that_cannot_be_written() -> None:
    """One clear error, whatever the answer's form."""
    for options in ([], ["--json"]):
        command = [sys.executable, "-m", "solver", "rummikub", "best", PUZZLE, *options]
        with open("/dev/full", "wb") as full:
            done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith(b"error: output: ")
        assert done.stderr.count(b"\n") == 1


def test_output_that_is_closed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert cli.main(["rummikub", "best", PUZZLE]) == 2
    assert capsys.readouterr().err == "error: output: standard output is closed\n"


def test_ctrl_c() -> None:
    command = [sys.executable, "-m", "solver.cli", "rummikub", "best", "--file", "-"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(f"{PUZZLE}\n".encode())
        process.stdin.flush()
        assert process.stdout.readline()  # it has started, and now waits for the next line
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == cli.INTERRUPTED
        assert process.stderr.read() == b""


def test_games_are_entries() -> None:
    for game in cli.GAMES:
        assert game.api.Position
        assert game.pictures.render_text
        assert game.objectives == game.api.OBJECTIVES
        example = game.position_form.split("'")[1]
        assert not game.api.Position.parse(example).problems()
        move = game.move_form.split("'")[1]
        assert game.api.verify(game.api.Position.parse(example), game.api.Move.parse(move)) == []


def test_plain_text_is_canonical(call: Call) -> None:
    answer = json.loads(call("best", "-  |  o1 y1 r1 b1 K1 R1|rules=free", "--json")[1])
    assert answer["position"] == str(Position.parse(PUZZLE))


def test_python_runs_the_shell() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "solver", "rummikub", "best", "R4-8, K4 B4 O4 | R6 R4 B9"],
        cwd=Path(__file__).resolve().parents[1],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "R4 R6 | R4 R5 R6, R4 B4 K4 O4, R6 R7 R8\n")


def test_usage_errors_are_json_where_json_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for given in (["rummikub", "best", "--json"], ["rummikub", "best", "--json", "--objective", "foo", "R4-8 | R3"]):
        with pytest.raises(SystemExit) as left:
            cli.main(given)
        assert left.value.code == 2
        said = json.loads(capsys.readouterr().err)
        assert said["line"] is None
        assert said["error"]
