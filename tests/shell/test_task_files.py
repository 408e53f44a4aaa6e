"""Which command lines of a file of tasks a call runs."""

import pytest

from handrail.shell.task_files import just_commands, package_commands, tox_commands
from handrail.shell.word import OPAQUE

PACKAGE = """{"scripts": {"prebuild": "clean", "build": "tsc", "postbuild": "copy", "test": "jest",
"postinstall": "husky", "prepack": "pack it", "postversion": "push it", "odd": 7}}"""
JUST = """\
dir := "out"
alias b := build
[private]
default: build
@build target='x' *args: lint
    cc -o {{dir}}/{{ target }}
    @echo done
lint:
    ruff check
script:
    #!/usr/bin/env python3
    print("a")
"""


@pytest.mark.parametrize(
    ("words", "scripts"),
    [
        ("run build", ["clean", "tsc", "copy"]),
        ("build", ["clean", "tsc", "copy"]),
        ("test", ["jest"]),
        ("t", ["jest"]),
        ("install", ["husky"]),
        ("ci", ["husky"]),
        ("", ["husky"]),
        ("pack", ["pack it"]),
        ("version patch", ["push it"]),
        ("run odd", []),
        ("run", []),
        ("ls", []),
    ],
)
def test_npm_runs_the_script_of_a_name_and_those_around_it(words: str, scripts: list[str]) -> None:
    assert list(package_commands(PACKAGE, words.split())) == scripts


@pytest.mark.parametrize("text", ["", "[]", "{", '{"scripts": []}', '{"scripts": {"a": "\ud800"}}'])
def test_a_package_that_cannot_be_read_runs_nothing(text: str) -> None:
    assert list(package_commands(text, ["run", "a"])) == []


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("", ["cc -o out/￼", "echo done", "ruff check"]),
        ("b", ["cc -o out/￼", "echo done", "ruff check"]),
        ("lint", ["ruff check"]),
        ("script", ["python3 -c '#!/usr/bin/env python3\nprint(\"a\")'"]),
    ],
)
def test_just_runs_a_recipe_and_what_it_needs(words: str, lines: list[str]) -> None:
    assert list(just_commands(JUST, words.split())) == lines


def test_tox_runs_the_commands_of_its_environments() -> None:
    text = "[testenv]\ncommands =\n  pytest {posargs}\n  - mypy\n[testenv:x]\ncommands_pre = make\n"
    assert list(tox_commands(text, [])) == [f"pytest {OPAQUE}", "mypy", "make"]
    assert list(tox_commands("commands = x", [])) == []
