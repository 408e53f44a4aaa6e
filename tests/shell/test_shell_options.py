"""Options of the shell change what bash makes of a line; the reader knows each, or says so."""

import pytest
from tests.shell.reading_calls import HOME, calls, commands

from handrail.shell import OPAQUE

UNKNOWN = OPAQUE

LAST_STAGE = {
    "v=a; echo | v=b; rm $v": [["a"], ["b"]],
    "echo | declare v=b; rm $v": [["b"], [UNKNOWN]],
    "v=a; echo | export v=b; rm $v": [["a"], ["b"]],
    "v=a; echo | printf -v v b; rm $v": [["a"], ["b"]],
    "v=a; echo b | { read v; }; rm $v": [["a"], ["b"]],
    "v=(a); echo b | mapfile -t v; rm ${v[0]}": [["a"], ["b"]],
    "v=a; f() { v=b; }; echo | f; rm $v": [["a"], ["b"]],
    "v=a; echo | for v in b; do :; done; rm $v": [["a"], ["b"]],
    "v=a; for x in 1 2; do echo | v=b; done; rm $v": [["a"], ["b"]],
    "v=a; ! echo | v=b; rm $v": [["a"], ["b"]],
    "v=a; v=$(echo | v=b; echo $v); rm $v": [[UNKNOWN]],
    "set -- a; echo | set -- b; rm $1": [["a"], ["b"]],
    "f() { rm a; }; echo | f() { rm b; }; f": [["a"], ["b"]],
    "v=a; for x in 1; do echo | break; v=b; done; rm $v": [["a"], ["b"]],
    "v=a; echo | (v=b); rm $v": [["a"]],
    "v=a; echo | v=b | cat; rm $v": [["a"]],
    "v=a; echo | v=b & rm $v": [["a"]],
}


@pytest.mark.parametrize("text", LAST_STAGE)
def test_the_last_stage_of_a_pipe_may_run_in_this_shell(text: str) -> None:
    assert sorted(calls(f"shopt -s lastpipe; {text}")) == LAST_STAGE[text]


def test_the_last_stage_may_leave_the_folder() -> None:
    (*_, last) = commands("shopt -s lastpipe; echo | cd sub; rm x")
    assert not last.cwd.exact


USES = "v=a; echo | v=b; rm $v"
SWITCHED_ON = (
    f"f() {{ shopt -s lastpipe; }}; f; {USES}",
    f"if t; then shopt -sq lastpipe; fi; {USES}",
    f"eval 'shopt -s lastpipe'; {USES}",
    f"builtin shopt -s lastpipe; {USES}",
    f"o=lastpipe; shopt -s $o; {USES}",
    f"shopt -s $UNKNOWN; {USES}",
    "v=a; for ((n=0; n<2; n++)); do echo | v=b; shopt -s lastpipe; done; rm $v",
    f"bash -O lastpipe -c '{USES}'",
    f"env BASHOPTS=lastpipe bash -c '{USES}'",
    f"export BASHOPTS; shopt -s lastpipe; bash -c '{USES}'",
    f"zsh -c '{USES}'",
)


@pytest.mark.parametrize("text", SWITCHED_ON)
def test_an_option_counts_wherever_it_was_switched_on(text: str) -> None:
    assert ["b"] in calls(text)


@pytest.mark.parametrize(
    "text", [USES, f"( shopt -s lastpipe ); {USES}", f"shopt -s lastpipe; bash -c '{USES}'"]
)
def test_an_option_of_another_shell_does_not_count(text: str) -> None:
    assert calls(text) == [["a"]]


CHANGED = {
    "set +B; rm {a,b}": [[UNKNOWN]],
    "set -o pipefail +o braceexpand; rm {a,b} {c}": [[UNKNOWN, "{c}"]],
    "set -ek; rm a=b c": [[UNKNOWN, "c"]],
    "set -eo keyword; rm a=b": [[UNKNOWN]],
    "shopt -so keyword; rm a=b": [[UNKNOWN]],
    "set -o pipefail k; rm a=b $1": [["a=b", "k"]],
    "shopt -s nocasematch; v=aA; rm ${v//a/}": [[UNKNOWN]],
    "shopt -s extglob; v=ab; rm ${v#+(a)} ${v#a}": [[UNKNOWN, "b"]],
    "v=ab; rm ${v#+(a)}": [["ab"]],
    r"""shopt -s xpg_echo; rm "$(echo 'a\x62')" """: [[UNKNOWN]],
    "shopt -s xpg_echo; rm $(echo ab)": [["ab"]],
    "shopt -s localvar_inherit; v=a; f() { local v; rm x$v; }; f": [["x"], ["xa"]],
    "shopt -s localvar_unset; v=a; f() { local v=b; g; }; g() { unset v; rm x$v; }; f": [
        ["x"],
        ["xa"],
    ],
    "set -o posix; v=a; v=b :; rm $v": [["a"], ["b"]],
    "POSIXLY_CORRECT=1; v=a; v=b eval :; rm $v": [["a"], ["b"]],
    "sh -c 'v=a; v=b export k; rm $v'": [["a"], ["b"]],
    "v=a; v=b :; rm $v": [["a"]],
    "sh -c 'v=a; v=b git log; rm $v'": [["a"]],
    "enable -n printf; v=a; printf -v v b; rm $v": [["a"], ["b"]],
}


@pytest.mark.parametrize("text", CHANGED)
def test_what_an_option_changes_is_read_both_ways_or_unknown(text: str) -> None:
    assert sorted(calls(text)) == CHANGED[text]


IN_FOLDER = {
    "shopt -s cdable_vars; x=~/.ssh; cd x; rm y": UNKNOWN,
    "CDPATH=/x; cd a; rm y": UNKNOWN,
    "CDPATH=/x; cd ./a; rm y": "/work/a",
    "CDPATH=/x; cd ~/a; rm y": f"{HOME}/a",
    "enable -n cd; cd /; rm y": UNKNOWN,
    "enable -n pwd; cd /a; rm y": "/a",
    "cd /a /b; rm y": UNKNOWN,
}


@pytest.mark.parametrize("text", IN_FOLDER)
def test_where_only_the_disk_tells_the_folder_it_is_unknown(text: str) -> None:
    (*_, last) = commands(text)
    assert last.cwd.text == IN_FOLDER[text]
