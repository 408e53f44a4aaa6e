"""Any sequence of calls has the same effect on the log as on a few Python lists."""

import contextlib
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from tests.store.conftest import is_sound

from handrail.store.port import NewEntry, Receipt, Snapshot
from handrail.store.sqlite import SqliteStore

pytestmark = pytest.mark.slow

NAMES = st.sampled_from(["a", "b", "run/1", "run/2", "ü"])
BODIES = st.binary(max_size=20) | st.just(9_000).map(bytes)
CALLS = st.lists(st.builds(NewEntry, NAMES, BODIES), max_size=4)
WHICH = st.sampled_from([0, 1])


class TwoStores(RuleBasedStateMachine):
    """Two stores on one file, as two processes have it, beside the plain model."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = contextlib.ExitStack()
        name = self.folder.enter_context(tempfile.TemporaryDirectory())
        self.path = Path(name) / "log.db"
        self.stores = [SqliteStore(self.path, patience=30) for _ in range(2)]
        self.reader = SqliteStore(self.path, read_only=True)
        self.entries: list[tuple[int, str, int, bytes]] = []
        self.snapshots: dict[str, Snapshot] = {}
        self.position = 0

    def add(self, entries: list[NewEntry]) -> int:
        for entry in entries:
            self.position += 1
            seq = 1 + sum(1 for one in self.entries if one[1] == entry.topic)
            self.entries.append((self.position, entry.topic, seq, entry.body))
        return self.position if entries else 0

    @rule(calls=st.lists(CALLS, max_size=6), which=WHICH)
    def append(self, calls: list[list[NewEntry]], which: int) -> None:
        receipts: list[Receipt] = [self.stores[which].append(call) for call in calls]
        assert [receipt.result() for receipt in receipts] == [self.add(call) for call in calls]

    @rule(topic=NAMES, seq=st.integers(0, 2**63 - 1), body=BODIES, which=WHICH)
    def save_snapshot(self, topic: str, seq: int, body: bytes, which: int) -> None:
        snapshot = self.snapshots[topic] = Snapshot(seq, body)
        assert self.stores[which].save_snapshot(topic, snapshot).result() == seq

    @rule(topic=NAMES, which=WHICH)
    def forget(self, topic: str, which: int) -> None:
        self.snapshots.pop(topic, None)
        kept = [one for one in self.entries if one[1] != topic]
        assert self.stores[which].forget(topic).result() == len(self.entries) - len(kept)
        self.entries = kept

    @rule(which=WHICH)
    def reopen(self, which: int) -> None:
        self.stores[which].close()
        self.stores[which] = SqliteStore(self.path, patience=30)

    @rule()
    def close_all_and_reopen(self) -> None:
        for store in self.stores:
            store.close()
        self.stores = [SqliteStore(self.path, patience=30) for _ in range(2)]

    @precondition(lambda self: self.entries)
    @rule(data=st.data(), topic=NAMES, limit=st.integers(0, 5))
    def read_on(self, data: st.DataObject, topic: str, limit: int) -> None:
        after = data.draw(st.integers(0, self.position))
        found = [one.position for one in self.reader.read_all(after, limit)]
        assert found == [one[0] for one in self.entries if one[0] > after][:limit]
        own = [one for one in self.entries if one[1] == topic]
        after = data.draw(st.integers(0, len(own)))
        assert [one.seq for one in self.reader.read(topic, after, limit)] == [
            one[2] for one in own[after:][:limit]
        ]

    @invariant()
    def everybody_reads_the_same(self) -> None:
        for store in (*self.stores, self.reader):
            found = store.read_all(limit=100_000)
            assert [(one.position, one.topic, one.seq, one.body) for one in found] == self.entries
            last = {one[1]: one for one in self.entries}
            expected = sorted(last.values(), reverse=True)
            assert [(one.name, one.seq) for one in store.topics()] == [
                (one[1], one[2]) for one in expected
            ]
        for topic in ("a", "b", "run/1", "run/2", "ü"):
            assert self.reader.load_snapshot(topic) == self.snapshots.get(topic)

    def teardown(self) -> None:
        for store in (*self.stores, self.reader):
            store.close()
        with self.folder:
            assert is_sound(self.path)


TestModel = TwoStores.TestCase
TestModel.settings = settings(max_examples=40, stateful_step_count=20)
