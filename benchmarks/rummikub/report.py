"""The results as tables for people, with the goals and whether they are met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.rummikub.sections import API, KERNEL, NAIVE

MICRO = 1000.0  # nanoseconds
# The goals, as README.md states them.
API_RATIOS = {"small": 200.0, "medium": 150.0, "large": 1000.0, "stress": 200.0}
KERNEL_RATIO = 250.0
INSTANCE_LIMIT, CEILING_LIMIT, NO_MOVE_LIMIT = 1_000_000, 5_000_000, 10_000  # nanoseconds
BATCH_SPEEDUP = 1.6
WRONG_SHOWN = 5  # wrong answers of each contestant that are printed in full; JSON has all
BUSY = 1.5  # load above which somebody else was at work
TITLES = {KERNEL: "solver, kernel alone", API: "solver, Python API", NAIVE: "naive search (reference)"}


def render(report: Mapping[str, Any]) -> str:
    """The whole report. Sections that were not measured are left out."""
    lines = [f"seed {report['seed']}, Python {report['python']}, {report['machine']}, {report['plan']['clock']} clock"]
    if (report["load"] or 0.0) > BUSY:
        lines += [
            f"THE MACHINE WAS BUSY (load {report['load']:.1f}): long calls were interrupted more often.",
            "Ratios by the wall clock then flatter the quick solver, and maxima say nothing; --clock cpu is fair.",
        ]
    lines += [""]
    if "strata" in report:
        lines += ["Best move, one call, one thread, microseconds. Ratios: medians over the positions met by all."]
        lines += _contest(report["strata"])
    if "naive" in report:
        lines += ["Naive search against the kernel on small rule sets, objective tiles, microseconds."]
        lines += _contest(report["naive"])
    if "files" in report:
        lines += ["Positions with known answers, Python API, microseconds."]
        lines += _table(
            ("file", "objective", "positions", "median", "p90", "max", "max of best"),
            [(row["file"], row["objective"], str(row["count"]), *_times(row)) for row in report["files"]],
        )
    if "ceiling" in report:
        lines += ["The slowest of many generated positions, Python API, microseconds."]
        lines += _table(
            ("stratum", "objective", "positions", "median", "p90", "max", "max of best"),
            [(row["stratum"], row["objective"], str(row["count"]), *_times(row)) for row in report["ceiling"]],
        )
    if "files" in report or "ceiling" in report:
        lines += [
            "max: the first pass. max of best: each position by its best pass, which leaves out other programs.",
            "",
        ]
    if "batch" in report:
        row = report["batch"]
        one, two = row["one_worker"] / 1e6, row["two_workers"] / 1e6
        lines += [
            f"solve_batch on {row['positions']} positions of {row['stratum']}: "
            f"1 worker {one:.1f} ms, 2 workers {two:.1f} ms, {row['speedup']:.2f}x"
            + ("" if row["same_answers"] else ", DIFFERENT ANSWERS"),
            "",
        ]
    lines += _wrong(report["wrong"]["checked"], report["wrong"]["found"])
    if rows := list(goals(report)):
        lines += ["Goals"]
        lines += _table(("figure", "goal", "measured", "met"), rows)
    return "\n".join(lines)


def goals(report: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Figure, goal, what was measured, and yes or no; the goals about what was measured only."""
    rows = report.get("strata", ())
    for objective in ("tiles", "value"):
        for stratum, least in API_RATIOS.items():
            mine = [row for row in rows if (row["stratum"], row["objective"]) == (stratum, objective)]
            public = [row for row in mine if row["public"]]
            if public:
                fastest = min(public, key=lambda row: float(row["over_python"]))
                for key, who, goal in (("over_python", "Python API", least), ("over_kernel", "kernel", KERNEL_RATIO)):
                    figure = f"{stratum}, {objective}: {who} over {fastest['who']}"
                    yield _goal(figure, goal, float(fastest[key]), "x", least=True)
    for row in report.get("files", ()):
        if row["file"] == "instances":
            yield _goal(f"instances.json, {row['objective']}: slowest", INSTANCE_LIMIT, row["maximum_of_best"], "us")
        if row["file"] == "no_move":
            yield _goal(f"no_move.json, {row['objective']}: median", NO_MOVE_LIMIT, row["median"], "us")
    if ceiling := report.get("ceiling"):
        for objective in ("tiles", "value"):
            members = [row for row in ceiling if row["objective"] == objective]
            count = sum(row["count"] for row in members)
            slowest = max(row["maximum_of_best"] for row in members)
            yield _goal(f"slowest of {count} generated, {objective}", CEILING_LIMIT, slowest, "us")
    if "batch" in report:
        yield _goal("solve_batch, 2 workers over 1", BATCH_SPEEDUP, report["batch"]["speedup"], "x", least=True)
    own = [who for who in report["wrong"]["checked"] if who.startswith(API)]
    if own:
        wrong = sum(found["who"] in own for found in report["wrong"]["found"])
        yield "wrong answers of the solver", "0", str(wrong), "yes" if wrong == 0 else "NO"


def _goal(figure: str, goal: float, measured: float, unit: str, *, least: bool = False) -> tuple[str, str, str, str]:
    met = measured >= goal if least else measured < goal
    if unit == "us":
        goal, measured = goal / MICRO, measured / MICRO
    digits = 2 if abs(goal) < 10 else 0 if unit == "x" else 1
    sign = ">=" if least else "<"
    return figure, f"{sign} {goal:g} {unit}", f"{measured:,.{digits}f} {unit}", "yes" if met else "NO"


def _times(row: Mapping[str, Any]) -> list[str]:
    keys = ("median", "p90", "maximum", "maximum_of_best")
    return [f"{row[key] / MICRO:,.1f}" for key in keys if key in row]


def _contest(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["stratum"], row["objective"]), []).append(row)
    body = []
    for (stratum, objective), members in groups.items():
        for index, row in enumerate(members):
            body.append(
                (
                    f"{stratum}, {objective}" if index == 0 else "",
                    TITLES.get(row["who"], row["who"]),
                    str(row["count"]),
                    *_times(row),
                    "" if row["who"] == KERNEL else f"{row['over_python']:,.1f}",
                    f"{row['over_kernel']:,.1f}",
                )
            )
    return _table(("", "", "positions", "median", "p90", "max", "x Python API", "x kernel"), body)


def _wrong(checked: Mapping[str, int], found: Sequence[Mapping[str, str]]) -> list[str]:
    counts = Counter(one["who"] for one in found)
    lines = ["Answers checked"]
    lines += _table(
        ("who", "checked", "wrong"), [(who, str(number), str(counts[who])) for who, number in checked.items()]
    )
    for who in counts:
        mine = [one for one in found if one["who"] == who]
        which = f" (the first {WRONG_SHOWN} of {len(mine)})" if len(mine) > WRONG_SHOWN else ""
        lines.append(f"Wrong: {who}{which}")
        lines += [f"  {one['objective']}: {one['problem']}\n    {one['position']}" for one in mine[:WRONG_SHOWN]]
        lines.append("")
    return lines


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns of text; what begins with a digit or a sign of a number is set to the right."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    numeric = [all(not row[column] or row[column][0].isdigit() for row in rows) for column in range(len(head))]
    lines = []
    for row in [head, ["-" * width for width in widths], *rows]:
        cells = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return [*lines, ""]
