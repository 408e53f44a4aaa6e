"""Whatever is done in whatever order: every kept checkpoint comes back exactly as it was."""

import shutil
import tempfile
from pathlib import Path
from time import time_ns

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from handrail.checkpoint import (
    CheckpointInfo,
    CheckpointRecord,
    RestoreResult,
    RestoreTarget,
    UndoLevel,
)
from handrail.checkpoint.save import fast_save
from handrail.config.checkpoints import Checkpoints as Settings

from .conftest import CheckpointProject
from .faults import Worker

pytestmark = pytest.mark.slow

_Content = dict[str, bytes | str]
_NAMES = st.sampled_from(["a", "b", "d/a", "d/e/b", "x y", "ü"])
_BYTES = st.binary(max_size=4)
_KEEP = 4


class Store(RuleBasedStateMachine):
    """A work tree, its checkpoints, and what each of them has to hold."""

    worker: Worker
    folder: Path

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(dir=self.folder))
        self.bench = CheckpointProject(self.root)
        self.checkpoints = self.bench.of(self.bench.tree, Settings(keep=_KEEP, quota_mb=1))
        self.model: dict[str, _Content] = {}
        self.named: set[str] = set()
        self.log = b""

    @initialize()
    def start(self) -> None:
        self.bench.repository()
        self.bench.write(".git/info/exclude", "*.log\n")
        self.save()

    @rule(name=_NAMES, content=_BYTES)
    def write(self, name: str, content: bytes) -> None:
        self.bench.write(name, content)

    @rule(content=_BYTES)
    def write_ignored(self, content: bytes) -> None:
        self.bench.write("d/run.log", content)
        self.log = content

    @rule(name=_NAMES)
    def delete(self, name: str) -> None:
        (self.bench.tree / name).unlink(missing_ok=True)

    @rule(name=_NAMES, to=_NAMES)
    def rename(self, name: str, to: str) -> None:
        if (self.bench.tree / name).exists():
            (self.bench.tree / to).parent.mkdir(parents=True, exist_ok=True)
            (self.bench.tree / name).rename(self.bench.tree / to)

    @rule()
    def save(self) -> None:
        self._remember(self.checkpoints.save(CheckpointInfo(why="a test")).record)

    @rule(name=st.sampled_from(["good", "better"]))
    def save_with_name(self, name: str) -> None:
        record = self.checkpoints.save(CheckpointInfo(name=name)).record
        self.named.add(record.id)
        self._remember(record)

    @precondition(lambda self: self.model)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        now = self._content()
        target = data.draw(st.sampled_from(list(self.checkpoints.newest_first())))
        restored = self._restore(target)
        if data.draw(st.booleans()):
            self._redo(restored.undo, restored.after, now)

    def _restore(self, target: CheckpointRecord) -> RestoreResult:
        now = self._content()
        restored = self.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, target), over=True)
        assert self._content() == self.model[target.id]
        self.model[restored.undo.id] = now
        self._remember(restored.after)
        return restored

    def _redo(self, undo: CheckpointRecord, after: CheckpointRecord, was: _Content) -> None:
        now = self._content()
        redone = self.checkpoints.restore(RestoreTarget(UndoLevel.REDO, undo, after))
        assert self._content() == was
        self.model[redone.undo.id] = now
        self._remember(redone.after)

    @rule()
    def tidy(self) -> None:
        assert self.checkpoints.tidy().problem == ""
        kept = {record.id for record in self.checkpoints.newest_first()}
        assert self.named <= kept
        self.model = {id_: held for id_, held in self.model.items() if id_ in kept}

    @rule(does=st.sampled_from(["save", "tidy"]), at=st.integers(1, 40))
    def kill(self, does: str, at: int) -> None:
        now = self._content()
        self.worker.run(does, self.bench, at=at)
        kept = [record.id for record in self.checkpoints.newest_first()]
        if does == "save":  # it may be there, whole, or not at all
            self.model.setdefault(kept[0], now)
        self.model = {id_: held for id_, held in self.model.items() if id_ in kept}

    @rule(data=st.data(), at=st.integers(1, 60))
    def kill_restore(self, data: st.DataObject, at: int) -> None:
        now = self._content()
        target = data.draw(st.sampled_from(list(self.checkpoints.newest_first())))
        self.worker.run(target.id, self.bench, at=at)
        self.checkpoints.interrupted()  # what it left in the work tree is swept
        there = [record.id for record in self.checkpoints.newest_first()]
        new = [id_ for id_ in reversed(there) if id_ not in self.model]
        self.model |= dict(zip(new, (now, self.model[target.id]), strict=False))
        if len(new) < 2:  # it came to no end, so it can be finished
            self._restore(target)

    @invariant()
    def every_checkpoint_is_known(self) -> None:
        there = {record.id for record in self.checkpoints.newest_first()}
        assert there == set(self.model)

    @invariant()
    def what_is_ignored_is_left_alone(self) -> None:
        if self.log:
            assert (self.bench.tree / "d/run.log").read_bytes() == self.log

    def teardown(self) -> None:
        for record in list(self.checkpoints.newest_first()):
            if record.id in self.model:
                self.checkpoints.restore(RestoreTarget(UndoLevel.CHECKPOINT, record), over=True)
                assert self._content() == self.model[record.id]
        shutil.rmtree(self.root)

    def _remember(self, record: CheckpointRecord) -> None:
        self.model[record.id] = self._content()
        assert self.bench.held(record) == self.model[record.id]

    def _content(self) -> _Content:
        found = self.bench.content()
        return {name: held for name, held in found.items() if not name.endswith(".log")}


@pytest.mark.parametrize("seconds", [0, 1])
def test_every_kept_checkpoint_comes_back_whatever_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    """`seconds`: how long ago every file seems to have changed before it is looked at."""
    monkeypatch.setattr(fast_save, "time_ns", lambda: time_ns() + seconds * 10**9)
    Store.folder = tmp_path
    Store.worker = Worker()
    try:
        run_state_machine_as_test(Store, settings=settings(max_examples=10, stateful_step_count=20))
    finally:
        Store.worker.close()
