"""Where a variable lives, how long, and what its attributes make of a value."""

import pytest
from tests.shell.reading_calls import calls, commands

from handrail.shell import OPAQUE

UNKNOWN = OPAQUE

GIVEN = {
    "v=b; f() { rm $v; }; v=c f; rm $v": [["c"], ["b"]],
    "v=b; f() { v=d; }; v=c f; rm $v": [["b"]],
    "v=b; f() { unset v; rm $v; }; v=c f; rm $v": [["b"], ["b"]],
    "v=b; f() { local v; rm $v; }; v=c f; rm $v": [["c"], [], ["b"]],
    "v=b; f() { bash -c 'rm $v'; }; v=c f; bash -c 'rm ${v-n}'": [["c"], ["n"]],
    "f() { set -- $v; rm $@; }; v=a:b; IFS=: f; rm $v": [["a", "b"], ["a:b"]],
    "v=b; v=c eval 'rm $v'; rm $v": [["c"], ["b"]],
    "v=a:b; IFS=: eval 'set -- $v'; rm $1": [["a"]],
    "f() { v=c eval 'local w=a'; rm $w; }; f": [["a"]],
    "x=a; if t; then x=b; fi; f() { rm $v; }; v=$x f": [[UNKNOWN]],
    "x=a; if t; then x=b; fi; v=$x bash -c 'rm $v'": [[UNKNOWN]],
    # what a builtin itself does with it may stay
    "v=b; v=c export v; rm $v": [["b"], ["c"]],
    "v=b; v=c printf -v v d; rm $v": [["b"], ["d"]],
    "v=b; v=c readonly v; rm $v": [["b"], ["c"]],
    # a value may set another variable
    "unset x; v=${x:=a} git log; rm $x": [["a"]],
    "n=1; v=$((n=5)) git log; rm $n": [[UNKNOWN]],
    "x=; v=1 git ${x:=a}; rm $x": [["a"]],
    # names of keywords that stand behind something
    "builtin declare v=a; rm $v": [["a"]],
    "f() { builtin local v=a; rm $v; }; v=b; f; rm $v": [["a"], ["b"]],
    "builtin declare -u v=a; rm $v": [[UNKNOWN]],
    "command export v=a; bash -c 'rm $v'": [["a"]],
}


@pytest.mark.parametrize("text", GIVEN)
def test_a_variable_given_to_a_call_lives_as_long_as_the_call(text: str) -> None:
    found = calls(text)
    assert all(call in found for call in GIVEN[text])
    assert len(found) == len(GIVEN[text])


def test_the_home_given_to_cd_is_where_it_leads() -> None:
    (*_, last) = commands("HOME=/a cd; rm x")
    assert last.cwd.text == "/a"


DECLARED = {
    "declare -i v=3; v+=4; rm $v": UNKNOWN,
    "declare -i v=010; rm $v": UNKNOWN,
    "declare -i v=10; rm $v": "10",
    "declare -c v=ab; rm $v": UNKNOWN,
    "declare -n r; r=v; v=a; rm $r": "a",
    "declare -n r=v; for r in x; do rm $r; done": UNKNOWN,
    "declare -n r=v; v=k; x=a; for r in x; do rm $r; done": "a",
    "declare -n r=v[1]; v=(a b); r=c; rm ${v[1]}": UNKNOWN,
    "declare -n r=v; v=a; declare +n r; rm $r": UNKNOWN,
    "declare -n r=v; export r=a; bash -c 'rm $v'": "a",
    "f() { local v=c; declare -g v=b; }; f; rm $v": "b",
    "f() { local v=c; declare -g v=b; rm $v; }; f": "c",
    "declare -A m=(a b c d); rm ${m[c]}": UNKNOWN,
    "f() { declare -f v; v=b; }; v=a; f; rm $v": "b",
    # a NUL cannot stand in a value
    r"v=$(printf 'a\0b'); rm $v": "ab",
    r"mapfile -t v < <(printf 'a\0b\n'); rm $v": "a",
    # others than this shell set it
    "trap 'v=b' DEBUG; v=a; rm $v": UNKNOWN,
    "f() { trap 'v=b' RETURN; }; v=a; f; rm $v": UNKNOWN,
    "v=a; coproc { v=b; }; rm $v": "a",
    "v=a; coproc eval v=b; rm $v": "a",
    "v=a; coproc X { v=b; }; rm $v": "a",
}


@pytest.mark.parametrize("text", DECLARED)
def test_a_variable_holds_what_its_attributes_make_of_it(text: str) -> None:
    expected = DECLARED[text]
    assert calls(text)[-1] == [expected]


def test_a_coprocess_does_not_leave_the_folder() -> None:
    (*_, last) = commands("coproc { cd /; }; rm x")
    assert last.cwd.text == "/work"


ARGUMENTS = {
    "echo 'rm $1' > t; set -- b; . ./t a; rm $1": [["a"], ["b"]],
    "echo 'rm $1' > t; set -- b; . ./t; rm $1": [["b"], ["b"]],
    "echo 'set -- k' > t; set -- b; . ./t a; rm $1": [["b"], ["k"]],
    "echo 'set -- k' > t; set -- b; . ./t; rm $1": [["k"]],
}


@pytest.mark.parametrize("text", ARGUMENTS)
def test_a_sourced_file_has_the_arguments_that_it_is_given(text: str) -> None:
    assert sorted(calls(text)) == ARGUMENTS[text]


def test_a_shell_gets_functions_that_are_exported() -> None:
    assert calls("f() { rm a; }; export -f f; bash -c f") == [["a"]]
    assert calls("set -a; f() { rm a; }; bash -c f") == [["a"]]
    assert calls("f() { rm a; }; bash -c f") == []


EXPORTED = {
    "v=a; false && export v; bash -c 'rm ${v-b}'": [["a"], ["b"]],
    "v=a; false && set -a; w=c; bash -c 'rm ${w-b}'": [["b"], ["c"]],
    "v=a; export v; false && export -n v; bash -c 'rm ${v-b}'": [["a"], ["b"]],
    "export v=a; export -n v; bash -c 'rm ${v-b}'": [["b"]],
    "export v=a; declare +x v; bash -c 'rm ${v-b}'": [["b"]],
    "v=a; w=v; local $w=b; rm $v": [["a"]],
}


@pytest.mark.parametrize("text", EXPORTED)
def test_a_shell_sees_what_is_exported_on_every_way(text: str) -> None:
    assert sorted(calls(text)) == EXPORTED[text]


def test_a_shell_runs_the_file_of_bash_env_first() -> None:
    assert calls("BASH_ENV=<(echo rm b) bash -c 'rm a'") == [["b"], ["a"]]
    assert calls("echo v=b > t; export BASH_ENV=t; bash -c 'rm $v'") == [["b"]]
