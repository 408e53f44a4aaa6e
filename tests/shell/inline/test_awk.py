"""AWK is followed far enough to say what it does, and no further."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.awk import read


def effects(code: str) -> list[tuple[Kind, str]]:
    return [(effect.kind, effect.target) for effect in read(code).effects]


@pytest.mark.parametrize(
    ("code", "scripts"),
    [
        ('BEGIN{system("rm -rf /etc")}', ("rm -rf /etc",)),
        ('BEGIN { "rm x" | getline }', ("rm x",)),
        ('{ "date -d " $1 | getline d; print d }', ("date -d \ufffc",)),
        ('{ cmd = "id " $1; cmd | getline d }', ("id \ufffc",)),
        ('{print $2 | "sort -u"}', ("sort -u",)),
        ('{print "rm " $1 | "sh"}', ("rm \ufffc",)),
        (
            'BEGIN{system("rm\\u0020-rf\\u0020/"); cmd="rm\\x20x"; system(cmd)}',
            ("rm -rf /", "rm x"),
        ),
        ('BEGIN{while(("ls" | getline f) > 0) print f}', ("ls",)),
        ('BEGIN{system("rm " ENVIRON["HOME"] "/x")}', ("rm ~/x",)),
        ('$3 > 100 { system("id") }', ("id",)),
    ],
)
def test_command_lines_that_go_to_a_shell_are_found(code: str, scripts: tuple[str, ...]) -> None:
    assert read(code).scripts == scripts


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ('{print $1 > "out.txt"}', Kind.WRITE, "out.txt"),
        ('{printf "%s", $1 >> "log"}', Kind.WRITE, "log"),
        ('{print > $1".txt"}', Kind.WRITE, "\ufffc.txt"),
        ('BEGIN{while((getline l < "/etc/shadow") > 0) print l}', Kind.READ, "/etc/shadow"),
        ('{print $0 |& "/inet/tcp/0/a/80"}', Kind.SEND, "a:80"),
    ],
)
def test_an_effect_is_found_with_its_target(code: str, kind: Kind, target: str) -> None:
    assert (kind, target) in effects(code)


@pytest.mark.parametrize(
    "code",
    [
        '{ print | "sh" }',
        '{ print $0 | "/bin/bash" }',
    ],
)
def test_what_nobody_can_see_before_it_runs_is_unseen(code: str) -> None:
    assert Kind.UNSEEN in {effect.kind for effect in read(code).effects}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (
            'BEGIN{s="/inet/tcp/0/a/44";while(1){s|&getline c;while((c|&getline r)>0)print r|&s}}',
            Kind.UNSEEN,
        ),
    ],
)
def test_the_worst_is_critical(code: str, kind: Kind) -> None:
    assert (kind, Severity.CRITICAL) in {(e.kind, e.severity) for e in read(code).effects}


@pytest.mark.parametrize(
    "code",
    [
        "{print $1}",
        '/rm -rf/ {print FILENAME": "$0}',
        '{ if ($1 == "rm") print "found rm -rf" }',
        'BEGIN { print "rm -rf /" }',
        "$3 > 100 {print $1, $3}",
        '{ if ($1 > m) m = $1 } END { print m > "/dev/stderr" }',
        '# system("x")\n{print "system(y)"}',
        "NR>1 && $2 ~ /foo|bar/ {print $1}",
        '{print ($1 > 5) ? "a" : "b"}',
        'BEGIN{FS="|"} {print $2}',
    ],
)
def test_ordinary_code_and_words_in_texts_and_comments_do_nothing(code: str) -> None:
    result = read(code)
    assert {effect.kind for effect in result.effects} <= {Kind.READ, Kind.WRITE, Kind.RUN}
    assert not result.scripts
    assert not result.calls


@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    read(text)


@pytest.mark.parametrize(
    "piece", [*"([{'\"`/\\-#<$%@;|&=.", "${", "#{", "--[[", "/*", "<<A\n", "s/[", "a.b("]
)
def test_deep_or_endless_code_is_read_in_time(piece: str) -> None:
    read("system eval os open require(" + piece * 20_000)
