"""Build of the compiled kernels: every `solver/<game>/kernel/*.pyx`, with one set of directives and flags."""

import contextlib
import io
import itertools
import re
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# One place for the directives: kernels check nothing that their one checked `def` has checked.
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "embedsignature": True,
}

# No -march=native: it gained nothing in the kernels, and wheels stay portable. -g0: Python's own flags may hold -g.
FLAGS = ["-O3", "-g0"]

# Cython's helpers (memoryviews above all) are compiled once here instead of once in every kernel.
SHARED = "solver._cyutility"

HINT = re.compile(r"^performance hint: (.+?):\d+:\d+:", re.MULTILINE)


def kernels() -> list[Extension]:
    """One extension for each kernel; a change of this file or of a C header rebuilds it, the rest Cython knows."""
    found = []
    for path in sorted(Path("solver").glob("*/kernel/*.pyx")):
        found.append(
            Extension(
                ".".join(path.with_suffix("").parts),
                [str(path)],
                depends=["setup.py", *map(str, sorted(path.parent.glob("*.h")))],
                extra_compile_args=FLAGS,
            )
        )
    return found


def translated(extensions: list[Extension]) -> list[Extension]:
    """The extensions as C.

    A performance hint stops the build: it means a check of errors or a Python object in code that promises none,
    and costs up to eight times the run time. The C file goes too, so that the next build says it again.
    """
    if not extensions:
        return []
    here = Path(__file__).stat().st_mtime
    written = [Path(source).with_suffix(".c") for extension in extensions for source in extension.sources]
    stale = any(path.exists() and path.stat().st_mtime < here for path in written)
    shared = Extension(SHARED, [SHARED.replace(".", "/") + ".c"], depends=["setup.py"], extra_compile_args=FLAGS)
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            modules: list[Extension] = cythonize(
                [*extensions, shared],
                compiler_directives=DIRECTIVES,
                shared_utility_qualified_name=SHARED,
                force=stale,
            )
    finally:
        sys.stderr.write(said.getvalue())
    hinted = {Path(source).with_suffix(".c") for source in HINT.findall(said.getvalue())}
    for path in hinted:
        path.unlink(missing_ok=True)
    if hinted:
        sys.exit("error: Cython gave the performance hints above; kernels are built without any")
    return modules


class BuildKernels(build_ext):
    """Compiles every kernel once, as many at a time as there are processors, and names it on stderr.

    An editable install and a wheel are built in directories of their own and know of no earlier build: a kernel that
    stands in the tree and is newer than all it is made of serves them too.
    """

    def build_extensions(self) -> None:
        stale = [extension for extension in self.extensions if self.force or not self.in_place(extension)]
        self.total = len(stale)
        self.numbers = itertools.count(1)
        super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        built = None if self.force else self.in_place(ext)
        if built:
            target = Path(self.get_ext_fullpath(ext.name))
            self.mkpath(str(target.parent))
            self.copy_file(str(built), str(target))
        else:
            print(f"[{next(self.numbers)}/{self.total}] compiling {ext.name}", file=sys.stderr, flush=True)
            super().build_extension(ext)

    def in_place(self, extension: Extension) -> Path | None:
        """The kernel in the tree, if it is up to date."""
        built = Path(self.get_ext_filename(extension.name))
        parts = [Path(part) for part in (*extension.sources, *extension.depends)]
        if built.exists() and all(part.stat().st_mtime <= built.stat().st_mtime for part in parts):
            return built
        return None


setup(
    ext_modules=translated(kernels()),
    cmdclass={"build_ext": BuildKernels},
    options={"build_ext": {"parallel": True}},
)
