"""Variables: filled into prompts, handed to commands, never a part of a command's text."""

import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.pipeline.variables import (
    UndefinedVariableError,
    fill_in,
    names_in_prompt,
    shell_variables,
    with_assignments,
)

HOSTILE = "; rm -rf ~ 'one' \"two\" `three` $(four) \\ \n\t!{a,b}*"
_VALUES = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]))


def test_a_prompt_gets_the_values() -> None:
    values = {"branch": "main", "build.output": "2 errors"}
    assert fill_in("{{branch}}: {{ build.output }}.", values) == "main: 2 errors."
    assert list(names_in_prompt("{{branch}}: {{ build.output }}.")) == ["branch", "build.output"]


def test_a_value_is_not_looked_at_again() -> None:
    assert fill_in("{{ a }}", {"a": "{{ b }}", "b": "no"}) == "{{ b }}"


def test_an_undefined_name_is_refused() -> None:
    with pytest.raises(UndefinedVariableError) as refused:
        fill_in("{{ nope }}", {})
    assert refused.value.name == "nope"


def test_a_command_gets_only_the_variables_that_it_uses() -> None:
    values = {"branch": "main", "build.output": "x", "other": "y"}
    given = with_assignments('git checkout "$branch" && echo ${build_output}', values)
    assert given == (
        'export branch=main\nexport build_output=x\ngit checkout "$branch" && echo ${build_output}'
    )
    assert with_assignments("echo $branches $1 $$", values) == "echo $branches $1 $$"


def test_the_environment_has_all_of_them() -> None:
    assert shell_variables({"build-all.exit_code": "3", "a": "b\0c"}) == {
        "build_all_exit_code": "3",
        "a": "bc",
    }


def in_shell(command: str) -> str:
    ran = subprocess.run(
        ["sh", "-c", command], capture_output=True, check=True, stdin=subprocess.DEVNULL
    )
    return ran.stdout.decode()


def test_a_hostile_value_stays_one_word() -> None:
    command = with_assignments('printf "%s" "$x"', {"x": HOSTILE})
    assert in_shell(command) == HOSTILE


@given(value=_VALUES)
def test_the_shell_gets_every_value_as_it_is(value: str) -> None:
    """Quoting is checked by shlex, which reads words as a shell does; real shells are slow."""
    first, *_ = with_assignments("echo $x", {"x": value}).rsplit("\n", 1)
    words = shlex.split(first)
    assert words == ["export", f"x={value}"]
