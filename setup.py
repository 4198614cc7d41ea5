"""Build of the compiled kernels: every `solver/<game>/kernel/*.pyx`, with one set of directives."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

# One place for the directives: kernels check nothing that their one checked `def` has checked.
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    "embedsignature": True,
}

extensions = [
    Extension(
        ".".join(path.with_suffix("").parts),
        [str(path)],
        extra_compile_args=["-O3", "-g0"],
    )
    for path in sorted(Path("solver").glob("*/kernel/*.pyx"))
]

setup(ext_modules=cythonize(extensions, compiler_directives=DIRECTIVES))
