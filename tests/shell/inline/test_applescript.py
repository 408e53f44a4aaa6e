"""AppleScript is followed far enough to say what it does, and no further."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.model.effect import Kind
from handrail.shell.inline.applescript import read


def effects(code: str) -> list[tuple[Kind, str]]:
    return [(effect.kind, effect.target) for effect in read(code).effects]


@pytest.mark.parametrize(
    ("code", "scripts"),
    [
        ('do shell script "rm -rf /etc"', ("rm -rf /etc",)),
        ('set d to "/etc"\ndo shell script "rm " & quoted form of d', ("rm /etc",)),
        ('tell application "Terminal" to do script "rm x"', ("rm x",)),
        ('set x to (do shell script "ls")', ("ls",)),
        ('do shell script "echo " & (the clipboard)', ("echo \ufffc",)),
        ('var a = Application.currentApplication(); a.doShellScript("rm x")', ("rm x",)),
    ],
)
def test_command_lines_that_go_to_a_shell_are_found(code: str, scripts: tuple[str, ...]) -> None:
    assert read(code).scripts == scripts


@pytest.mark.parametrize(
    ("code", "kind", "target"),
    [
        (
            'do shell script "id" with administrator privileges',
            Kind.PRIVILEGE,
            "administrator privileges",
        ),
        ('tell application "Finder" to delete POSIX file "/a/b"', Kind.DELETE, "/a/b"),
        ('tell application "Finder" to empty trash', Kind.DELETE, "~/.Trash"),
        ('tell application "System Events" to shut down', Kind.SYSTEM, "shut down"),
        ('open location "http://a"', Kind.REACH, "http://a"),
        (
            'display dialog "Password" default answer "" with hidden answer',
            Kind.SECRET,
            "a password",
        ),
    ],
)
def test_an_effect_is_found_with_its_target(code: str, kind: Kind, target: str) -> None:
    assert (kind, target) in effects(code)


@pytest.mark.parametrize(
    "code",
    [
        'display notification "do shell script done"',
        '-- do shell script "x"',
        '(* do shell script "x" *) beep',
        'tell application "Music" to play',
        'return "delete trash"',
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
