"""What a glob may mean at most."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.config.glob import compile_globs, escape
from handrail.config.glob_reach import may_mean


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("/r/**/*.md", "/r/a.md"),
        ("/r/**/*.md", "/r/x/y/a.md"),
        ("/r/**/*.md", "/r/a.MD"),  # find -iname
        ("/r/**/*.md", "/r/a.md/b.txt"),  # a folder with that name
        ("/r/**/*.log", "/r/a.log.txt/b.log"),
        ("/r/**/src/*.py", "/r/src/deep/a.py"),  # find -path
        ("/r/**/build", "/r/x/build/a.o"),
        ("/r/**/a?b[c]", "/r/axbc"),
        ("/r/**/?*", "/r/x"),
        ("/r/no*.txt", "/r/notes.txt"),
        ("/r/*", "/r/x/y"),
        ("/r", "/r/x"),
        ("/r", "/r"),
        ("/r/\\[id\\].tsx", "/r/[id].tsx"),
        ("/r/[]a].md", "/r/a.md"),
        ("/r/[!]b].md", "/r/a.md"),
        ("/r\\/a", "/r\\/a"),
    ],
)
def test_it_may_mean_this(glob: str, path: str) -> None:
    assert may_mean(glob, path)


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("/r/**/*.md", "/r/a.mdx"),
        ("/r/**/*.md", "/q/a.md"),
        ("/r/**/build", "/r/builder"),
        ("/r/**/?*", "/r"),
        ("/r/no*.txt", "/r/x.txt"),
        ("/r", "/rx"),
        ("/r/\\[id\\].tsx", "/r/i.tsx"),
        ("/r/**/a*b", "/r/b/a"),
    ],
)
def test_it_cannot_mean_this(glob: str, path: str) -> None:
    assert not may_mean(glob, path)


names = st.text(st.sampled_from("aB.\\*?[]{é "), min_size=1, max_size=6)
paths = st.lists(names, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))


@given(paths)
def test_an_escaped_path_means_itself(path: str) -> None:
    assert may_mean(escape(path), path)


@given(st.lists(st.one_of(names, st.just("**")), min_size=1, max_size=4), paths)
def test_it_means_all_that_the_strict_reading_means(parts: list[str], path: str) -> None:
    glob = "/" + "/".join(parts)
    if compile_globs((glob,)).fullmatch(path):
        assert may_mean(glob, path)
