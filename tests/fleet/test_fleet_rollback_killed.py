"""A rollback, or its redo, that is killed before any of its steps: the next daemon finishes it."""

from pathlib import Path

import pytest

from handrail.fleet.rollback.rolling_back import RollingBack

from .rolled_fleet import RolledFleet

pytestmark = pytest.mark.slow

STEPS = range(1, 12)
"""All steps that change something, and one more: nobody is killed before it."""


def busy_fleet(root: Path) -> RolledFleet:
    """An agent at work, and a task that was merged since the checkpoint."""
    fleet = RolledFleet(root)
    fleet.submit("a", "b")
    _, path = fleet.claim()
    fleet.write("half.txt", "half\n", at=path)
    fleet.take("start")
    fleet.write("half.txt", "whole\n", at=path)
    fleet.commit("more of a", at=path)
    fleet.finish()
    fleet.write("notes.txt", "made since\n")
    return fleet


class KilledError(BaseException):
    """The process is gone."""


class KillingPart:
    """Another object whose calls may be what the process does not live to make."""

    def __init__(self, inner: object, names: tuple[str, ...], left: list[int]) -> None:
        self._inner = inner
        self._names = names
        self._left = left

    def __getattr__(self, name: str) -> object:
        if name in self._names:
            self._left[0] -= 1
            if not self._left[0]:
                raise KilledError
        return getattr(self._inner, name)


def rig(fleet: RolledFleet, step: int) -> None:
    """Kill the next rollback before one of its steps."""
    left, parts = [step], fleet.parts
    fleet.use(
        KillingPart(fleet.store_trees, ("save", "restore"), left),
        engine=KillingPart(parts.engine, ("give_back", "record"), left),
        merging=KillingPart(parts.merging, ("take_back", "put_again"), left),
        workspaces=KillingPart(parts.workspaces, ("remove", "create"), left),
        journal=KillingPart(parts.journal, ("end",), left),
    )


def go_on(fleet: RolledFleet) -> None:
    """Do what the next daemon does."""
    fleet.restart()
    order = fleet.parts.journal.read()
    if order is not None:
        RollingBack(fleet.parts).go_on(order)


def check(fleet: RolledFleet, *, is_back: bool) -> None:
    """Everything is as at the checkpoint, or everything as before the rollback."""
    assert not fleet.parts.journal.is_open
    assert not fleet.engine.state().active()
    assert fleet.statuses() == {"a": "pending", "b": "pending" if is_back else "done"}
    assert (fleet.tree / "b.txt").exists() != is_back
    assert (fleet.tree / "notes.txt").exists() != is_back
    assert bool(fleet.workspaces.of_task("b")) != is_back
    half = Path(fleet.workspaces.of_task("a")[0].path) / "half.txt"
    assert half.read_text() == ("half\n" if is_back else "whole\n")
    assert all(each.attempt for each in fleet.engine.state().tasks.values())


@pytest.mark.parametrize("step", STEPS)
def test_the_next_daemon_finishes_a_rollback(tmp_path: Path, step: int) -> None:
    fleet = busy_fleet(tmp_path)
    rig(fleet, step)
    try:
        fleet.roll_back()
    except KilledError:
        assert step != STEPS[-1]
    else:
        assert step == STEPS[-1]
    go_on(fleet)
    check(fleet, is_back=True)
    fleet.redo()
    check(fleet, is_back=False)


@pytest.mark.parametrize("step", STEPS[1:9])
def test_the_next_daemon_finishes_a_redo(tmp_path: Path, step: int) -> None:
    fleet = busy_fleet(tmp_path)
    fleet.roll_back()
    rig(fleet, step)
    with pytest.raises(KilledError):
        fleet.redo()
    go_on(fleet)
    check(fleet, is_back=False)
