"""The endpoints by which a person saves files, previews a restore, and restores."""

import asyncio
import json
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Protocol, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.checkpoint import (
    CheckpointError,
    CheckpointInfo,
    CheckpointRecord,
    CheckpointStore,
    ConversationPosition,
    RestoreTarget,
    UndoLevel,
    errors,
)
from handrail.checkpoint.history.git_undo import GitChangedError
from handrail.checkpoint.names import check_name
from handrail.checkpoint.restore.undo_levels import restore_target, restores_run_state
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.hosts import HOSTS, find_host
from handrail.model.checkpoint import StateSnapshot
from handrail.model.event import ActionEnded, RestoreAsked, RolledBack, RunStarted
from handrail.server.files import restore_messages as messages
from handrail.server.http.json_response import json_response
from handrail.server.http.routes import EndpointError, EndpointRow
from handrail.server.threads.supervision_thread import SupervisionThread, SupervisionTimeoutError
from handrail.store.errors import StoreError
from handrail.supervise.decision.decision_progress import Ready
from handrail.supervise.log.topics import RUNS, run_of
from handrail.supervise.runs.run_registry import RunRegistry
from handrail.supervise.supervisor import Supervisor

_NOT_DONE = "it was interrupted"
T = TypeVar("T")
State = StateSnapshot | None

_MAX_BODY = 10_000


class RestoreBackend(Protocol):
    """Opens checkpoints, and orders the work on the files of a folder."""

    restoring: set[str]
    """Runs whose files a person is restoring now."""

    def checkpoints(self, folder: str, settings: Settings | None = None) -> CheckpointStore:
        """Open the checkpoints of a folder's project."""

    def worked(self, folder: str) -> tuple[str, ...]:
        """Return the runs that worked there since the last checkpoint."""

    def count(self, folder: str, checkpoints: CheckpointStore) -> None:
        """Count a new checkpoint; every few of them, tidy up."""

    def do(self, folder: str, work: Callable[[], T]) -> Awaitable[T]:
        """Run a job in a thread, after all earlier jobs on the files of the same folder."""


class RestoreEndpoint:
    """Saves and restores files at a person's request."""

    def __init__(
        self,
        supervision: SupervisionThread,
        runs: RunRegistry,
        files: RestoreBackend,
        clock: Callable[[], float],
    ) -> None:
        self._supervision = supervision
        self._runs = runs
        self._files = files
        self._clock = clock

    def routes(self) -> tuple[EndpointRow, ...]:
        """Return its endpoints."""
        return (
            EndpointRow("POST", "/checkpoints", self.save),
            EndpointRow("POST", "/restores/preview", self.preview),
            EndpointRow("POST", "/restores", self.restore),
        )

    async def save(self, request: Request) -> Response:
        """Save the files of a project, for a person."""
        return await _answer(request, messages.SaveRequest, self.save_files)

    async def preview(self, request: Request) -> Response:
        """Preview an undo; nothing changes."""
        return await _answer(request, messages.UndoRequest, self.look)

    async def restore(self, request: Request) -> Response:
        """Restore files, as a person decided."""
        return await _answer(request, messages.RestoreRequest, self.restore_files)

    async def roll_back(
        self, cwd: str, checkpoint: str, run: str, *, over: bool = False
    ) -> messages.RestoreReply:
        """Restore the files of a checkpoint, except those that others changed, unless `over`."""
        seen = await self.look(
            messages.UndoRequest(
                cwd=cwd, level=UndoLevel.CHECKPOINT, run=run, checkpoint=checkpoint
            )
        )
        way = seen.preview.way
        return await self.restore_files(
            messages.RestoreRequest(
                cwd=cwd,
                level=UndoLevel.CHECKPOINT,
                target=way.target.id,
                run=run,
                expects=seen.preview.now,
                over=over,
            )
        )

    async def save_files(self, wanted: messages.SaveRequest) -> messages.SaveReply:
        """Save the files of a folder."""
        if wanted.name:
            check_name(wanted.name)
        checkpoints = await self._open(wanted.cwd)
        about = CheckpointInfo(
            why="on request", name=wanted.name, by=self._files.worked(wanted.cwd)
        )
        return await self._files.do(wanted.cwd, lambda: self._keep(checkpoints, wanted.cwd, about))

    async def look(self, wanted: messages.UndoRequest) -> messages.PreviewReply:
        """Return what an undo would change."""
        checkpoints = await self._open(wanted.cwd)
        found = await self._files.do(wanted.cwd, lambda: self._preview(checkpoints, wanted))
        preview = found.preview
        target = preview.way.target
        if wanted.step:
            await self._supervision.call(lambda: self._check_step(preview.way.run, wanted.step))
        since: dict[str, int] = {}
        if wanted.level is UndoLevel.CHECKPOINT:
            moment = target.created_at.timestamp()
            since = await asyncio.to_thread(self._actions_since, target.work_tree, moment)
        working = await self._supervision.call(lambda: self._under_way(target.work_tree, "working"))
        copies = await self._supervision.call(lambda: self._copies(preview.way))
        return msgspec.structs.replace(found, working=working, since=since, copies=copies)

    async def restore_files(self, wanted: messages.RestoreRequest) -> messages.RestoreReply:
        """Restore what a preview showed; the runs in these files wait meanwhile."""
        checkpoints = await self._open(wanted.cwd)
        way, goes_back = await asyncio.to_thread(_way_seen, checkpoints, wanted)
        told = await self._supervision.answer(lambda: self._hold(way, wanted.by))
        back = messages.RestoreReply("", problem=_NOT_DONE)
        try:
            back = await self._files.do(
                wanted.cwd, lambda: self._put_back(checkpoints, wanted, way)
            )
        except CheckpointError as error:
            back = messages.RestoreReply("", problem=str(error))
            raise
        finally:
            event = self._rolled_back(way, back)
            state = way.target.state_snapshot if goes_back and not back.problem else None
            self._supervision.submit(lambda: self._release(told, event, way.target.run, state))
            with suppress(SupervisionTimeoutError):  # jobs are done in order
                await self._supervision.call(lambda: None)
        conversation = await asyncio.to_thread(_located, way.target) if goes_back else None
        return msgspec.structs.replace(back, conversation=conversation)

    # In a lane

    def _keep(
        self, checkpoints: CheckpointStore, folder: str, about: CheckpointInfo
    ) -> messages.SaveReply:
        saved = checkpoints.save(about)
        if saved.is_new:
            self._files.count(folder, checkpoints)
        return messages.SaveReply(saved.record, saved.is_new)

    def _preview(
        self, checkpoints: CheckpointStore, wanted: messages.UndoRequest
    ) -> messages.PreviewReply:
        by = self._files.worked(wanted.cwd)
        way = undo_target(checkpoints, wanted, by)
        preview = checkpoints.preview(way, by=by)
        found = messages.PreviewReply(preview, interrupted=checkpoints.interrupted())
        if not wanted.git:
            return found
        step = checkpoints.plan_git_undo(way, by=by)
        return msgspec.structs.replace(found, git=step.plan, git_digest=step.digest)

    def _put_back(
        self, checkpoints: CheckpointStore, wanted: messages.RestoreRequest, way: RestoreTarget
    ) -> messages.RestoreReply:
        by = self._files.worked(wanted.cwd)
        step = checkpoints.plan_git_undo(way, by=by) if wanted.git else None
        if step is not None and step.digest != wanted.git:
            raise GitChangedError
        try:
            done = checkpoints.restore(
                way, over=wanted.over, expects=wanted.expects, by=by, whole=wanted.whole
            )
        except errors.NotRestoredError as error:
            return messages.RestoreReply(
                error.undo, problem=str(error), wrong=error.paths, unchanged=error.unchanged
            )
        finally:
            self._files.count(wanted.cwd, checkpoints)
        back = messages.RestoreReply(done.undo.id, done.items, done.spared)
        if step is None or step.plan.is_empty:
            return back
        try:
            checkpoints.undo_git(way, step, done, expects=wanted.git)
        except CheckpointError as error:
            return msgspec.structs.replace(back, problem=str(error))
        return msgspec.structs.replace(back, git=step.plan.lines)

    # In the supervision thread

    def _hold(self, way: RestoreTarget, by: str) -> Ready[tuple[str, ...]]:
        """Hold every run that could change the files; return the held runs."""
        base = way.base.by if way.base else ()
        names = {way.run, way.target.run, *base, *self._under_way(way.target.work_tree)} - {""}
        event = RestoreAsked(self._clock(), way.target.id, way.level, by)
        told = tuple(sorted(names))
        self._files.restoring.update(told)
        receipts = [self._supervisor(way, run).record(event) for run in told]

        def failed(error: StoreError) -> tuple[str, ...]:
            self._release(told, RolledBack(self._clock(), way.target.id, problem=str(error)))
            raise error

        return Ready(told, receipts, failed)

    def _release(
        self, told: Sequence[str], event: RolledBack, run: str = "", state: State = None
    ) -> None:
        """Release every held run and tell it the result; one of them goes back itself."""
        self._files.restoring.difference_update(told)
        for each in told:
            mine = msgspec.structs.replace(event, state=state) if each == run else event
            self._runs.get(each, "/").record(mine)

    def _check_step(self, run: str, step: int) -> None:
        supervisor = self._runs.find(run)
        last = supervisor.state.step if supervisor is not None else 0
        if 0 < last < step:
            why = f"run {run} has no action {step}, its last one is {last}"
            raise errors.NothingToUndoError(why, "`handrail log` lists them")

    def _copies(self, way: RestoreTarget) -> tuple[str, ...]:
        """Return the batches of copies before the actions that a restore takes back."""
        supervisor = self._runs.find(way.run) if way.run else None
        if supervisor is None:
            return ()
        first = way.target.steps.get(way.run, way.target.step if way.target.run == way.run else 0)
        base = way.base
        last = base.steps.get(way.run, base.step) if base and base.run == way.run else None
        return tuple(
            each.batch
            for each in supervisor.state.course.copies
            if each.step > first and (last is None or each.step <= last)
        )

    def _supervisor(self, way: RestoreTarget, run: str) -> Supervisor:
        return self._runs.get(run, way.target.work_tree)

    def _rolled_back(self, way: RestoreTarget, back: messages.RestoreReply) -> RolledBack:
        return RolledBack(
            self._clock(),
            way.target.id,
            files=tuple(item.path for item in back.items),
            undo=back.undo,
            problem=back.problem,
            asked=True,
            spared=sum(each.conflict for each in back.spared),
            unwritable=tuple(each.path for each in back.spared if each.unwritable),
            git=back.git,
        )

    def _under_way(self, tree: str, *phases: str) -> tuple[str, ...]:
        """Return the active runs of a work tree."""
        phases = phases or ("working", "waiting")
        return tuple(
            state.run
            for state in self._runs
            if state.phase in phases and self._is_in(tree, state.cwd)
        )

    async def _open(self, folder: str) -> CheckpointStore:
        """Open the checkpoints of a project with its current settings."""
        if not os.path.isabs(folder):
            raise errors.FolderRefusedError(folder, "it is not an absolute path")
        project = await self._supervision.call(lambda: self._runs.projects.at(folder))
        return await asyncio.to_thread(self._files.checkpoints, folder, project.config.checkpoints)

    def _actions_since(self, tree: str, moment: float) -> dict[str, int]:
        """Count the actions in a work tree since a time, by run."""
        done: Counter[str] = Counter()
        journal = self._runs.journal
        for topic in journal.store.topics(RUNS):
            if topic.changed < moment:
                continue
            for _, event in journal.read(topic.name):
                if isinstance(event, RunStarted) and not self._is_in(tree, event.cwd):
                    break
                if isinstance(event, ActionEnded) and event.at >= moment:
                    done[run_of(topic.name)] += 1
        return dict(done)

    def _is_in(self, tree: str, folder: str) -> bool:
        return bool(folder) and self._files.checkpoints(folder).work_tree == tree


def _located(record: CheckpointRecord) -> ConversationPosition | None:
    """Return the conversation of a checkpoint, with the message at which its host can resume."""
    place = record.conversation
    return find_host(place.host).locate(record) if place and place.host in HOSTS else place


def undo_target(
    checkpoints: CheckpointStore, wanted: messages.UndoRequest, by: Sequence[str]
) -> RestoreTarget:
    """Find the target of an undo; `by`: the runs that worked since the last checkpoint."""
    if wanted.level is UndoLevel.CHECKPOINT:
        return RestoreTarget(wanted.level, checkpoints.find(wanted.checkpoint))
    records = list(checkpoints.newest_first())
    now = ""
    repository = "" if wanted.git else None
    last = next((each for each in records if each.repository or not wanted.git), None)
    if last is not None and wanted.level is not UndoLevel.REDO:
        # What only a person has changed since the last checkpoint is nothing to undo.
        is_of_run = wanted.run in by if wanted.run else bool(by)
        since = RestoreTarget(UndoLevel.CHECKPOINT, last)
        now = checkpoints.preview(since).now if is_of_run else last.tree
        if wanted.git:
            repository = checkpoints.repository_now() if is_of_run else last.repository
    return restore_target(
        records,
        wanted.level,
        run=wanted.run,
        step=wanted.step,
        now=now,
        repository=repository,
    )


def _way_seen(
    checkpoints: CheckpointStore, wanted: messages.RestoreRequest
) -> tuple[RestoreTarget, bool]:
    """Return the target that the person previewed, and whether the run goes back with its files."""
    base = checkpoints.find(wanted.base) if wanted.base else None
    way = RestoreTarget(wanted.level, checkpoints.find(wanted.target), base, wanted.run)
    return way, not wanted.files_only and restores_run_state(way, checkpoints.newest_first())


async def _answer(
    request: Request, kind: type[T], work: Callable[[T], Awaitable[object]]
) -> Response:
    try:
        body = await request.body()
        # Not by msgspec: the path of a folder need not be text.
        return json_response(await work(msgspec.convert(json.loads(body[:_MAX_BODY]), kind)))
    except ValueError as error:  # no JSON, or no path
        raise EndpointError(str(error)) from None
