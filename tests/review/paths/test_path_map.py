"""Look-ups instead of matching give the same answers as matching."""

from hypothesis import given
from hypothesis import strategies as st

from handrail.config import compile_globs
from handrail.review.paths.path_map import PathMap, path_set

NAMES = st.sampled_from(["a", "b", ".git", "x.pem", "core.1", "hooks", "~", "c d", "x"])
PATHS = st.lists(NAMES, min_size=1, max_size=5).map(lambda parts: "/" + "/".join(parts))
WILD = st.sampled_from(
    ["*.pem", "core.*", "a", ".git", "/a", "/a/b", "/a/*", "**/a/b", "**/.git/hooks", "/a/**/x",
     "/a/x*", "**/a/c*", "x?pem", "**/a/*.pem", "/~/.git", "*"]
)  # fmt: skip


@given(globs=st.lists(WILD, max_size=6), path=PATHS)
def test_a_set_covers_what_its_globs_match(globs: list[str], path: str) -> None:
    expected = any(compile_globs((glob,)).fullmatch(path) for glob in globs)
    assert (path in path_set(globs)) == expected


@given(globs=st.lists(WILD, min_size=1, max_size=6), path=PATHS)
def test_the_first_glob_in_order_wins(globs: list[str], path: str) -> None:
    matching = [i for i, glob in enumerate(globs) if compile_globs((glob,)).fullmatch(path)]
    found = PathMap((glob, index) for index, glob in enumerate(globs)).find(path)
    assert found == (matching[0] if matching else None)


def test_an_empty_map_covers_nothing() -> None:
    assert PathMap[int](()).find("/a") is None
