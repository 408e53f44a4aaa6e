"""Whatever two trees there are: a restore gives exactly the one, its redo exactly the other."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.checkpoint import CheckpointInfo, CheckpointTrigger, RestoreTarget, UndoLevel

from .any_tree import NAMES, Files, files, lay, put, seen
from .conftest import CheckpointProject

pytestmark = pytest.mark.slow

_few = settings(max_examples=10, deadline=None)


@contextmanager
def a_bench() -> Iterator[CheckpointProject]:
    """Hypothesis tries many in one test."""
    umask = os.umask(0o022)
    with TemporaryDirectory() as folder:
        yield CheckpointProject(Path(folder))
    os.umask(umask)


@given(files, files)
@_few
def test_any_tree_comes_back_and_forth(one: Files, two: Files) -> None:
    with a_bench() as bench:
        lay(bench.tree, one)
        before = seen(bench.tree)
        start = bench.save().record
        lay(bench.tree, two)
        after = seen(bench.tree)
        done = bench.restore(start)
        assert seen(bench.tree) == before
        bench.checkpoints.restore(RestoreTarget(UndoLevel.REDO, done.undo, done.after))
        assert seen(bench.tree) == after


_edits = st.dictionaries(
    st.sampled_from(NAMES), st.none() | st.binary(min_size=1, max_size=6), max_size=4
)
"""By path, what a person writes there; None: deletes it."""


@given(files, files, _edits, st.booleans(), st.booleans())
@_few
def test_what_a_person_did_is_never_lost(
    one: Files, two: Files, edits: dict[str, bytes | None], is_saved: bool, has_base: bool
) -> None:
    with a_bench() as bench:
        lay(bench.tree, one)
        before = seen(bench.tree)
        start = bench.save().record
        lay(bench.tree, two)
        agents = seen(bench.tree)
        made = CheckpointInfo(
            CheckpointTrigger.AFTER_ACTION, "an action", run="A", step=1, by=("A",)
        )
        end = bench.checkpoints.save(made).record
        mine = _edit(bench, edits)
        if is_saved:
            bench.save()
        edited = seen(bench.tree)
        way = RestoreTarget(UndoLevel.ACTION, start, end if has_base else None, "A")
        bench.checkpoints.restore(way, by=())
        now = seen(bench.tree)
        touched = {path for path in mine if edited.get(path) != agents.get(path)}
        for path in touched:
            assert now.get(path) == edited.get(path)
        for path in (before.keys() | agents.keys()) - touched:
            if not any(_is_near(path, other) for other in touched):
                assert now.get(path) == before.get(path)


def _edit(bench: CheckpointProject, edits: dict[str, bytes | None]) -> set[str]:
    """What a person did."""
    done: set[str] = set()
    for name, content in edits.items():
        path = bench.tree / name
        if content is not None:
            if put(bench.tree, name, ("file", content)):
                done.add(name)
        elif (path.is_file() or path.is_symlink()) and not path.parent.is_symlink():
            path.unlink()
            done.add(name)
    return done


def _is_near(path: str, other: str) -> bool:
    return path.startswith(f"{other}/") or other.startswith(f"{path}/")
