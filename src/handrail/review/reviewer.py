"""One action in, one Review out."""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from time import time

import msgspec

from handrail.config import Config
from handrail.model.action import Action
from handrail.model.effect import Effect, Kind
from handrail.model.fingerprint import fingerprint
from handrail.model.history import History
from handrail.model.ordinal import Decision, Severity, Undo
from handrail.model.program import Program
from handrail.model.review import Review, Rewrite
from handrail.review.cache import ReadingCache
from handrail.review.code_in_files import code_file_effects
from handrail.review.context import ReviewContext
from handrail.review.flows import climbs_through_links, join_flows
from handrail.review.folder_context import FolderContexts
from handrail.review.judgment.checkpoint_cover import (
    CheckpointCover,
    undoable_by_checkpoint,
    works_in,
)
from handrail.review.judgment.rationality import NEUTRAL_RATIONALITY
from handrail.review.judgment.review_policy import NO_RISK, ReviewPolicy, without_rewrite
from handrail.review.judgment.rules import Rule, RuleSet
from handrail.review.judgment.unreadable import unreadable_review
from handrail.review.judgment.weigh import weigh
from handrail.review.overwrites import (
    NO_OVERWRITES,
    PossibleOverwrites,
    possible_overwrites,
)
from handrail.review.paths.out_of_scope import note_out_of_scope
from handrail.review.plugins import load_plugins
from handrail.review.protection.host_copies import copied_hosts
from handrail.review.protection.state_git import linked, pointed_at
from handrail.review.read_only_programs import changes_repository
from handrail.review.rewrite import rewrite_command
from handrail.review.script_files import script_effects
from handrail.review.secrets.leaks import command_leaks, sends_words, tool_leaks
from handrail.review.tools.file_content import content_effects
from handrail.review.tools.tool_effects import (
    MalformedInputError,
    command_field,
    command_of,
    read_tool,
)
from handrail.review.understood_action import UnderstoodAction
from handrail.shell import (
    ParsedProgram,
    ProgramLookup,
    Reading,
    UnreadableError,
    Word,
    default_knowledge,
    read,
)
from handrail.shell.readers.make_effects import path_effect
from handrail.shell.reading_clock import reading_time

_NOTHING = History()
_SHORTER = "Use several short, plain commands; put long text into a file first."
_SWITCHED_OFF = Review(
    Decision.ALLOW,
    NO_RISK,
    NEUTRAL_RATIONALITY,
    reasons=("Reviews are switched off (step_reviewer.enabled).",),
)


class ReviewDraft(msgspec.Struct, frozen=True):
    """A review before any checkpoint was taken, and how to finish it with one."""

    review: Review
    finish: Callable[[CheckpointCover | None], Review]
    """Judges again what was read, in the light of what a checkpoint holds."""
    overwrites: Callable[[], PossibleOverwrites] = lambda: NO_OVERWRITES
    """The files that it may overwrite; looked for only where somebody asks."""
    changes_repository: bool = False
    """It changes commits, branches, tags, stashes or the index of a repository."""


class Reviewer:
    """Reviews actions by one set of settings; remembers nothing but readings of commands."""

    def __init__(
        self,
        config: Config | None = None,
        *,
        environ: Mapping[str, str] | None = None,
        rules: Iterable[Rule] = (),
        programs: Mapping[str, Program] | None = None,
        see_disk: bool = True,
        live: bool = False,
        now: Callable[[], float] = time,
    ) -> None:
        """`rules`, `programs`: added to those of the settings and of installed packages.

        `live`: actions run on this machine, also where their folder is gone in the meantime;
        the settings name the scope."""
        self.config = config or Config()
        given = os.environ if environ is None else environ
        self._sites = FolderContexts(self.config, given, see_disk=see_disk, live=live)
        self._now = now
        settings = self.config.step_reviewer
        installed = load_plugins()
        self._problems = installed.problems
        rules_in_force = RuleSet(
            settings.rules.builtin,
            settings.rules.disabled,
            settings.rules.custom,
            (*installed.rules, *rules),
        )
        self.knowledge: ProgramLookup = default_knowledge()
        for table in (installed.programs, programs, self.config.programs):
            if table:
                self.knowledge = self.knowledge.extended(table)
        self._policy = ReviewPolicy(self.config, rules_in_force, self.knowledge)
        size = settings.cache.max_size if settings.cache.enabled else 0
        self.cache: ReadingCache[Reading] = ReadingCache(size, settings.cache.ttl_minutes * 60)

    @property
    def faults(self) -> tuple[str, ...]:
        """Rules and tables of others that could not be loaded or have failed, and why."""
        return (*self._problems, *self._policy.rules.faults.values())

    def review(self, action: Action, history: History = _NOTHING) -> Review:
        """Judge one action, given what the run did so far."""
        review = self.begin(action, history).review
        return msgspec.structs.replace(review, id=_id_of(action))

    def review_changes(
        self, paths: Sequence[str], new: Collection[str], action: Action, history: History
    ) -> Review:
        """Judge files that an action has changed, as if it had named them; `new`: it made them.

        A rule about the action's tool or command has had its say before it ran.
        """
        did = Action("", {"paths": list(paths)}, action.cwd, action.env)
        try:
            past = msgspec.structs.replace(history, file_operations=0, recent=[], refused={})
            at = self._sites.review_context(did, past)
            effects = tuple(
                msgspec.structs.replace(weigh(_write_of(path), at), new=path in new)
                for path in paths
            )
            review = self._policy.judge(did, UnderstoodAction(effects), at)
            return without_rewrite(note_out_of_scope(review, at), past)
        except Exception as error:  # noqa: BLE001 - it ran already: nothing is left to be blocked
            return msgspec.structs.replace(_SWITCHED_OFF, reasons=(), faults=(repr(error)[:200],))

    def begin(self, action: Action, history: History = _NOTHING, name: str = "") -> ReviewDraft:
        """Read an action once, and judge it; a checkpoint may change the judgment.

        `name`: the fingerprint of the action, where the caller has it.
        Whatever goes wrong inside ends in a block: a fault of Handrail is not an allow.
        """
        if not self.config.step_reviewer.enabled:
            return ReviewDraft(_SWITCHED_OFF, lambda kept: _SWITCHED_OFF)
        try:
            at = self._sites.review_context(action, history)
            understood = self._understand(action, at)
            if name:
                understood = msgspec.structs.replace(understood, name=name)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not let an action through
            blocked = _blocked(error, action)
            return ReviewDraft(blocked, lambda kept: blocked)
        review = self._finish(action, understood, understood.effects, at)

        def finish(kept: CheckpointCover | None) -> Review:
            if kept is None:
                return review
            held = _held(kept, understood.program, at)
            effects = tuple(undoable_by_checkpoint(effect, held) for effect in understood.effects)
            if effects == understood.effects:
                return review
            return self._finish(action, understood, effects, at)

        def replaceable(path: str) -> bool:
            return at.places.regenerable(path) or path in at.history.created

        return ReviewDraft(
            review,
            finish,
            lambda: possible_overwrites(action, review.effects, understood.program, replaceable),
            changes_repository(understood.program),
        )

    def _finish(
        self,
        action: Action,
        understood: UnderstoodAction,
        effects: tuple[Effect, ...],
        at: ReviewContext,
    ) -> Review:
        """Judge what was understood; `effects`: in the light of what a checkpoint holds."""
        try:
            seen = understood
            if effects is not understood.effects:
                seen = msgspec.structs.replace(understood, effects=effects)
            draft = note_out_of_scope(self._policy.judge(action, seen, at), at)
            if draft.decision is not Decision.MODIFY:
                return draft
            # What is moved away instead of deleted needs no checkpoint.
            rewrite = self._rewrite(action, understood, at)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not let an action through
            return _blocked(error, action)
        if rewrite is not None:
            return msgspec.structs.replace(
                draft, rewrite=rewrite, permitted_by="", alternative="", alternatives=()
            )
        return without_rewrite(draft, at.history)

    # Understanding

    def _understand(self, action: Action, at: ReviewContext) -> UnderstoodAction:
        command = command_of(action)
        if command is None:
            use = read_tool(msgspec.structs.replace(action, env=at.environ))
            effects = [weigh(effect, at) for effect in use.effects]
            for written in use.written:
                linking = linked(written.path, written.text, at.places.controls)
                effects += [weigh(effect, at) for effect in linking]
                effects += self._content(written.path, written.text, action, at)
            return UnderstoodAction(tool_leaks(action, effects, at))
        reading = self._read(command, action, at)
        program = reading.program
        pointed = pointed_at(program, at.places.controls)
        copied = copied_hosts(program, reading.effects, self.knowledge, at.world)
        effects = [weigh(effect, at) for effect in (*reading.effects, *pointed, *copied)]
        if ".." in command:
            effects += climbs_through_links(program, at.world)
        runs_or_writes = program.files or program.code_files or program.word_files
        only_reads = not runs_or_writes and all(effect.kind is Kind.READ for effect in effects)
        if only_reads and not sends_words(program):
            return UnderstoodAction(tuple(effects), program, command)
        for path, text in program.files:
            effects += self._content(path, text, action, at)
        effects += script_effects(effects, lambda text: self._read_text(text, action, at), at)
        joined = command_leaks(program, join_flows(program, effects, at), action, at)
        in_files = self._code_files(command, reading, action, at)
        return UnderstoodAction((*joined, *in_files), program, command)

    def _read(self, command: str, action: Action, at: ReviewContext) -> Reading:
        environ = at.environ
        key = (command, action.cwd, tuple(environ.items()))
        reading = self.cache.get(key)
        if reading is None:
            reading = self._read_text(command, action, at)
            self.cache.put(key, reading)
        return reading

    def _content(self, path: str, text: str, action: Action, at: ReviewContext) -> list[Effect]:
        return list(
            content_effects(
                path,
                text,
                knowledge=self.knowledge,
                weigh=lambda effect: weigh(effect, at),
                home=at.places.home,
                state=at.environ.get("HANDRAIL_HOME", ""),
                cwd=action.cwd or "/",
            )
        )

    def _code_files(
        self, command: str, reading: Reading, action: Action, at: ReviewContext
    ) -> Iterator[Effect]:
        """What the files do that this run wrote and the command runs."""
        asked = reading.program.code_files or reading.program.word_files
        if not asked or not at.history.began:
            return iter(())
        read_with = partial(
            read,
            command,
            cwd=action.cwd or "/",
            environ=at.environ,
            knowledge=self.knowledge,
        )
        return code_file_effects(reading, read_with, at)

    def _read_text(self, text: str, action: Action, at: ReviewContext) -> Reading:
        limit = self.config.step_reviewer.performance.max_review_time_ms / 1000
        return read(
            text,
            cwd=action.cwd or "/",
            environ=at.environ,
            knowledge=self.knowledge,
            deadline=reading_time() + limit,
        )

    def _rewrite(
        self, action: Action, understood: UnderstoodAction, at: ReviewContext
    ) -> Rewrite | None:
        program, effects = understood.program, understood.effects
        if program is None or program.broken:
            return None
        if all(_covered(effect, at) for effect in effects if effect.severity >= Severity.HIGH):
            return None
        trash = f"{at.trash}/{self._trash_name(action)}"
        made = rewrite_command(understood.command, program, effects, trash)
        if made is None:
            return None
        text, changes = made
        field = command_field(action)
        if field is None or not isinstance(action.input.get(field), str):
            return None
        updated = {**action.input, field: text}
        if self._still_stopped(msgspec.structs.replace(action, input=updated), at):
            return None
        restore = " && ".join(change.restore for change in changes if change.restore)
        return Rewrite(updated, tuple(change.says for change in changes), restore)

    def _still_stopped(self, action: Action, at: ReviewContext) -> bool:
        try:
            draft = self._policy.judge(action, self._understand(action, at), at)
        except UnreadableError:
            return True
        return without_rewrite(draft, at.history).decision.stops

    def _trash_name(self, action: Action) -> str:
        clean = re.sub(r"[^A-Za-z0-9]", "", action.id)[-16:]
        return clean or format(int(self._now() * 1000), "x")


def _write_of(path: str) -> Effect:
    return path_effect(Kind.WRITE, Word(path))


def _id_of(action: Action) -> str:
    """Name a review outside of a run after its action."""
    try:
        return f"v-{fingerprint(action)}"
    except RecursionError:  # its input is nested deeper than anybody reads, so it is refused
        return "v-unreadable"


def _held(
    kept: CheckpointCover, program: ParsedProgram | None, at: ReviewContext
) -> CheckpointCover:
    """What can be made again need not be held; what is done elsewhere is not."""
    lost = [path for path in kept.uncovered if not at.places.regenerable(path.rstrip("/"))]
    commands = program.commands if program else ()
    return CheckpointCover(
        kept.root,
        kept.complete and all(works_in(command, kept.root) for command in commands),
        tuple(lost),
        kept.irreplaceable,
    )


def _covered(effect: Effect, at: ReviewContext) -> bool:
    """A deletion in the scope that a checkpoint covers and whose files cannot be seen here."""
    return (
        effect.kind is Kind.DELETE
        and effect.undo is Undo.CHECKPOINT
        and not effect.opaque
        and at.world.exists(effect.target) is None
    )


def _blocked(error: Exception, action: Action) -> Review:
    """The review of what could not be reviewed."""
    if isinstance(error, UnreadableError):
        return unreadable_review(str(error), _SHORTER)
    if isinstance(error, MalformedInputError):
        return unreadable_review(str(error), f"Call {action.tool} again with all of its fields.")
    fault = f"{type(error).__name__}: {error}"[:200]
    review = unreadable_review("Handrail itself failed", _SHORTER)
    return msgspec.structs.replace(review, faults=(fault,))
