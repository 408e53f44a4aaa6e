"""Tell people what a fleet needs from them: its questions, and at the end how it stands."""

import time
from collections.abc import Callable

from handrail.config.notify import Notify
from handrail.fleet.engine.engine import FleetError, StaleAttemptError
from handrail.fleet.engine.events import QuestionAnswered, QuestionAsked
from handrail.fleet.engine.requests import FleetRequest, NoteEvent
from handrail.fleet.workspaces.repository import FleetRepository
from handrail.intervene.notify import Notification, Notifier
from handrail.model.event import ApprovalAsked, ApprovalDecided, Event, LoopEnded
from handrail.server.fleet.open_fleets import OpenFleets
from handrail.server.threads.process_jobs import ProcessJobs
from handrail.supervise.runs.project import Project
from handrail.supervise.supervisor import Supervisor

Later = Callable[[Callable[[], None]], None]


class FleetNotices:
    """Sends messages, and keeps approvals that wait as questions of their task."""

    def __init__(
        self,
        fleets: OpenFleets,
        jobs: ProcessJobs,
        notifier: Notifier,
        later: Later,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`later`: runs in the supervision thread."""
        self._fleets = fleets
        self._jobs = jobs
        self._notifier = notifier
        self._later = later
        self._clock = clock

    def performed(
        self, repository: FleetRepository, project: Project, request: FleetRequest
    ) -> None:
        """Tell people that an agent asks them something; called in a thread."""
        if isinstance(request, NoteEvent) and isinstance(request.event, QuestionAsked):
            asked = request.event
            text = project.redactor.text(asked.question)
            body = f'{text}\nhandrail task answer {asked.task} "TEXT"'
            title = f"Handrail: {asked.task} of {repository.fleet} asks you"
            self._later(lambda: self._tell(project.config.notify, title, body))

    def on_event(self, supervisor: Supervisor, event: Event) -> None:
        """Follow the approvals of tasks, and the end of a fleet; in supervision."""
        loop = supervisor.state.loop
        if loop is None:
            return
        if isinstance(event, LoopEnded) and loop.mode == "grind":
            title = f"Handrail: the fleet of {supervisor.state.cwd.rpartition('/')[2]} has ended"
            self._tell(supervisor.project.config.notify, title, event.says)
        elif isinstance(event, ApprovalAsked | ApprovalDecided) and loop.issue:
            run, task = supervisor.state.run, loop.issue
            name = f"{event.approval} {type(event).__name__}"
            self._jobs.begin(run, name, lambda: self._keep(run, task, event))

    def _tell(self, settings: Notify, title: str, body: str) -> None:
        self._notifier.tell(settings, Notification(title, body))

    def _keep(self, run: str, task: str, event: ApprovalAsked | ApprovalDecided) -> None:
        """Write an approval into the history of its task; blocks on the disk."""
        engine = self._fleets.find(lambda each: each.has_run(run))
        if engine is None:
            return
        try:
            known = engine.look_at(task)
            if isinstance(event, ApprovalAsked):
                text = f"May it do this? {event.says}"
                engine.note(
                    QuestionAsked(event.at, task, known.attempt, text, event.until, event.approval)
                )
                return
            asked = next(each for each in known.questions if each.approval == event.approval)
            said = "approved" if event.approved else "denied"
            answer = f"{said}: {event.reason}" if event.reason else said
            engine.record(QuestionAnswered(event.at, task, asked.number, answer, event.by))
        except (StaleAttemptError, FleetError, StopIteration):
            return  # its attempt is over: nobody waits for it
