"""Checkpoints and rollbacks of whole fleets, for the API."""

from collections.abc import Iterator
from itertools import islice

from handrail.api.messages.files import CheckpointRow, PreviewAnswer, RestoreOrder, RestoreOutcome
from handrail.fleet.rollback.rolling_back import RollbackResult
from handrail.server.api.problems import ProblemError
from handrail.server.api.restore_previews import CREATED, MAX_PATHS, path_changes
from handrail.server.fleet.checkpoint_endpoint import FleetCheckpointEndpoint, preview_digest
from handrail.server.fleet.rollback_messages import FleetRollbackRequest, FleetSaveRequest
from handrail.words.amounts import count
from handrail.words.fleet_rollbacks import Part, RollbackPart, rollback_parts

_MAX_LINES = 1_000
_WARNED_ABOUT: tuple[Part, ...] = ("changed", "added", "merges that stay", "workspaces", "remade")


class FleetRestores:
    """Saves fleets, tells what going back would lose, and takes them back."""

    def __init__(self, endpoint: FleetCheckpointEndpoint) -> None:
        self._endpoint = endpoint

    async def save(self, wanted: FleetSaveRequest) -> CheckpointRow:
        """Save a fleet with all its files."""
        taken = await self._endpoint.save_fleet(wanted)
        unsaved = ", ".join(f"{name}: {why}" for name, why in taken.unsaved.items())
        return CheckpointRow(
            id=taken.name,
            name=taken.label,
            run="",
            run_name="",
            step=0,
            at=taken.created_at.timestamp(),
            why=f"not saved: {unsaved}" if unsaved else "the whole fleet",
            files=0,
            partial=bool(unsaved),
            commit=taken.git_commit,
        )

    async def preview(
        self, order: RestoreOrder, folder: str, checkpoint: str, by: str
    ) -> PreviewAnswer:
        """Tell what a rollback, or with no checkpoint a redo, would change and lose."""
        look = await self._endpoint.look(_request(order, folder, checkpoint, by))
        parts = {each.part: each for each in rollback_parts(look, keep=order.keep)}
        changes = path_changes(look.files, look.spared, CREATED, over=order.over)
        verb = "Redo: bring back" if order.level == "redo" else "Roll the fleet back to"
        return PreviewAnswer(
            says=f"{verb} {look.name}",
            checkpoint=look.name,
            expects=preview_digest(look),
            changes=tuple(islice(changes, MAX_PATHS)),
            diff="",
            tasks_in_progress=parts["agents"].lines[:_MAX_LINES],
            tasks_completed=parts["completed"].lines[:_MAX_LINES],
            commits=parts["commits"].lines[:_MAX_LINES],
            merges=parts["merges"].lines[:_MAX_LINES],
            warnings=tuple(_warnings([parts[each] for each in _WARNED_ABOUT])),
            fleet=True,
        )

    async def restore(
        self, order: RestoreOrder, folder: str, checkpoint: str, by: str
    ) -> RestoreOutcome:
        """Take a fleet back as the preview showed."""
        if not order.expects:
            says = "Ask for a preview first, and send its `expects`."
            raise ProblemError(400, "Nothing was previewed", says)
        wanted = _request(order, folder, checkpoint, by)
        done = await self._endpoint.take_back(wanted, order.expects)
        return RestoreOutcome(
            says=" ".join(_says(order, done)),
            restored=tuple(done.files[:MAX_PATHS]),
            spared=tuple(done.spared[:MAX_PATHS]),
            redo=done.before,
        )


def _request(order: RestoreOrder, folder: str, checkpoint: str, by: str) -> FleetRollbackRequest:
    return FleetRollbackRequest(
        folder=folder,
        checkpoint=checkpoint,
        redo=order.level == "redo",
        keep=order.keep,
        over=order.over,
        by=by,
    )


def _warnings(parts: list[RollbackPart]) -> Iterator[str]:
    for part in parts:
        if part.lines:
            yield f"{part.what}: {', '.join(part.lines[:_MAX_LINES])}"


def _says(order: RestoreOrder, done: RollbackResult) -> Iterator[str]:
    """Say what a rollback did, and what it could not do."""
    verb = "redone" if order.level == "redo" else "rolled back"
    problems = ", with problems" if done.problems else ""
    yield f"Fleet {verb}: {done.name}{problems}."
    if done.stopped:
        yield f"{count(len(done.stopped), 'agent')} stopped."
    for task, why in {**done.merges_stay, **done.merges_missing}.items():
        yield f"{task}: {why}."
    yield from (f"{problem}." for problem in done.problems)
