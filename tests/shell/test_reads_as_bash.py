"""Words become what bash makes of them, or stay unknown: one row for each cause of a difference.

`tests/fuzz/test_differential.py` found these by running bash; here each stands alone.
"""

import pytest
from tests.shell.reading_calls import HOME, calls, commands

from handrail.shell import OPAQUE

UNKNOWN = OPAQUE

ONE_WORD = {
    # adjacent pieces are one word, wherever the parser cuts
    "D=a; rm $HOME/$D/b": f"{HOME}/a/b",
    "D=a; E=b; rm $D/$E/c$D": "a/b/ca",
    "D=a; x=$HOME/$D/b; rm $x": f"{HOME}/a/b",
    "D=a; x=$D/$D/b rm $D/$D/b": "a/a/b",
    "D=a; export x=$D/$D/b; rm $x": "a/a/b",
    "for x in $HOME/$HOME/a; do rm $x; done": f"{HOME}/{HOME}/a",
    # defaults
    "unset u v; rm ${u:-${v:-a}}": "a",
    "unset u v; x=a; rm ${u:-$x/b}": "a/b",
    "unset u v; x=a; rm ${u:-${x}b}": "ab",
    "x=; rm ${x:-a}": "a",
    "x=; rm ${x+a}": "a",
    "x=1; rm ${x:+a}": "a",
    "unset u v; : ${u:=a}; rm $u": "a",
    "unset u v; rm ${u:-~/a}": f"{HOME}/a",
    'unset u v; rm "${u:-a b}"': "a b",
    "unset u v; rm ${u:-'a b'}": "a b",
    # patterns
    "x=a=b=c; rm ${x%%=*}": "a",
    "x=a=b=c; rm ${x%=*}": "a=b",
    "x=a=b=c; rm ${x##*=}": "c",
    "x=a7; rm ${x%[0-9]}": "a",
    'j=Q; x=aQ; rm "${x%"$j"}"': "a",
    "x=a.c; rm ${x/./b}": "abc",
    "x=QaQ; rm ${x//Q/}": "a",
    "x=Qa; rm ${x/#Q/}": "a",
    "x=aQ; rm ${x/%Q/b}": "ab",
    "x=QxZa; rm ${x/Q*Z/}": "a",
    # letters and other changes
    "x=AB; rm ${x,,}": "ab",
    "x=AB; rm ${x@L}": "ab",
    "x=ab; rm ${x^}": "Ab",
    "x=AB; rm ${x~~}": "ab",
    "declare -l x=AB; rm $x": "ab",
    "declare -l x; x=AB; rm $x": "ab",
    r"x='\x61b'; rm ${x@E}": "ab",
    "x='a b'; eval y=${x@Q}; rm \"$y\"": "a b",
    # slices
    "x=abcd; rm ${x:1:2}": "bc",
    "x=abcd; rm ${x: -2}": "cd",
    "x=abcd; rm ${x:1:-1}": "bc",
    "x=abcd; k=1; rm ${x:k+1}": "cd",
    'set -- a b c; rm "${@:2:1}"': "b",
    'set -- a b c; rm "${@: -1}"': "c",
    # names of names
    "x=a; y=x; rm ${!y}": "a",
    "declare -n y=x; x=a; rm $y": "a",
    "declare -n y=x; y=a; rm $x": "a",
    "f() { local -n r=$1; r=a; }; f x; rm $x": "a",
    "x=(a b); y=x[1]; rm ${!y}": "b",
    # arrays
    "x=(a b); rm ${x[1]}": "b",
    "x=(a b); rm $x": "a",
    "x=(a b); rm ${x[-1]}": "b",
    "x=(a b); i=0; rm ${x[i+1]}": "b",
    "x[2]=b; x[0]=a; rm ${x[2]}": "b",
    "x=(a); x+=(b); rm ${x[1]}": "b",
    "x=([3]=b [1]=a); rm ${x[3]}": "b",
    "declare -A x=([k]=a [m]=b); rm ${x[k]}": "a",
    "declare -A x; x[k]=a; q=k; rm ${x[$q]}": "a",
    "x=(a b); unset 'x[0]'; rm \"${x[@]}\"": "b",
    'x=(aQ); rm "${x[@]%Q}"': "a",
    "printf -v 'x[1]' a; rm ${x[1]}": "a",
    # input
    "read a b <<< 'x y z'; rm $a": "x",
    "read a b <<< 'x y z'; rm \"$b\"": "y z",
    "IFS== read a b <<< x=y; rm $b": "y",
    "read -a x <<< 'a b'; rm ${x[1]}": "b",
    "read <<< a; rm $REPLY": "a",
    "read -d = x <<< a=b; rm $x": "a",
    "read -n 1 x <<< ab; rm $x": "a",
    "mapfile -t x <<< a; rm ${x[0]}": "a",
    "readarray -t -s 1 x <<< $'a\\nb'; rm $x": "b",
    # arguments
    "set a; rm $1": "a",
    "set - a; rm $1": "a",
    "set -e -- a; rm $1": "a",
    "set -- a b c; shift 2; rm $1": "c",
    "set -- a b; rm ${!#}": "b",
    # folders
    "cd ~; cd - > /dev/null; rm ~-/a": f"{HOME}/a",
    "pushd ~/a; pushd ~/b; rm ~1/x": f"{HOME}/a/x",
    "pushd ~/a; pushd ~/b; rm ~+0/x": f"{HOME}/b/x",
    "pushd ~/a; pushd ~/b; rm ~-1/x": f"{HOME}/a/x",
    "rm ~root/a": "/root/a",
    "rm \\~/a": "~/a",
    "rm ~\\/a": "~/a",
    # where variables live
    "x=a; f() { local x=b; }; f; rm $x": "a",
    "f() { declare -g x=a; }; f; rm $x": "a",
    "x=a; ( x=b ); rm $x": "a",
    "x=a; unset y; rm $x": "a",
    "f() { local x=a; declare -u x; rm $x; }; f": "a",
    "exec 7< f; echo a | { read x; rm $x; }": "a",
    "export -n x=a; rm $x": "a",
    "declare 'x=a'; rm $x": "a",
    # output of commands
    "rm $(echo b >&2; echo a)": "a",
    r"rm $(printf '%b' '\0141')": "a",
    # sums and braces
    "rm $((2*3-1))": "5",
    "n=2; rm f$((n+1))": "f3",
    "rm $[16#ff]": "255",
    "rm $(( 7 / -2 ))": "-3",
    # lines that the parser joins or splits wrongly
    "a=1 b=$a\nrm $b": "1",
    "( cat <<E; rm a\nx\nE\n:\n)": "a",
    "until v=1 > f\nrm a; do :; done": "a",
    "bash <<E\nrm $((1+2))\nE": "3",
    "rm `echo a`": "a",
    "if rm b`echo a`\nthen :; fi": "ba",
    "exec < f; rm $(cat)": UNKNOWN,
    "a | b | c\nrm a\nd > f": "a",
    "a | b | c\nrm a\n[ 1 ] || d": "a",
    "! export v\nrm a": "a",
    # what is behind a name
    "rm() { command rm $1; }; rm a": "a",
    "cd $X/..; rm ~+": f"{UNKNOWN}/..",
    "cd $X; cd ..; rm ~+": UNKNOWN,
    "set -- *.txt; rm $2": UNKNOWN,
    "x=(p a q); i=0; : ${x[++i]}; rm $i": UNKNOWN,
    "rm {1..a}": "{1..a}",
    "select x in a; do :; done <<< b; rm $REPLY": "b",
    # output that is not what it seems
    'rm "$(echo *)"': UNKNOWN,
    "x=$(echo ~/.ssh/*); rm $x": f"{HOME}/.ssh/{UNKNOWN}",
    'rm "$(true || echo a)"': "",
    'rm "$([ a = b ] && echo a)"': UNKNOWN,
    'rm "$({ echo a >&3; } 3>&1)"': UNKNOWN,
    'rm "$(exit; echo a)"': UNKNOWN,
    "echo a > t; git log > t; rm $(< t)": UNKNOWN,
    "echo a > t; false && echo b > t; rm $(< t)": UNKNOWN,
    "git log {fd}> t | rm $(cat)": UNKNOWN,
    # escapes
    "true\n\\rm a": "a",
    "rm $'a\\0b'": "a",
    'rm "\\}"': "\\}",
}


@pytest.mark.parametrize("text", ONE_WORD)
def test_a_word_becomes_what_bash_makes_of_it(text: str) -> None:
    assert calls(text) == [[ONE_WORD[text]]]


SEVERAL_WORDS = {
    "v='a  b '; rm $v": ["a", "b"],
    "IFS=:; v=a::b; rm $v": ["a", "", "b"],
    "IFS=:; v=a:b; rm \"$v\"": ["a:b"],
    "IFS=; v='a b'; rm $v": ["a b"],
    "IFS=' :'; v=' a : b '; rm $v": ["a", "b"],
    "v='a b'; rm x$v$v": ["xa", "ba", "b"],
    "v=; rm $v \"$v\"": [""],
    "v=(a 'b c'); rm \"${v[@]}\"": ["a", "b c"],
    "v=(a 'b c'); rm ${v[@]}": ["a", "b", "c"],
    "IFS=,; v=(a b); rm \"${v[*]}\"": ["a,b"],
    "set -- a 'b c'; rm \"x$@y\"": ["xa", "b cy"],
    "set --; rm \"$@\"": [],
    "v=(a b c); rm \"${v[@]:1}\"": ["b", "c"],
    "v=(a b); rm \"${v[@]/#/-}\"": ["-a", "-b"],
    "rm {a,$HOME}": ["a", HOME],
    "v='b c'; rm {a,$v}": ["a", "b", "c"],
    "v='{a,b}'; rm $v": ["{a,b}"],
    "rm {01..3}": ["01", "02", "03"],
    "rm {a..e..2}": ["a", "c", "e"],
    "rm {,x}": ["x"],
}  # fmt: skip


@pytest.mark.parametrize("text", SEVERAL_WORDS)
def test_values_are_split_as_bash_splits_them(text: str) -> None:
    assert calls(text) == [SEVERAL_WORDS[text]]


EACH_OF = {
    "x=a; false && x=b; rm $x": [["b"], ["a"]],
    "x=a; if t; then x=b; fi; rm $x": [["a"], ["b"]],
    "x=echo; t && x=rm; $x a": [["a"]],
    "while read v; do rm $v; done <<< $'a\\nb'": [["a"], ["b"]],
    "{ read y; read x; rm $x; } <<< $'a\\nb'": [["a"], ["b"]],
    "i=0; while t; do rm f$i; i=$((i+1)); done": [["f0"], [f"f{UNKNOWN}"]],
    "alias rm=echo; rm a": [["a"]],
    "x=a; { x=b; } & rm $x": [["a"]],
    "x=a; if t; then x=b & fi; rm $x": [["a"]],
    "local x=b; x=a; local x=c; rm $x": [["a"]],
    "set -- a; false && set -- b; rm $1": [["a"], ["b"]],
    "x=(a); false && x=(b c); rm ${x[0]}": [["a"], ["b"]],
    "f() { rm a; }; false && f() { rm b; }; f": [["a"], ["b"]],
    "f() { x=a; return; x=b; }; f; rm $x": [["a"], ["b"]],
    "for x in a b; do break; done; rm $x": [["a"], ["b"]],
    "f() { while t; do x=a; return; done; x=b; }; f; rm $x": [["b"], ["a"]],
    "x=a; for y in; do x=b; done; rm $x": [["a"], ["b"]],
    "case p in p) x=a;& q) rm $x;; esac": [["a"], [UNKNOWN]],
    'while read x; do :; done <<< a; rm "$x"': [["a"], [""], [UNKNOWN]],
    "if true; then v=1 w=a\nelif x; then y; fi\nrm $w": [["a"], [UNKNOWN]],
    "readonly x=a; x=b; rm $x": [["a"], ["b"]],
    "for ((i=0; i<2; i++)); do rm $i; done": [[UNKNOWN]],
    "x=a; false && { x=b; cd /; }; rm $x": [["a"], ["b"]],
    "x=a; trap 'rm $x' EXIT; x=b": [["a"], ["b"]],
    # a list that nobody has made yet has no elements
    'unset x; false && x[1]=a; rm "${x[@]}"': [["a"], []],
    # a name that is known in part may be that of a function
    "rm() { command rm b; }; ${X}m a": [["b"]],
    # a variable that may not be there
    "unset x; false && x=; rm ${x-a}": [["a"], []],
    "unset x; false && x=b; rm ${x+a}": [["a"], []],
    "readonly x=a; f() { local x; rm ${x-b}; }; f": [["a"], ["b"]],
    "f() { local x=b; g() { unset x; rm $x; }; g; }; x=a; f": [["a"]],
    "f() { local x=b; g() { false && unset x; rm $x; }; g; rm $x; }; x=a; f": [["a"], ["b"]] * 2,
    # what leaves a loop keeps what it had
    "for x in a b; do break; for y in c; do x=; done; done; rm $x": [["a"], ["b"], []],
    "for x in a b; do for y in c; do break 2; done; x=; done; rm $x": [["a"], ["b"], []],
    # every text that a substitution may print
    "x=a; false && x=*.c; rm $(echo $x)": [[UNKNOWN]],
    "x=*.h; false && x=*.c; rm $(echo $x)": [["*.h", "*.c"]],
    "cd /a; rm $(cd -)": [["/work"]],
    "popd; rm $(cd -)": [[UNKNOWN]],
    # all the names that match, in one text, are no name that matches
    'for x in ?.txt; do set -- $x; y=$*; done; rm "$y"': [[UNKNOWN], [f"?.txt{UNKNOWN}"]],
    'for x in ?.txt; do x+=y; done; rm "$x"': [[UNKNOWN], ["?.txty"]],
}


@pytest.mark.parametrize("text", EACH_OF)
def test_a_command_is_read_with_each_value_it_may_have(text: str) -> None:
    assert sorted(calls(text)) == sorted(EACH_OF[text])


OPENED = {
    "D=.ssh; echo x > $HOME/$D/authorized_keys": [f"{HOME}/.ssh/authorized_keys"],
    "D=.ssh; cat <<< x >> $HOME/$D/authorized_keys": [f"{HOME}/.ssh/authorized_keys"],
    "D=.ssh; cat <<E > $HOME/$D/a y\nq\nE": [f"{HOME}/.ssh/a"],
    "x=a; true && x=b; echo > $x": ["b", "a"],
    "f() { echo x; } > a; f": ["a"],
    "f() { echo x; }; f > a": ["a"],
    "alias f='echo x'; f > a": ["a", "a"],
    "x='a b'; echo > \"$x\"": ["a b"],
}


@pytest.mark.parametrize("text", OPENED)
def test_redirects_open_what_bash_opens(text: str) -> None:
    found = [item.target.text for command in commands(text) for item in command.redirects]
    assert [path for path in found if path != "/dev/null"] == OPENED[text]


GIVEN = {
    "cat <<E\n\ta\nE": "\ta\n",
    "cat <<-E\n\ta\n\t\tb\nE": "a\nb\n",
    "cat <<'E'\n a\nE": " a\n",
    "v=a; cat <<E\n$v `echo b` \\$v\nE": "a b $v\n",
    "v='a  b'; cat <<< $v": "a  b\n",
    "cat <<< *.c": "*.c\n",
    "set -- *.c; v=$1; cat <<< $v": f"{UNKNOWN}.c\n",
    "set -- *.c; v=$1; cat <<E\n$v *\nE": f"{UNKNOWN}.c *\n",
    "v=a; cat <<E\n$v *\nE": "a *\n",
}


@pytest.mark.parametrize("text", GIVEN)
def test_a_command_is_given_what_bash_gives_it(text: str) -> None:
    assert [command.input for command in commands(text) if command.name == "cat"] == [GIVEN[text]]


IN_FOLDER = {
    "false && cd /a; rm x": UNKNOWN,
    "[ -n $X ] && cd /a; rm x": UNKNOWN,
    "mkdir a && cd /a; rm x": "/a",
    "cd /a & rm x": "/work",
    "if t; then cd /a; cd /b; fi; cd -; rm x": UNKNOWN,
    "cd /a | true; rm x": "/work",
    "f() { return; cd /a; }; f; rm x": UNKNOWN,
    "while t; do cd ..; rm x; done": UNKNOWN,
    # what hangs on a step that fails does not run
    "local v && cd /a; rm x": UNKNOWN,
    "! v=1 && cd /a; rm x": UNKNOWN,
    "! export v && cd /a; rm x": UNKNOWN,
    "readonly v; f() { local v && cd /a; }; f; rm x": UNKNOWN,
    "cd - && cd /a; rm x": UNKNOWN,
    "cd /b; cd - && cd /a; rm x": "/a",
    "popd && cd /a; rm x": UNKNOWN,
    "cd /a; popd; cd -; rm x": UNKNOWN,
    "pushd && cd /a; rm x": UNKNOWN,
    "pushd /a; pushd /b; popd && cd /c; rm x": "/c",
    "shift && cd /a; rm x": UNKNOWN,
    "set -- b; shift && cd /a; rm x": "/a",
    "f() { [ b ]; }; f && cd /a; rm x": UNKNOWN,
    "f() { if t; then return 1; fi; }; f && cd /a; rm x": UNKNOWN,
    "f() { t; return 0; }; f && cd /a; rm x": "/a",
    "f() { t; }; f && cd /a; rm x": "/a",
    # nothing runs where a redirect has no name, or several
    "v=; { cd /a; } > $v; rm x": UNKNOWN,
    'v=; { cd /a; } > "$v"; rm x': UNKNOWN,
    "v='b c'; cd /a > $v; rm x": UNKNOWN,
    "v=; t > $v && cd /a; rm x": UNKNOWN,
    "v=b; t > $v && cd /a; rm x": "/a",
}


@pytest.mark.parametrize("text", IN_FOLDER)
def test_a_command_runs_where_bash_runs_it(text: str) -> None:
    (*_, last) = (command for command in commands(text) if command.name == "rm")
    assert last.cwd.text == IN_FOLDER[text]


def test_a_compound_opens_its_files_before_it_moves() -> None:
    (*_, last) = commands("{ cd /a; } > f")
    assert (last.cwd.text, last.redirects[0].target.text) == ("/work", "f")


def test_a_long_sequence_ends_with_a_wildcard() -> None:
    (command,) = commands("kill {1..9999}")
    assert command.argv[-1].glob


def test_what_begins_with_a_digit_is_no_assignment() -> None:
    (command,) = commands("4=b rm x")
    assert [word.text for word in command.argv] == ["4=b", "rm", "x"]


def test_mapfile_calls_what_it_is_told() -> None:
    assert calls("mapfile -c 1 -C 'rm a' x <<< k") == [["a", UNKNOWN, UNKNOWN]]


def test_a_shell_gets_only_what_is_exported() -> None:
    assert calls("x=a; bash -c 'rm ${x:-b}'") == [["b"]]
    assert calls("export x=a; bash -c 'rm ${x:-b}'") == [["a"]]
    assert calls("x=a bash -c 'rm ${x:-b}'") == [["a"]]
    assert calls("set -a; x=a; bash -c 'rm ${x:-b}'") == [["a"]]


def test_a_function_that_calls_itself_does_so_with_anything() -> None:
    assert calls("f() { rm $1; shift; f $@; }; f a b") == [["a"], [UNKNOWN]]


@pytest.mark.parametrize("word", ["!(a|b)", "x@(a|b)", "x?(a)y"])
def test_an_extended_pattern_is_a_wildcard(word: str) -> None:
    (command,) = commands(f"rm {word}")
    assert command.argv[1].glob


STAYS_UNKNOWN = (
    "rm ${x@A}",
    "x=$RANDOM; rm $x",
    "declare -A x=([a]=1 [b]=2); rm ${x[@]}",
    "x=(*.txt b); rm ${x[1]}",
    "n=1; rm $((n++))",
    "read x < f; rm $x",
    "rm ${x:-a}",
)


@pytest.mark.parametrize("text", STAYS_UNKNOWN)
def test_what_only_running_tells_stays_unknown(text: str) -> None:
    assert any(UNKNOWN in word for words in calls(text) for word in words)
