"""Carry out decisions of a person through the daemon: emergency stops and approvals."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from handrail.api.client import ApiClient, ApiRefusedError
from handrail.api.messages.incidents import RecoveryOrder
from handrail.intervene.incidents.folders import IncidentError, IncidentFolders
from handrail.intervene.incidents.recovery import offered_options
from handrail.server.home import Home
from handrail.server.http.api_connection import connect_api
from handrail.server.http.socket_client import DaemonError
from handrail.server.launcher import ensure_daemon
from handrail.tui.sending.approval_choices import (
    EditStoppedError,
    answer_approval,
    approval_decision,
)
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
        kinds = _KINDS.values()
        return next((found for kind in kinds if (found := kind.find(self._home, run))), None)

    def decide(self, decision: OpenDecision, choice: str, note: str) -> SendingStage:
        """Tell the daemon; start it if it does not run."""
        try:
            ensure_daemon(self._home)
            api = connect_api(self._home, seconds=_TIMEOUT)
            _KINDS[decision.about].decide(api, decision, choice, note)
        except (EditStoppedError, ApiRefusedError) as error:
            return SendingStage("failed", str(error), "invalid_state")
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
        "incident",
        run.incident,
        tuple(
            DecisionChoice(each.option.value, each.option.value.replace("_", " "), each.says)
            for each in offered_options(checkpoint)
        ),
    )


def _recover(api: ApiClient, decision: OpenDecision, choice: str, note: str) -> None:
    api.recover(decision.id, RecoveryOrder(choice, note))


class _DecisionKind(NamedTuple):
    find: Callable[[Home, RunOverview], OpenDecision | None]
    decide: Callable[[ApiClient, OpenDecision, str, str], None]


_KINDS: Mapping[str, _DecisionKind] = {
    "incident": _DecisionKind(_emergency_stop, _recover),
    "approval": _DecisionKind(approval_decision, answer_approval),
}
"""What a person can decide about on the screen, the most urgent first."""
