# Works on a machine that has only Python 3.11+, git and make.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
PYTHON_SOURCES = src tests scripts $(wildcard benchmarks)
FUZZ_SECONDS ?= 60
INSTALLED_BY = pyproject.toml constraints.txt scripts/setup
check = @scripts/setup check

.PHONY: help demo test lint docs pictures bench fuzz clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: .venv/.installed-demo ## watch a misbehaving agent being caught
	@.venv/bin/handrail demo

test: lint ## all checks and all tests
	@scripts/setup claude
	@scripts/setup checkers
	$(check) pytest -q -n auto

lint: .venv/.installed-dev ## style, types, and who may import whom
	$(check) ruff check $(PYTHON_SOURCES)
	$(check) ruff format --check $(PYTHON_SOURCES)
	$(check) mypy --strict src tests scripts
	$(check) lint-imports --no-logo

docs: .venv/.installed-dev ## make all generated docs anew
	@.venv/bin/python -m handrail.config.reference > docs/configuration.md
	@.venv/bin/python scripts/verdicts.py
	@.venv/bin/python scripts/docs.py

pictures: .venv/.installed-dev ## draw the pictures in docs/pictures anew, from real runs
	@.venv/bin/python -m scripts.pictures

bench: .venv/.installed-dev ## measure, on this machine
	@.venv/bin/python benchmarks/run.py

fuzz: export FUZZ_SECONDS := $(FUZZ_SECONDS)
fuzz: .venv/.installed-dev ## throw random input at the parsers for FUZZ_SECONDS (60)
	$(check) pytest -q tests/fuzz

clean: ## remove .venv and every cache
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist build
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.installed-%: $(INSTALLED_BY)
	@echo "installing into .venv ($*) …"
	@scripts/setup install $*
