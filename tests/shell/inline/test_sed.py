"""sed is followed far enough to say what it does, and no further."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.shell.inline.sed import read


def effects(code: str) -> list[tuple[Kind, str]]:
    return [(effect.kind, effect.target) for effect in read(code).effects]


@pytest.mark.parametrize(
    ("code", "scripts"),
    [
        ("1e rm -rf /etc", ("rm -rf /etc",)),
        ("s/.*/rm -rf \\/etc/e", ("rm -rf /etc",)),
        ("s|a|rm /x|ge", ("rm /x\ufffc",)),
        ("s/\\(.*\\)/mv \\1 &.bak/e", ("mv \ufffc \ufffc.bak",)),
        ("/foo/,/bar/e id", ("id",)),
        ("p;/a/{s/c/id/e}", ("id\ufffc",)),
        ("\\,x,e id", ("id",)),
    ],
)
def test_command_lines_that_go_to_a_shell_are_found(code: str, scripts: tuple[str, ...]) -> None:
    assert read(code).scripts == scripts


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ("s/a/b/w out.txt", Kind.WRITE, "out.txt"),
        ("w /tmp/x", Kind.WRITE, "/tmp/x"),
        ("2,4w out.log", Kind.WRITE, "out.log"),
        ("$r /etc/passwd", Kind.READ, "/etc/passwd"),
        ("s/foo/[e/;w x", Kind.WRITE, "x"),
        ("/a/!W y", Kind.WRITE, "y"),
    ],
)
def test_an_effect_is_found_with_its_target(code: str, kind: Kind, target: str) -> None:
    assert (kind, target) in effects(code)


@pytest.mark.parametrize(
    "code",
    [
        "e",
        "1e",
    ],
)
def test_what_nobody_can_see_before_it_runs_is_unseen(code: str) -> None:
    assert Kind.UNSEEN in {effect.kind for effect in read(code).effects}


@pytest.mark.parametrize(
    "code",
    [
        "s/X/rm/",
        "/rm -rf/p",
        "/DROP TABLE/,/;/p",
        "s/rm -rf/trash/g",
        "s|/usr/e|/opt/w|g",
        "s/origin\\///",
        "1,10d;$!N;s/[/e]x/y/",
        "y/abc/ewr/",
        "/start/,/end/c\\new text e rm",
        "a hello w file",
        "/^#/d;/^$/d;s/ *$//",
        "s/e/w/g;s/w e/r/",
        "b end; :end",
        "w /dev/stdout",
        "s/'/\"/g",
        "1!G;h;$!d",
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
