"""The stage of the demo: a scratch repository, a daemon, and the scripted agent."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from uuid import uuid4

import click
import msgspec

from handrail.cli.demonstration import script
from handrail.cli.demonstration.script import ScriptedStep
from handrail.cli.restores.trash import (
    SAVED,
    find_batch,
    put_back,
    tidy_trash,
    trash_folder,
    unpack_batch,
)
from handrail.intervene.incidents.folders import IncidentFolders
from handrail.model.event import (
    CheckpointTaken,
    Event,
    FindingMade,
    Intervened,
    InterventionJudged,
    RolledBack,
    StopConfirmed,
)
from handrail.model.host import known_hosts
from handrail.server.home import Home
from handrail.server.launcher import ensure_daemon, stop_daemon
from handrail.store.decoding import decode
from handrail.store.opening import open_log
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.log.topics import topic_of
from handrail.supervise.runs.settings_trust import confirm_settings
from handrail.testing.model_server import Json, ToolCall
from handrail.testing.scripted_agent import CallResult, ScriptedAgent
from handrail.words.event_sentences import event_sentence
from handrail.words.run_facts import RunFacts

_TRASHED = r"(?:/trash/|handrail restore )(demo\d+)"
_TOLD = "Handrail: A person has put files back"
_POINT = r"Checkpoint c\d+ "
_NUMBERED = re.compile(r"checkpoint c\d+")
_ROLLBACK = re.compile(r"(?<=handrail rollback )c\d+")
_SECONDS = 20.0
"""Seconds for the daemon to save, roll back or stop."""
_POLL = 0.02
_NOTED = (FindingMade, InterventionJudged, RolledBack, StopConfirmed)
_CLOCK = re.compile(r"\d\d:\d\d:\d\d, ")


class DemoNote(msgspec.Struct, frozen=True):
    """A finding or an intervention after a step."""

    event: str
    says: str
    mark: str
    style: str


class DemoStep(msgspec.Struct, frozen=True):
    """The result of one action."""

    step: int
    tool: str
    shown: str
    decision: str
    says: str
    ran: str = ""
    """The command that really ran."""
    exit_code: int | None = None
    restore: str = ""
    told: str = ""
    """The safer alternative that the agent is told."""
    prompt: str = ""
    """The prompt before it."""
    notes: tuple[DemoNote, ...] = ()


class _DemoAgent(ScriptedAgent):
    """Plays the script, and never leaves the scratch folder."""

    def __init__(self, stage: "DemoStage") -> None:
        super().__init__(
            stage.handrail.socket,
            stage.project,
            session=stage.session,
            # Handrail recognises the processes of a session by this variable.
            environ={**stage.environ, known_hosts()[0].session_variable: stage.session},
            prompt=stage.goal,
        )
        self._stage = stage

    def carry_out(self, call: ToolCall, given: Json) -> tuple[bool, str]:
        if not script.SCRIPT[int(call.id.removeprefix("demo")) - 1].harmless:
            return True, "not run in the demo"
        self._stage.check(call.tool, given)
        return super().carry_out(call, given)


class DemoStage:
    """A scratch repository and its own daemon."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.home = f"{folder}/home"
        self.project = f"{self.home}/shop"
        self.session = str(uuid4())
        self.goal = script.GOAL
        self.handrail = Home(f"{folder}/handrail")
        self.environ = {
            "HOME": self.home,
            "HANDRAIL_HOME": self.handrail.path,
            "TMPDIR": f"{folder}/tmp",
            "USER": "you",
            "LOGNAME": "you",
            "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            **{f"GIT_{who}_NAME": "Demo" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "demo@example.com" for who in ("AUTHOR", "COMMITTER")},
        }
        self.over = threading.Event()
        """Set as soon as nobody watches any more."""
        self._trashed: list[str] = []
        self._undone: list[str] = []
        self.restored: list[str] = []
        """What the demo brought back, and how."""
        self._read = 0
        self._facts = RunFacts()
        self._build()

    def _build(self) -> None:
        os.makedirs(f"{self.folder}/tmp")
        for name, text in script.FILES.items():
            path = Path(self.project, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        for command in (
            "git init -q --bare ../origin.git && git init -q -b main . && git add -A",
            "git commit -qm 'A cart' && git remote add origin ../origin.git",
            "git push -q origin main",
        ):
            subprocess.run(
                ["sh", "-c", command],
                cwd=self.project,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
            )
        confirm_settings(self.project, self.environ)

    def play(self) -> Iterator[DemoStep]:
        """Play the script: ask the daemon about each action, and run it if allowed."""
        with (
            closing(open_log(self.handrail.log, "read")) as store,
            _DemoAgent(self) as agent,
        ):
            for step, line in enumerate(script.SCRIPT, 1):
                if line.prompt:
                    self._rescue()
                    agent.tell("UserPromptSubmit", prompt=line.prompt)
                    self._read_events(store, CheckpointTaken)
                done = agent.do(ToolCall(line.tool, line.input, f"demo{step}"))
                scene = self._scene(step, line, done)
                notes = self._notes(store)
                yield msgspec.structs.replace(scene, prompt=line.prompt, notes=tuple(notes))
                if any(note.event == "stop_confirmed" for note in notes):
                    return

    def _notes(self, store: Store) -> list[DemoNote]:
        """Wait for the findings and interventions after a step."""
        events = self._read_events(store)
        for event in list(events):
            if isinstance(event, Intervened) and event.intervention.incident:
                events += self._read_events(store, StopConfirmed)
            elif isinstance(event, Intervened) and event.intervention.checkpoint:
                events += self._read_events(store, RolledBack)
        return [self._note(event) for event in events if _is_noted(event)]

    def _note(self, event: Event) -> DemoNote:
        sentence = event_sentence(event, self._facts)
        text = _CLOCK.sub("what was there ", self._short(sentence.text))
        # The number of a checkpoint depends on the speed of the machine.
        text = _ROLLBACK.sub("CHECKPOINT", _NUMBERED.sub("a checkpoint", text))
        text = " ".join(text.split())
        return DemoNote(str(event.__struct_config__.tag), text, sentence.mark, sentence.style)

    def _read_events(self, store: Store, wanted: type[Event] | None = None) -> list[Event]:
        """Read new events; with `wanted`, wait for an event of this type."""
        events: list[Event] = []
        until = monotonic() + _SECONDS
        while True:
            for stored in store.read(topic_of(self.session), self._read):
                self._read = stored.seq
                events.append(decode(stored))
                self._facts.update(events[-1])
            if wanted is None or any(isinstance(event, wanted) for event in events):
                return events
            if monotonic() > until or self.over.is_set():
                raise click.ClickException("the daemon of the demo does not answer")
            sleep(_POLL)

    def _scene(self, step: int, line: ScriptedStep, done: CallResult) -> DemoStep:
        shown = str(line.input.get("command", line.input.get("file_path")))
        if done.refused:
            why, _, instead = done.said("permissionDecisionReason").partition("\n")
            says = f"stopped: {self._short(why.partition(': ')[2]).removeprefix('it ').rstrip('.')}"
            told = self._short(instead.partition("\n")[0].partition(": ")[2])
            return DemoStep(step, line.tool, shown, "block", says, told=told)
        if not line.harmless:
            return DemoStep(step, line.tool, shown, "allow", "allowed (not run in the demo)")
        told = done.said("additionalContext")
        scene = DemoStep(step, line.tool, shown, "allow", "")
        if told.startswith(_TOLD):
            scene = msgspec.structs.replace(scene, says="the agent learns what you restored")
        elif told:
            scene = msgspec.structs.replace(scene, decision="warn")
        if line.tool != "Bash":
            return scene
        code = 0 if done.ok else int(re.findall(r"\d+", done.output)[0])
        command = str((done.input or {})["command"])
        scene = msgspec.structs.replace(scene, ran=command, exit_code=code, says=_result(done))
        if command == shown:
            return self._behind_checkpoint(scene, told)
        _, *changes = told.splitlines()
        restore = changes.pop() if changes[-1].startswith("To put it back") else ""
        self._trashed += re.findall(_TRASHED, restore)
        return msgspec.structs.replace(
            scene,
            decision="modify",
            says=f"changed: {self._short('; '.join(changes))}",
            restore=_restore_line(restore),
        )

    def _behind_checkpoint(self, scene: DemoStep, told: str) -> DemoStep:
        """Mark an action for which Handrail saved the files first; a failure tells more."""
        if scene.exit_code or re.search(_POINT, told) is None:
            return scene
        undo = f"undo --action {scene.step}"
        self._undone.append(undo)
        says = "Handrail saved the files first"
        return msgspec.structs.replace(scene, says=says, restore=f"handrail {undo}")

    def _short(self, text: str) -> str:
        """Shorten paths as the agent would write them."""
        return text.replace(f"{self.project}/", "").replace(self.home, "~")

    def check(self, tool: str, given: Json) -> None:
        """Fail if an action would touch anything outside the scratch folder."""
        paths = [os.path.join(self.project, str(given.get("file_path", "")))]
        if tool == "Bash":
            paths = re.findall(r"(?<![\w.:/])/[^\s'\"]*", str(given["command"]))
        for path in paths:
            if not os.path.realpath(path).startswith(f"{self.folder}/"):
                raise click.ClickException(f"the demo would leave its folder: {path}")

    def counts(self) -> dict[str, float]:
        """Count the actions, findings and interventions of the run."""
        with closing(open_log(self.handrail.log, "read")) as store:
            state = read_state(store, self.session)
        decided = state.usage.decided
        return {
            "actions": state.step,
            "ran": decided.get("allow", 0) + decided.get("warn", 0),
            "changed": decided.get("modify", 0),
            "stopped": decided.get("block", 0),
            "findings": len(self._facts.found),
            "interventions": self._facts.interventions,
            "helped": sum(made.worked is True for made in state.course.past.made),
            "rollbacks": self._facts.rollbacks,
            "milliseconds": state.usage.review_ms / max(state.step, 1),
        }

    def _rescue(self) -> None:
        """Restore from the trash, and report what really came back."""
        while self._trashed:
            key = self._trashed.pop(0)
            batch = find_batch(trash_folder(self.environ), key)
            for item in batch.items:
                put_back(item)
            for name in batch.saved:
                unpack_batch(batch, name, self.project)
            tidy_trash(batch)
            if batch.saved and script.UNSAVED in Path(self.project, "cart.py").read_text():
                said = f"{key} --into .   brings back the edit of cart.py"
            elif batch.items and _same(
                Path(self.project, script.NOTES), script.FILES[script.NOTES]
            ):
                said = f"{key}   brings back {script.NOTES}, byte for byte"
            else:
                continue
            self.restored.append(f"handrail restore {said}")
        while self._undone:
            self._undo(self._undone.pop(0))

    def _undo(self, command: str) -> None:
        """Run the command that a person would type."""
        subprocess.run(
            [sys.executable, "-m", "handrail", *command.split(), "--yes"],
            cwd=self.project,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if _same(Path(self.project, script.DRAFT), script.FILES[script.DRAFT]):
            self.restored.append(f"handrail {command}   brings back {script.DRAFT}, byte for byte")

    def incident(self) -> str:
        """Return the name of the incident with a report, or ""."""
        incidents = IncidentFolders(self.handrail.incidents)
        return next((name for name in incidents.names() if incidents.report(name)), "")


def _is_noted(event: Event) -> bool:
    """Return whether the demo shows this event; it shows a rollback when it is done."""
    if isinstance(event, Intervened):
        return not event.intervention.checkpoint
    return isinstance(event, _NOTED)


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text() == text


def _result(done: CallResult) -> str:
    """Describe the end of a command by its last line of output."""
    lines = [line for line in done.output.splitlines() if line.strip()]
    last = lines[-1].strip() if lines else ""
    return last if done.ok else f"ran, {lines[0].lower()}: {last}"


def _restore_line(restore: str) -> str:
    found = re.search(_TRASHED, restore)
    into = " --into ." if any(name in restore for name in SAVED) else ""
    return f"handrail restore {found.group(1)}{into}" if found else restore


@contextmanager
def open_stage() -> Iterator[DemoStage]:
    """Make a stage in a temporary folder, with its own daemon, and remove both afterwards."""
    for program in ("git", "sh"):
        if shutil.which(program) is None:
            raise click.ClickException(f"the demo needs {program}; please install it")
    with tempfile.TemporaryDirectory(prefix="handrail-demo-") as folder:
        stage = DemoStage(os.path.realpath(folder))
        try:
            ensure_daemon(stage.handrail, stage.environ)
            yield stage
        finally:
            stop_daemon(stage.handrail)
