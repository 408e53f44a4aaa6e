# Works on a machine that has only Python 3.11+, git and make.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
PYTHON_SOURCES = src tests scripts examples $(wildcard benchmarks)
FUZZ_SECONDS ?= 60
INSTALLED_BY = pyproject.toml constraints.txt scripts/setup
# The rooms with a floor for their coverage, in scripts/floors.py.
CORE = model config shell review detect intervene supervise control store checkpoint
COVERING = $(CORE) library
# They start real programs, so their coverage is out of sight.
REST = $(COVERING:%=--ignore=tests/%)
tool = @scripts/setup check

.PHONY: help demo check test panel lint docs pictures site package bench fuzz mutants attack chaos clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: .venv/.installed-demo ## watch a misbehaving agent being caught
	@scripts/setup panel
	@.venv/bin/handrail demo

check: lint ## lint, types and the fast tests: about a minute
	$(tool) pytest -q -n auto -m 'not slow' --hypothesis-profile quick

test: lint ## everything: lint, types, all tests, coverage of the core rooms
	@scripts/setup claude
	@scripts/setup checkers
	@scripts/setup panel
	@scripts/setup panel-tests
	$(tool) pytest -q -n auto --cov --cov-report= $(COVERING:%=tests/%)
	@.venv/bin/python scripts/floors.py
	$(tool) pytest -q -n auto $(REST) || { \
	    echo '!!! The failed tests run once more, one at a time. One that passes now is a race: mend it.'; \
	    scripts/setup check pytest -q -x --last-failed --last-failed-no-failures none $(REST); }

lint: .venv/.installed-dev ## style, types, and who may import whom
	$(tool) ruff check $(PYTHON_SOURCES)
	$(tool) ruff format --check $(PYTHON_SOURCES)
	$(tool) mypy --strict src tests scripts examples
	$(tool) lint-imports --no-logo
	@.venv/bin/python scripts/class_names.py

panel: ## build the web panel with npm, and check its types and functions
	@scripts/setup panel
	@scripts/setup panel-tests

docs: .venv/.installed-dev ## make all generated docs anew
	@.venv/bin/python -m handrail.config.reference > docs/configuration.md
	@.venv/bin/python scripts/verdicts.py
	@.venv/bin/python scripts/docs.py

pictures: .venv/.installed-dev ## draw the pictures in docs/pictures anew, from real runs
	@.venv/bin/python -m scripts.pictures

site: .venv/.installed-dev ## build the documentation with search into site/
	@NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build

package: .venv/.installed-demo ## build sdist and wheel into dist/, and try them in a venv of its own
	@scripts/setup package

bench: .venv/.installed-dev ## measure, on this machine
	@.venv/bin/python benchmarks/run.py

fuzz: export FUZZ_SECONDS := $(FUZZ_SECONDS)
fuzz: export API_EXAMPLES := $(or $(API_EXAMPLES),200)
fuzz: .venv/.installed-dev ## random input for the parsers and the API, and the same read by bash, for FUZZ_SECONDS (60)
	$(tool) pytest -q --timeout 0 tests/fuzz tests/server/api/test_openapi_fuzz.py

mutants: .venv/.installed-dev ## small changes of the code: does a test notice? (MUTANTS='--sample 0 decide': all of a file)
	@nice -n 19 .venv/bin/python -m scripts.mutants $(MUTANTS)

attack: export ATTACKS := $(or $(ATTACKS),all)
attack: export SCORE := $(or $(SCORE),attack-score.jsonl)
attack: .venv/.installed-dev ## let the real Claude Code try every attack of tests/attack (ATTACKS=WORD: some)
	@scripts/setup claude
	@rm -f $(SCORE)
	$(tool) pytest -q -n 2 tests/attack; .venv/bin/python -m tests.attack.score $(SCORE)

chaos: export CHAOS_SEED := $(or $(CHAOS_SEED),$(shell date +%s))
chaos: export CHAOS_TASKS := $(or $(CHAOS_TASKS),20)
chaos: export CHAOS_FAULTS := $(or $(CHAOS_FAULTS),200)
chaos: export CHAOS_PAUSE := $(or $(CHAOS_PAUSE),2)
chaos: .venv/.installed-dev ## kill and stop a fleet's processes 200 times (CHAOS_SEED=NUMBER: the same choices again)
	$(tool) pytest -q --timeout 0 tests/chaos

clean: ## remove .venv, every cache and everything built
	@rm -rf panel/node_modules src/handrail/panel_files
	@rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage dist build site attack-score.*
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.installed-%: $(INSTALLED_BY)
	@echo "installing into .venv ($*) …"
	@scripts/setup install $*
