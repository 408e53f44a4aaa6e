"""Which command lines a call of make runs."""

import pytest

from handrail.shell.makefile import make_commands
from handrail.shell.word import OPAQUE

TEXT = """\
BUILD := out
NAME = app-$(VERSION)
VERSION ?= 1
.PHONY: all test
all: test $(BUILD)/app
\t@echo $(NAME) $$HOME
test: ; pytest -q
$(BUILD)/%: src/main.c
\tcc $< -o $@
\t-rm -f \\
\t  *.o
deploy: KEY = prod
deploy:
\tship $(KEY) $(wildcard *.c) $(USER)
"""


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("", ["echo app-1 $HOME", "cc src/main.c -o out/app", "rm -f *.o", "pytest -q"]),
        ("test", ["pytest -q"]),
        ("deploy", [f"ship prod {OPAQUE} ${{USER}}"]),
        ("out/tool BUILD=out", ["cc src/main.c -o out/tool", "rm -f *.o"]),
        ("all VERSION=2 -j", ["echo app-2 $HOME"]),
        ("nothing", []),
    ],
)
def test_a_call_runs_the_recipes_of_its_targets(words: str, lines: list[str]) -> None:
    found = list(make_commands(TEXT, words.split()))
    assert [line for line in lines if line not in found] == []
    if "all" not in words.split():
        assert found == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("X := $(shell date)\nall:\n\techo $(X)", [": $(date)", "echo $(date)"]),
        ("X != date\nall:\n\techo $(X)", [": $(date)", "echo $(date)"]),
        ("$(info $(shell id))\nall: ;", [": ￼"]),
        ("X = $(X)\nall:\n\techo a$(X)", ["echo a$(X)"]),
        ("SHELL = /bin/bash\nall:\n\techo 'a'", ["/bin/bash -c 'echo '\"'\"'a'\"'\"''"]),
        (".ONESHELL:\nall:\n\tcd x\n\tls", ["cd x\nls"]),
        ("a: b\n\techo a\nb: a\n\techo b", ["echo a", "echo b"]),
        ("a::\n\techo 1\na::\n\techo 2", ["echo 1", "echo 2"]),
        ("\techo lost\nx", []),
        ("a:\n\techo $(unclosed", ["echo ${unclosed}"]),
        (".DEFAULT_GOAL = b\na:\n\techo a\nb:\n\techo b", ["echo b"]),
    ],
)
def test_what_a_makefile_without_targets_runs(text: str, lines: list[str]) -> None:
    assert list(make_commands(text, [])) == lines


def test_a_variable_that_doubles_itself_stays_small() -> None:
    text = "A0 = xxxxxxxxxxxxxxxx\n" + "".join(f"A{n + 1} = $(A{n})$(A{n})\n" for n in range(40))
    found = list(make_commands(text + "all:\n\techo $(A40)\n", []))
    assert len(found) == 1
    assert len(found[0]) < 100_000
