# Everything runs in .venv, which the first target that needs it creates. Each target installs only what it needs.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PYTEST_WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help setup check test test-fast codediff codediff-marked bench docs golden sizes fuzz run clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' Makefile

run: $(VENV)/.has-build ## Build the digits model, load it in a new process, classify real images
	$(PY) examples/digits/run.py

test: $(VENV)/.has-test ## Run all tests
	$(PY) -m pytest -n $(PYTEST_WORKERS) --maxprocesses 8 --dist worksteal

test-fast: $(VENV)/.has-test ## Run the unit tests that need no process and no compiler driver, in two minutes
	$(PY) -m pytest --fast -n $(PYTEST_WORKERS) --maxprocesses 8 --dist worksteal

check: $(VENV)/.has-dev ## Lint and type-check
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

codediff: $(VENV)/.has-test ## Show what generated code differs from that of the commit BASE; OPTIONS="--quick" takes fewer models
	$(PY) -m tests.codediff --base "$(BASE)" $(OPTIONS)

codediff-marked: $(VENV)/.has-test ## Show that the newest commits marked [same] changed no generated code of some models
	@$(PY) -m tests.codediff --marked --quick; status=$$?; \
		if [ $$status = 2 ]; then echo "not run: nothing could be compared here, for the reason above"; else exit $$status; fi

bench: $(VENV)/.has-bench ## Measure speed side by side with onnxruntime, OpenVINO and LiteRT
	$(PY) benchmarks/run.py
	$(PY) benchmarks/shapes.py --seconds 1 --random-seconds 5
	$(PY) benchmarks/shapes.py --lengths --seconds 1 --random-seconds 5
	$(PY) benchmarks/shapes.py --widths --seconds 1 --random-seconds 2
	$(PY) benchmarks/shapes.py --drawn 12

docs: $(VENV)/.has-docs ## Build the documentation as a site, in out/site
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

sizes: $(VENV)/.has-test ## Show how large the C runtime and a model are on a Cortex-M4
	$(PY) -m tests.system.crt.sizes

fuzz: $(VENV)/.has-test ## Fuzz what reads untrusted files, and the C runtime's readers with clang's libFuzzer, SECONDS for each
	$(PY) -m tests.attacks.fuzz --seconds $(or $(SECONDS),60)
	$(PY) -m tests.system.crt.fuzz --seconds $(or $(SECONDS),60)

golden: $(VENV)/.has-test ## Accept what is generated now as the golden files; look at the difference before you commit
	$(PY) -m pytest -n $(PYTEST_WORKERS) --maxprocesses 8 --update-golden

setup: $(VENV)/.has-build $(VENV)/.has-test $(VENV)/.has-dev ## Install everything that development needs

clean: ## Remove the virtual environment and everything that can be made again
	rm -rf $(VENV) out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests examples benchmarks tools -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp for each set of extras: newer than pyproject.toml means installed. An editable install needs nothing when sources change.
$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ingot needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version 2>&1`. Try: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "cannot create a virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }

$(VENV)/.has-build: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[build]'
	@touch $@

$(VENV)/.has-test: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[build,test,opencl]'
	@for extra in interop cuda; do \
		$(PY) -m pip install --quiet --disable-pip-version-check --only-binary :all: --editable ".[$$extra]" || \
		echo "the extra $$extra cannot be installed here: the tests that need it say so" >&2; done
	@touch $@

$(VENV)/.has-dev: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[build,test,opencl,dev]'
	@touch $@

$(VENV)/.has-docs: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

$(VENV)/.has-bench: pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@touch $@
