"""What stands behind `&&` runs where the part before it left off, and only if that worked."""

import pytest

from handrail.shell import read
from handrail.shell.word import OPAQUE


def folders(text: str) -> list[tuple[str, str]]:
    """The arguments and the folder of each `rm`."""
    program = read(text, cwd="/w", environ={"HOME": "/home/me"}).program
    return [
        (" ".join(word.text for word in command.argv[1:]), command.cwd.text)
        for command in program.commands
        if command.argv and command.argv[0].text == "rm"
    ]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("[ -d b ] && cd b && rm x", [("x", "/w/b")]),
        ("[ -d b ] && cd b && cd c && rm x", [("x", "/w/b/c")]),
        ("[ -d b ] || mkdir b && cd b && rm x", [("x", "/w/b")]),
        ("v=1; [ -d b ] && v=2 && rm $v", [("2", "/w")]),
        ("cd b && rm x; rm y", [("x", "/w/b"), ("y", "/w/b")]),
    ],
)
def test_a_chain_goes_on_from_its_own_steps(text: str, seen: list[tuple[str, str]]) -> None:
    assert folders(text) == seen


@pytest.mark.parametrize(
    "text",
    [
        "[ -d b ] && cd b\nrm x",
        "[ -d b ] && cd b && true\nrm x",
        "[ -d b ] && true && cd b\nrm x",
        "[ -d b ] && popd > o && cd b > o\nrm x",
        "[ -d b ] && cd b && cd c || cd d\nrm x",
        "{ [ -d b ] && cd b; } && true\nrm x",
    ],
)
def test_behind_a_chain_with_a_question_the_folder_is_unknown(text: str) -> None:
    ((name, folder),) = folders(text)
    assert (name, folder) == ("x", OPAQUE)


def test_behind_a_chain_with_a_question_a_variable_has_both_values() -> None:
    seen = folders("v=1; [ -d b ] && v=2 && true\nrm $v")
    assert {name for name, _ in seen} == {"1", "2"}
