"""The operations on saved files: checkpoints, diffs, undo and rollback."""

import asyncio
import os
from collections.abc import Iterable, Mapping
from itertools import islice

from handrail.api.messages.files import (
    CheckpointList,
    CheckpointOrder,
    CheckpointRow,
    DiffReply,
    PathChange,
    PreviewAnswer,
    RestoreOrder,
    RestoreOutcome,
)
from handrail.checkpoint import (
    CheckpointRecord,
    CheckpointStore,
    RestoreTarget,
    UndoLevel,
    work_tree_of,
)
from handrail.checkpoint.comparison import ChangedFile
from handrail.checkpoint.work_tree import check_can_be_saved
from handrail.fleet.workspaces.repository import FleetRepository
from handrail.server.api.api_routes import Handler
from handrail.server.api.call import ApiCall
from handrail.server.api.fleet_restores import FleetRestores
from handrail.server.api.live_log import LiveLog
from handrail.server.api.patches import Patch, patch_between
from handrail.server.api.problems import ProblemError
from handrail.server.api.restore_previews import PreviewedRestore, preview_answer, restore_outcome
from handrail.server.files.restore_endpoint import RestoreBackend, RestoreEndpoint
from handrail.server.files.restore_messages import RestoreRequest, SaveRequest, UndoRequest
from handrail.server.files.restore_wording import runs_in, with_names
from handrail.server.fleet.checkpoint_choice import (
    fleet_at,
    meant_fleet_checkpoint,
    redo_means_fleet,
)
from handrail.server.fleet.rollback_messages import FleetSaveRequest
from handrail.server.home import Home
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.supervise.runs.project import Project
from handrail.supervise.runs.run_names import names_of_runs
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.words.checkpoints import checkpoint_cause


class FileOperations:
    """Lists, saves, compares and restores the files of projects."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        files: RestoreBackend,
        restores: RestoreEndpoint,
        fleets: FleetRestores,
        live: LiveLog,
        home: Home,
        environ: Mapping[str, str],
    ) -> None:
        self._supervision = supervision
        self._runs = runs
        self._files = files
        self._restores = restores
        self._fleets = fleets
        self._live = live
        self._home = home
        self._environ = environ

    def handlers(self) -> Mapping[str, Handler]:
        """Return its functions."""
        return {
            "list_checkpoints": self.list_checkpoints,
            "save_checkpoint": self.save_checkpoint,
            "diff_checkpoint": self.diff_checkpoint,
            "preview_restore": self.preview_restore,
            "restore": self.restore,
        }

    async def list_checkpoints(self, call: ApiCall) -> CheckpointList:
        """Return the checkpoints of a folder, the newest first."""
        folder = await self._folder(call.text("folder"))
        run, most, below = call.text("run"), call.number("limit"), _number(call.text("cursor"))

        def read() -> list[CheckpointRecord]:
            found = (
                each
                for each in self._files.checkpoints(folder).newest_first()
                if (not run or each.run == run) and (not below or each.number < below)
            )
            return list(islice(found, most + 1))

        records = await asyncio.to_thread(read)
        shown = records[:most]
        names = await self._names(each.run for each in shown)
        following = shown[-1].id if len(records) > most else ""
        return CheckpointList(folder, tuple(_row(each, names) for each in shown), following)

    async def save_checkpoint(self, call: ApiCall) -> CheckpointRow:
        """Save the files of a folder; those of a fleet with tasks, its tasks and workspaces too."""
        wanted = call.body(CheckpointOrder)
        folder = await self._folder(wanted.folder)
        if await self._fleet(folder) is not None:
            return await self._fleets.save(FleetSaveRequest(folder=folder, name=wanted.name))
        saved = await self._restores.save_files(SaveRequest(folder, wanted.name))
        return _row(saved.record, await self._names([saved.record.run]))

    async def diff_checkpoint(self, call: ApiCall) -> DiffReply:
        """Return what changed since a checkpoint."""
        folder = await self._folder(call.text("folder"))
        project = await self._project(folder)
        checkpoints = await self._checkpoints(folder, project)
        record = await asyncio.to_thread(checkpoints.find, call.path("checkpoint"))
        path = _inside(call.text("path"))

        def look() -> str:
            return checkpoints.preview(RestoreTarget(UndoLevel.CHECKPOINT, record)).now

        now = await self._files.do(folder, look)
        paths = (path,) if path else ()
        patch = await asyncio.to_thread(
            patch_between, checkpoints, (record.tree, now), paths, project.redactor
        )
        changes = tuple(map(_changed, patch.files))
        return DiffReply(record.id, changes, patch.text, patch.cut)

    async def preview_restore(self, call: ApiCall) -> PreviewAnswer:
        """Tell what an undo, a rollback or a redo would do, and what would be lost."""
        order = call.body(RestoreOrder)
        folder = await self._folder(order.folder)
        fleet = await self._goes_back_as_fleet(order, folder)
        if fleet is not None:
            return await self._fleets.preview(order, folder, fleet, call.caller.user)
        look = await self._restores.look(
            UndoRequest(
                cwd=folder,
                level=UndoLevel(order.level),
                run=order.run,
                step=order.step,
                checkpoint=order.checkpoint,
                git=order.git,
            )
        )
        preview = look.preview
        names = await self._names(runs_in(look))
        paths = [each.path for each in preview.items]
        paths += [each.path for each in preview.spared if each.conflict and order.over]
        patch = Patch()
        if paths:
            project = await self._project(folder)
            trees = (preview.now, preview.way.target.tree)
            checkpoints = await self._checkpoints(folder, project)
            patch = await asyncio.to_thread(
                patch_between, checkpoints, trees, paths, project.redactor
            )
        return preview_answer(with_names(look, names), names, order, patch)

    async def restore(self, call: ApiCall) -> RestoreOutcome:
        """Restore what a preview showed."""
        order = call.body(RestoreOrder)
        folder = await self._folder(order.folder)
        fleet = await self._goes_back_as_fleet(order, folder)
        if fleet is not None:
            return await self._fleets.restore(order, folder, fleet, call.caller.user)
        seen = PreviewedRestore.read(order.expects)
        wanted = RestoreRequest(
            cwd=folder,
            level=UndoLevel(order.level),
            target=seen.target,
            base=seen.base,
            run=seen.run,
            expects=seen.now,
            over=order.over,
            git=seen.git,
            by=call.caller.user,
        )
        return restore_outcome(wanted, await self._restores.restore_files(wanted))

    async def _goes_back_as_fleet(self, order: RestoreOrder, folder: str) -> str | None:
        """Return the checkpoint of the folder's fleet that an order means; "" for its redo."""
        if order.level not in ("checkpoint", "redo") or order.git:
            return None
        fleet = await self._fleet(folder)
        if fleet is None:
            return None
        checkpoints = await asyncio.to_thread(self._files.checkpoints, folder)
        home = self._home.path
        if order.level == "redo":
            is_meant = await asyncio.to_thread(redo_means_fleet, home, fleet.fleet, checkpoints)
            return "" if is_meant else None
        found = await asyncio.to_thread(
            meant_fleet_checkpoint, home, fleet.fleet, checkpoints, order.checkpoint
        )
        return None if found is None else found.name

    async def _fleet(self, folder: str) -> FleetRepository | None:
        return await self._live.read(lambda store: fleet_at(store, folder))

    async def _folder(self, given: str) -> str:
        """Return the work tree of a folder. Raises FolderRefusedError if there is none."""
        if not os.path.isabs(given):
            raise ProblemError(400, "No folder", "Name the folder of the project by its full path.")

        def find() -> str:
            return check_can_be_saved(work_tree_of(given, self._environ), self._environ)

        return await asyncio.to_thread(find)

    async def _project(self, folder: str) -> Project:
        return await self._supervision.call(lambda: self._runs.projects.at(folder))

    async def _checkpoints(self, folder: str, project: Project) -> CheckpointStore:
        settings = project.config.checkpoints
        return await asyncio.to_thread(self._files.checkpoints, folder, settings)

    async def _names(self, runs: Iterable[str]) -> Mapping[str, str]:
        wanted = {run for run in runs if run}
        known = await self._live.read(lambda store: names_of_runs(store, wanted))
        return {run: known.get(run, run[:8]) for run in wanted}


def _row(record: CheckpointRecord, names: Mapping[str, str]) -> CheckpointRow:
    return CheckpointRow(
        id=record.id,
        name=record.name,
        run=record.run,
        run_name=names.get(record.run, ""),
        step=record.step,
        at=record.created_at.timestamp(),
        why=checkpoint_cause(record),
        files=record.files,
        partial=not record.coverage.complete,
        commit=record.head,
    )


def _changed(file: ChangedFile) -> PathChange:
    says = f"was {file.before}" if file.before else "binary" if file.binary else ""
    return PathChange(file.path, file.became.value, says, 0, file.added, file.deleted)


def _number(cursor: str) -> int:
    """Return the number of the checkpoint before which a page goes on; 0: the newest."""
    if not cursor:
        return 0
    number = cursor.removeprefix("c")
    if not number.isascii() or not number.isdecimal() or len(number) > 15:
        raise ProblemError(400, "No such page", "cursor must be `next` of the page before.")
    return int(number)


def _inside(path: str) -> str:
    """Return a path in the work tree."""
    inside = os.path.normpath(path) if path else ""
    if os.path.isabs(inside) or inside.split("/")[0] == os.pardir or "\0" in inside:
        raise ProblemError(400, "Not a path", "path must be below the folder of the project.")
    return "" if inside == os.curdir else inside
