"""Names with a meaning of their own: `$0`, what the shell keeps, aliases, shadowed builtins."""

import pytest
from tests.shell.reading_calls import calls, commands

from handrail.shell import OPAQUE

UNKNOWN = OPAQUE

ZERO = {
    "rm $0": [["bash"], [UNKNOWN]],
    "rm ${!#}": [["bash"], [UNKNOWN]],
    'rm "${@:0}"': [[UNKNOWN]],
    "bash -c 'rm $0'": [["bash"]],
    "/bin/sh -c 'rm $0'": [["/bin/sh"]],
    "bash <<< 'rm $0'": [["bash"]],
    "bash -c 'rm $0' a": [["a"]],
    "bash -c 'rm ${!#}'": [["bash"]],
    "bash -c 'rm ${!#}' a b": [["b"]],
    "bash -c 'set -- b; set --; rm ${!#}' a": [["a"]],
    "bash -c 'v=0; rm ${!v}' a": [["a"]],
    "bash -c 'rm \"${@:0}\"' a b": [["a", "b"]],
    "exec -a k bash -c 'rm $0'": [["bash"], [UNKNOWN]],
    "bash -c 'BASH_ARGV0=b; rm $0' a": [["a"], ["b"]],
    "bash -c 'for BASH_ARGV0 in b; do rm ${!#}; done' a": [["a"], ["b"]],
    "bash -c 'if t; then read BASH_ARGV0 <<< b; fi; rm $0' a": [["a"], ["b"]],
    "bash -c 'for ((n=0; n<2; n++)); do rm $0; BASH_ARGV0=b; done' a": [["a"], ["a"], ["b"]],
    "export BASH_ARGV0=b; bash -c 'rm $0' a": [["a"], ["b"]],
    "BASH_ARGV0=b bash -c 'rm $0' a": [["a"], ["b"]],
}


@pytest.mark.parametrize("text", ZERO)
def test_a_shell_is_called_by_the_name_that_somebody_gave_it(text: str) -> None:
    assert sorted(calls(text)) == ZERO[text]


KEPT = {
    "PWD=/x; rm $PWD/a": "/x/a",
    "PWD=/x; rm ~+/a": "/x/a",
    "for PWD in /x; do rm $PWD/a; done": "/x/a",
    "unset PWD; rm x$PWD": "x",
    "PWD=/x; cd /y; rm $PWD/a": "/y/a",
    "PWD=/x; popd; rm $PWD": UNKNOWN,
    "export PWD=/x; bash -c 'rm $PWD/a'": "/work/a",
    "RANDOM=a; rm $RANDOM": UNKNOWN,
    "read LINENO <<< a; rm $LINENO": UNKNOWN,
    "FUNCNAME=(a b); rm $FUNCNAME": UNKNOWN,
    "declare -n r=SECONDS; r=a; rm $SECONDS": UNKNOWN,
    "IFS=x bash -c 'v=axb; rm $v'": "axb",
    # what one character is depends on the locale
    "v=é; rm ${#v}": UNKNOWN,
    "v=éb; rm ${v:1}": UNKNOWN,
    "v=é; rm ${v^^}": UNKNOWN,
    "v=é; rm ${v@U}": UNKNOWN,
    "v=éb; rm ${v#?}": UNKNOWN,
    "v=éb; rm ${v%b}": "é",
}


@pytest.mark.parametrize("text", KEPT)
def test_a_variable_of_the_shell_holds_what_the_shell_puts_there(text: str) -> None:
    assert calls(text) == [[KEPT[text]]]


ALIASES = {
    "alias shift=true; set -- a b; shift; rm $1": [["a"], ["b"]],
    "alias eval=true; eval rm a": [["a"]],
    "alias q='rm '; alias a=b; q a": [["a"], ["b"]],
    "alias q='v=b; rm'; v=a; q $v": [[UNKNOWN]],
    "alias q='rm'; v=a; q $v": [["a"]],
    "alias export='v=b; export'; v=a; export k; rm $v": [["a"], ["b"]],
    "alias unset='v=b; unset'; v=a; unset k; rm $v": [["a"], ["b"]],
    "alias cat='echo b #'; rm $(cat <<< a)": [[UNKNOWN]],
    "alias cat='command cat'; rm $(cat <<< a)": [["a"]],
    "BASH_ALIASES[q]='rm a'; q": [["a"]],
    "BASH_ALIASES=([q]='rm a'); q": [["a"]],
    "BASH_CMDS[q]=/bin/rm; q a": [["a"]],
    "hash -p /bin/rm ls; ls a": [["a"]],
}


@pytest.mark.parametrize("text", ALIASES)
def test_an_alias_may_be_in_force_or_not(text: str) -> None:
    assert sorted(calls(text)) == ALIASES[text]


def test_an_alias_of_cd_leaves_the_folder_open() -> None:
    (*_, last) = commands("alias cd=true; cd /; rm x")
    assert not last.cwd.exact


SHADOWED = {
    "export() { :; }; v=a; export v=b; rm $v": [["a"], ["b"]],
    "declare() { v=c; }; v=a; declare v=b; rm $v": [["b"], ["c"]],
    "local() { rm k; }; f() { local v=a; rm $v; }; v=b; f": [["a"], ["b"], ["k"]],
    "unset() { :; }; v=a; unset v; rm x$v": [["x"], ["xa"]],
}


@pytest.mark.parametrize("text", SHADOWED)
def test_a_function_may_have_the_name_of_a_keyword(text: str) -> None:
    assert sorted(calls(text)) == SHADOWED[text]


def test_an_element_is_unset_without_quotes() -> None:
    assert calls('x=(a b); unset x[0]; rm "${x[@]}"') == [["b"]]
    assert calls('x=(a b); y=k; unset x[1] y; rm "${x[@]}" ${y-c}') == [["a", "c"]]
