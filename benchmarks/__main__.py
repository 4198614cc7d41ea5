"""`python -m benchmarks`: the benchmarks of all games, of which there is one so far."""

from benchmarks.rummikub.__main__ import main

if __name__ == "__main__":
    main()
