"""Globs against a slow matcher that is plainly right."""

import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handrail.config.glob import compile_globs, escape, known_folder, must_be_glob


def matches(glob: str, path: str) -> bool:
    return compile_globs((glob,)).fullmatch(path) is not None


def slow_match(globs: list[str], names: list[str]) -> bool:
    """Whether a list of name globs covers a list of names, by trying everything."""
    if not globs:
        return True
    if globs[0] == "**":
        return any(slow_match(globs[1:], names[skip:]) for skip in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], globs[0]) and slow_match(globs[1:], names[1:])


NAMES = st.text("ab.-]", min_size=1, max_size=5)
# fnmatch reads a backslash as itself, so escapes have their own tests.
PIECES = st.sampled_from(
    ["a", "b", ".", "-", "*", "**", "?", "[a]", "[!a]", "[a-b]", "[]-]", "[", "]", "!"]
)
NAME_GLOBS = st.one_of(st.just("**"), st.lists(PIECES, min_size=1, max_size=5).map("".join))


@given(st.lists(NAME_GLOBS, min_size=1, max_size=5), st.lists(NAMES, min_size=1, max_size=6))
@example(["**", "*a*b*", "a", "**", "b"], ["aab", "a", "ab", "a", "a", "b", "b"])
@example(["**", "a", "**", "a"], ["a"])
@example(["a"], ["a", "b"])
def test_globs_match_as_the_slow_matcher_says(globs: list[str], names: list[str]) -> None:
    expected = slow_match(globs, names)
    assert matches("/" + "/".join(globs), "/" + "/".join(names)) is expected


@given(NAME_GLOBS, st.lists(NAMES, min_size=1, max_size=5))
def test_a_glob_without_a_slash_matches_anywhere(glob: str, names: list[str]) -> None:
    assert matches(glob, "/" + "/".join(names)) is slow_match(["**", glob], names)


@given(st.lists(st.text(st.characters(exclude_characters="/"), min_size=1), min_size=1))
def test_an_escaped_path_matches_itself_and_what_is_in_it(names: list[str]) -> None:
    path = "/" + "/".join(names)
    assert matches(escape(path), path)
    assert matches(escape(path), f"{path}/x")
    assert not matches(escape(path), f"{path}x")


@example("[--&&]", "a")
@given(st.text("ab*?[]!^-\\{/&~|", max_size=12), st.text("ab[]-/\\", max_size=12))
def test_no_glob_breaks_the_matcher(glob: str, path: str) -> None:
    matches(glob, path)


CASES = [
    ("/a/**", "/a", True),
    ("/a/", "/a/b", True),
    ("build/", "/x/build/y", True),
    ("/a/*", "/a", False),
    ("/a/*.py", "/a/b.py", True),
    ("/a/*.py", "/a/b/c.py", False),
    ("/a/.*", "/a/.env", True),
    ("/a/*", "/a/.env", True),
    ("/a/x\\*", "/a/x*", True),
    ("/a/x\\*", "/a/xy", False),
    ("/a/[^b]", "/a/b", False),
    ("/a/[+-9]b", "/a//b", False),
    ("/a/[z-a]", "/a/b", False),
    ("/a/[!z-a]", "/a/b", True),
    ("/a/[--b]", "/a/a", True),
    ("/a/[b-]", "/a/-", True),
    ("/a/b", "/a/b\nc", False),
    ("/a/*", "/a/b\nc", True),
    ("*.corp", "git.corp", True),
    ("s3://bucket/*", "s3://bucket/key", True),
    ("s3://bucket/*", "s3://other/key", False),
]


@pytest.mark.parametrize(("glob", "path", "expected"), CASES)
def test_a_glob_matches(glob: str, path: str, expected: bool) -> None:
    assert matches(glob, path) is expected


def test_no_globs_match_nothing() -> None:
    assert compile_globs(()).fullmatch("") is None


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("/**/*a*a*a*a*a*b", "/" + "a" * 20_000),
        ("/" + "**/a/" * 8 + "b", "/a" * 20_000),
        ("*a*a*a*a*b", "/" + "a" * 20_000),
    ],
)
def test_a_hostile_path_costs_no_time(glob: str, path: str) -> None:
    start = time.process_time()
    assert not matches(glob, path)
    assert time.process_time() - start < 2  # backtracking would take years


@pytest.mark.parametrize(
    ("glob", "wrong"),
    [
        ("", "is empty"),
        ("!a", "cannot be negated"),
        ("a.{py,js}", "has braces"),
        ("a\\", "ends in a backslash"),
    ],
)
def test_a_glob_that_would_not_do_what_it_says_is_refused(glob: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        must_be_glob(glob)


@pytest.mark.parametrize("glob", ["a", "[a{]", "\\{a", "\\!a", "a/**/b"])
def test_other_globs_are_fine(glob: str) -> None:
    must_be_glob(glob)


@pytest.mark.parametrize(
    ("glob", "folder"),
    [
        ("/a/b", "/a/b"),
        ("/a/b*/c", "/a"),
        ("/a/b/**", "/a/b"),
        (escape("/a/[b] {c}*"), "/a/[b] {c}*"),
        ("/a/\\[b/c?", "/a/[b"),
        ("*", ""),
        ("", ""),
    ],
)
def test_the_folder_that_is_known_ends_before_the_first_wildcard(glob: str, folder: str) -> None:
    assert known_folder(glob) == folder
