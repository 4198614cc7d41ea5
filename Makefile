# `make demo` and `make test` do all set-up themselves; everything lives in .venv and is brought up to date by stamps.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check install -qq
KERNELS := $(wildcard solver/*.pxd solver/*.h solver/*/kernel/*.pyx solver/*/kernel/*.pxd solver/*/kernel/*.h)

.DELETE_ON_ERROR:
.PHONY: help demo test bench bench-setup bench-trek12 compare conformance lint build check-build sanitize clean

help:
	@echo 'make demo      show proven best moves of the positions in examples/'
	@echo 'make test      run the tests'
	@echo 'make bench     measure against naive search and other solvers'
	@echo 'make bench-setup, make bench-trek12   the same for the other games'
	@echo 'make compare   many random positions against naive search and an integer program (long)'
	@echo 'make conformance   10,000 random games of each game, with every promise of the protocol checked (long)'
	@echo 'make lint      ruff, mypy --strict, cython-lint'
	@echo 'make build     sdist and wheel, into dist/'
	@echo 'make check-build   the wheel in a venv of its own, used and typed by a script'
	@echo 'make sanitize  the tests with kernels that check every address and overflow (slow)'
	@echo 'make clean     remove .venv and everything that was built'

demo: $(VENV)/.installed
	@$(PY) examples/demo.py

test: $(VENV)/.dev
	@$(PY) -m pytest $(ARGS)

bench: $(VENV)/.baselines
	@$(PY) -m benchmarks $(ARGS)

bench-setup bench-trek12: bench-%: $(VENV)/.dev
	@$(PY) -m benchmarks.$* $(ARGS)

compare: $(VENV)/.baselines
	$(PY) -m benchmarks.rummikub.check --against reference --count 20000 --seed 1
	$(PY) -m benchmarks.rummikub.check --against reference --count 10000 --seed 2 --options all --presets all
	$(PY) -m benchmarks.rummikub.check --against ilp --count 2000 --seed 1
	$(PY) -m benchmarks.rummikub.changes --against exhaustive --count 3000 --seed 1
	$(PY) -m benchmarks.rummikub.changes --against ilp --count 300 --seed 1
	$(PY) -m benchmarks.rummikub.memory
	$(PY) -m benchmarks.setup.check --count 20000 --seed 11

conformance: $(VENV)/.dev
	$(PY) -m tests.conformance $(ARGS)

lint: $(VENV)/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy --strict solver
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" cython-lint solver

build: $(VENV)/.dev
	rm -rf dist
	$(PY) -m build --outdir dist .

# What was built, as a user has it: the sdist alone makes the wheel, a new venv gets it, and a typed script uses it.
CLEAN := build/clean
check-build: build
	rm -rf $(CLEAN)
	$(PYTHON) -m venv $(CLEAN)
	$(CLEAN)/bin/python -m pip --disable-pip-version-check install -qq dist/*.whl
	cd $(CLEAN) && bin/solver --version && bin/python $(CURDIR)/tests/user_script.py
	cd $(CLEAN) && $(CURDIR)/$(PY) -m mypy --strict --config-file= --python-executable bin/python $(CURDIR)/tests/user_script.py

# A copy of the tree, so that the usual kernels stay as they are. Leaks are not looked for: Python itself has some.
# pytest captures Python's output only, so that the report of a sanitizer, which ends the process, is seen.
SANITIZED := build/sanitized
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-wrapv -fno-omit-frame-pointer
sanitize: $(VENV)/.dev
	rm -rf $(SANITIZED)
	mkdir -p $(SANITIZED)
	cp -R LICENSE Makefile pyproject.toml setup.py *.md benchmarks docs examples tests solver $(SANITIZED)
	find $(SANITIZED) -name '*.so' -delete
	cd $(SANITIZED) && CFLAGS='$(SANITIZE)' LDFLAGS='$(SANITIZE)' $(CURDIR)/$(PY) setup.py --quiet build_ext --inplace
	cd $(SANITIZED) && LD_PRELOAD="`gcc -print-file-name=libasan.so`" ASAN_OPTIONS=detect_leaks=0 \
	    UBSAN_OPTIONS=print_stacktrace=1 $(CURDIR)/$(PY) -m pytest --capture=sys -p no:cacheprovider $(ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info .benchmarks .hypothesis .pytest_cache .mypy_cache .ruff_cache
	rm -f solver/*.c solver/*.so solver/*/kernel/*.c solver/*/kernel/*.html solver/*/kernel/*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# What has to come from the system, all named at once with the one command that installs it.
define CHECK_SYSTEM
missing=; \
if ! command -v $(PYTHON) >/dev/null; then \
    missing="python3 python3-venv python3-dev"; \
elif ! $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
    echo "$(PYTHON) is `$(PYTHON) --version`; 3.11 or newer is needed. Name another one: make PYTHON=python3.11" >&2; \
    exit 1; \
else \
    $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || missing="python3-venv"; \
    header=`$(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))'`/Python.h; \
    [ -f "$$header" ] || missing="$$missing python3-dev"; \
fi; \
command -v gcc >/dev/null || missing="$$missing gcc"; \
if [ -n "$$missing" ]; then \
    echo "Missing from the system:" $$missing >&2; \
    echo "Install with: sudo apt-get install" $$missing >&2; \
    exit 1; \
fi
endef

# The venv with what builds the kernels.
$(VENV)/.tools: pyproject.toml
	@$(CHECK_SYSTEM)
	@echo 'Making $(VENV) ...'
	@[ -x $(PY) ] || $(PYTHON) -m venv --clear $(VENV)
	@$(PIP) 'setuptools>=77' 'Cython>=3.2,<3.4'
	@touch $@

$(VENV)/.kernels: $(VENV)/.tools setup.py $(KERNELS)
	@echo 'Building the kernels ...'
	@$(PY) setup.py --quiet build_ext --inplace
	@touch $@

# Editable: the source tree itself is what runs, so a change of Python needs nothing and one of a kernel only .kernels.
$(VENV)/.installed: pyproject.toml | $(VENV)/.kernels
	@$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.installed
	@echo 'Installing what the tests need ...'
	@$(PIP) --no-build-isolation --editable '.[dev]'
	@touch $@

$(VENV)/.baselines: pyproject.toml | $(VENV)/.dev
	@echo 'Installing the solvers to compare with ...'
	@$(PIP) --no-build-isolation --editable '.[baselines]'
	@touch $@
