"""Carry out decisions of a person through the daemon: emergency stops and approvals."""

from collections.abc import Callable

from handrail.intervene.incidents.folders import IncidentError, IncidentFolders
from handrail.intervene.incidents.recovery import offered_options
from handrail.server.home import Home
from handrail.server.http.socket_client import DaemonError, call_daemon
from handrail.server.launcher import ensure_daemon
from handrail.tui.sending.approval_choices import answer_body, approval_decision
from handrail.tui.sending.decisions import DecisionChoice, OpenDecision
from handrail.tui.sending.port import SendingStage
from handrail.views.run_overview import RunOverview

_TIMEOUT = 180.0
"""Seconds for the daemon: a rollback may have to save a large project first."""


class DaemonDecisions:
    """Decides about emergency stops and approvals, through the daemon."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def find(self, run: RunOverview) -> OpenDecision | None:
        """Find what a run waits for."""
        return next((found for row in _KINDS if (found := row(self._home, run))), None)

    def decide(self, decision: OpenDecision, choice: str, note: str) -> SendingStage:
        """Tell the daemon; start it if it does not run."""
        try:
            ensure_daemon(self._home)
            body = answer_body(self._home, decision, choice, note, _TIMEOUT)
            call_daemon(self._home, "POST", decision.path, body, timeout=_TIMEOUT)
        except DaemonError as error:
            return SendingStage("failed", str(error), "unreachable")
        return SendingStage("confirmed", choice.replace("_", " "))


def _emergency_stop(home: Home, run: RunOverview) -> OpenDecision | None:
    if not run.incident:
        return None
    try:
        record = IncidentFolders(home.incidents).read(run.incident).record
    except IncidentError:  # its folder is missing: the daemon has it in the log
        checkpoint, question = run.checkpoint, run.trouble.says if run.trouble else ""
    else:
        checkpoint, question = record.checkpoint, record.finding.says
    return OpenDecision(
        run.id,
        run.name,
        f"{run.name} was stopped in an emergency",
        question,
        f"/incidents/{run.incident}",
        ("option", "note"),
        tuple(
            DecisionChoice(each.option.value, each.option.value.replace("_", " "), each.says)
            for each in offered_options(checkpoint)
        ),
    )


_KINDS: tuple[Callable[[Home, RunOverview], OpenDecision | None], ...] = (
    _emergency_stop,
    approval_decision,
)
"""What a person can decide about on the screen, the most urgent first."""
