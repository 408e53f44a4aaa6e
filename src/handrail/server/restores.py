"""A person saves files, looks at what an undo would do, and has it done."""

import asyncio
import json
import os
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from handrail.checkpoint import About, CheckpointError, Checkpoints, Level, Way
from handrail.checkpoint.errors import (
    ChangedMeanwhileError,
    NoSuchCheckpointError,
    NotRestoredError,
    RefusedError,
)
from handrail.checkpoint.levels import way_back
from handrail.checkpoint.names import BadNameError, check_name
from handrail.model.event import ActionEnded, RunStarted
from handrail.server.brain import Brain, TooSlowError
from handrail.server.restore_wire import Back, Kept, Look, ToRestore, ToSave, ToUndo
from handrail.store.errors import StoreError
from handrail.supervise.runs import Runs
from handrail.supervise.topics import RUNS, run_of

T = TypeVar("T")

_MAX_BODY = 10_000
_STATUS: dict[type[Exception], int] = {
    msgspec.MsgspecError: 400,
    ValueError: 400,
    RefusedError: 400,
    BadNameError: 400,
    NoSuchCheckpointError: 404,
    ChangedMeanwhileError: 409,
    CheckpointError: 503,
    StoreError: 503,
    TooSlowError: 503,
    OSError: 503,
}
"""What is answered to an error: the nearest of its classes decides."""


class InHands(Protocol):
    """Runs work in the thread that saves and restores, one after the other."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """The result of the work."""


class Restores:
    """Takes checkpoints and puts files back because a person wants it."""

    def __init__(
        self,
        brain: Brain,
        runs: Runs,
        checkpoints: Callable[[str], Checkpoints],
        in_hands: InHands = asyncio.to_thread,
    ) -> None:
        """`checkpoints`: those of the project that a folder belongs to."""
        self._brain = brain
        self._runs = runs
        self._checkpoints = checkpoints
        self._in_hands = in_hands

    async def save(self, request: Request) -> Response:
        """Save the files of a project, for a person."""
        return await _answer(request, ToSave, self._save)

    async def look(self, request: Request) -> Response:
        """Say what an undo would do; nothing is changed."""
        return await _answer(request, ToUndo, self._look)

    async def restore(self, request: Request) -> Response:
        """Put files back as they were, as a person has decided."""
        return await _answer(request, ToRestore, self._restore)

    async def _save(self, wanted: ToSave) -> Kept:
        if wanted.name:
            check_name(wanted.name)
        about = About(why="on request", name=wanted.name)
        saved = await self._in_hands(lambda: self._of(wanted.cwd).save(about))
        return Kept(saved.record, saved.is_new)

    async def _look(self, wanted: ToUndo) -> Look:
        preview = await self._in_hands(
            lambda: (found := self._of(wanted.cwd)).preview(_way(found, wanted))
        )
        way = preview.way
        tree = way.target.work_tree
        since: dict[str, int] = {}
        if wanted.level is Level.CHECKPOINT:
            moment = way.target.created_at.timestamp()
            since = await asyncio.to_thread(self._actions_since, tree, moment)
        return Look(preview, await self._brain.do(lambda: self._working(tree)), since)

    async def _restore(self, wanted: ToRestore) -> Back:
        way, back = await self._in_hands(lambda: self._put_back(wanted))
        if wanted.files_only or way.level is not Level.CHECKPOINT:
            return back
        return msgspec.structs.replace(back, conversation=way.target.conversation)

    def _put_back(self, wanted: ToRestore) -> tuple[Way, Back]:
        checkpoints = self._of(wanted.cwd)
        way = _way(checkpoints, wanted)
        try:
            done = checkpoints.restore(way, over=wanted.over, expects=wanted.expects)
        except NotRestoredError as error:
            return way, Back(error.undo, problem=str(error), wrong=error.paths)
        return way, Back(done.undo.id, done.items, done.spared)

    def _of(self, folder: str) -> Checkpoints:
        if not os.path.isabs(folder):
            raise RefusedError(folder, "it is not an absolute path")
        return self._checkpoints(folder)

    def _working(self, tree: str) -> tuple[str, ...]:
        """The runs that are at work in a work tree; asked in the brain's thread."""
        return tuple(
            state.run
            for state in self._runs
            if state.phase == "working" and self._is_in(tree, state.cwd)
        )

    def _actions_since(self, tree: str, moment: float) -> dict[str, int]:
        """By run, how many actions were done in a work tree since a moment."""
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
        return bool(folder) and self._checkpoints(folder).work_tree == tree


def _way(checkpoints: Checkpoints, wanted: ToUndo) -> Way:
    if wanted.level is Level.CHECKPOINT:
        return Way(Level.CHECKPOINT, checkpoints.find(wanted.checkpoint))
    records = list(checkpoints.newest_first())
    return way_back(records, wanted.level, run=wanted.run, step=wanted.step)


async def _answer(
    request: Request, kind: type[T], work: Callable[[T], Awaitable[object]]
) -> Response:
    try:
        body = await request.body()
        # Not by msgspec: the path of a folder need not be text.
        return _json(await work(msgspec.convert(json.loads(body[:_MAX_BODY]), kind)))
    except tuple(_STATUS) as error:
        status = next(_STATUS[each] for each in type(error).__mro__ if each in _STATUS)
        return _json({"error": str(error)}, status)


def _json(value: object, status: int = 200) -> Response:
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # a file's name need not be text either
        data = json.dumps(msgspec.to_builtins(value)).encode()
    return Response(data, status, media_type="application/json")
