"""Builds the answers of the API from the parts of the daemon."""

from collections.abc import Mapping
from time import time
from typing import TYPE_CHECKING

from handrail.config.desktop import screenshot_folder
from handrail.intervene.incidents.folders import IncidentFolders
from handrail.server.api.api_routes import ApiComponent, ApiRoutes
from handrail.server.api.approvals import ApprovalOperations
from handrail.server.api.control import ControlOperations
from handrail.server.api.counted_runs import CountedRuns
from handrail.server.api.export import ExportOperations
from handrail.server.api.feedback import FeedbackOperations
from handrail.server.api.files import FileOperations
from handrail.server.api.fleet_restores import FleetRestores
from handrail.server.api.fleets import FleetOperations
from handrail.server.api.incidents import IncidentOperations
from handrail.server.api.live_log import LiveLog
from handrail.server.api.pipelines import PipelineOperations
from handrail.server.api.replay_process import ReplayProcess
from handrail.server.api.runs import RunOperations
from handrail.server.api.screenshots import ScreenshotOperations
from handrail.server.api.session import SessionOperations
from handrail.server.api.statistics import StatisticsOperations
from handrail.server.api.stream import EventStream
from handrail.server.api.task_commands import TaskCommands
from handrail.server.control.approval_decisions import ApprovalDecisions
from handrail.server.control.feedback_recorder import FeedbackRecorder
from handrail.server.fleet.fleet_access import FleetAccess
from handrail.server.fleet.fleet_views import FleetViews
from handrail.server.fleet.merge_jobs import MergeJobs
from handrail.server.http.health import HealthEndpoint
from handrail.server.integrity.notices import unseen_notices

if TYPE_CHECKING:
    from handrail.server.daemon import Daemon


class Api:
    """All operations, and what they share."""

    def __init__(self, daemon: "Daemon", environ: Mapping[str, str]) -> None:
        self._daemon = daemon
        self._environ = environ
        self.live = LiveLog(daemon.store, daemon.home)
        self._fleets = FleetViews(daemon.open_fleets)
        self.stream = EventStream(self.live, time, self._fleets.recovered)
        self.approvals = ApprovalDecisions(daemon.supervision, daemon.runs, time, environ)

    def routes(self, health: HealthEndpoint) -> ApiRoutes:
        """Return the endpoints of all operations."""
        components = (*self._reading(), *self._counting(health), *self._acting())
        return ApiRoutes(components)

    def stop(self) -> None:
        """End the streams: the servers wait for them."""
        self.stream.close()

    def close(self) -> None:
        """End the threads."""
        self.live.close()

    def _reading(self) -> tuple[ApiComponent, ...]:
        daemon, live = self._daemon, self.live
        return (
            SessionOperations(daemon.panel.access, daemon.home.path, time(), live.position),
            RunOperations(live, time, self._notices, lambda: daemon.store.problem),
            self.stream,
            ExportOperations(live),
            ScreenshotOperations(live, self._screenshot_folder),
            PipelineOperations(live, time),
        )

    def _counting(self, health: HealthEndpoint) -> tuple[ApiComponent, ...]:
        daemon, environ = self._daemon, self._environ
        counted = CountedRuns(self.live)
        recorder = FeedbackRecorder(daemon.supervision, daemon.runs, daemon.metrics, time)
        return (
            FeedbackOperations(recorder, self.live, counted),
            StatisticsOperations(
                daemon.supervision,
                counted,
                daemon.metrics,
                health,
                ReplayProcess(daemon.home.log, environ, time),
                environ,
                time,
            ),
        )

    def _acting(self) -> tuple[ApiComponent, ...]:
        daemon, live, environ = self._daemon, self.live, self._environ
        home, supervision, runs = daemon.home, daemon.supervision, daemon.runs
        merges = MergeJobs()
        access = FleetAccess(
            supervision, runs.projects, daemon.open_fleets, daemon.fleets, home, environ
        )
        return (
            ControlOperations(
                supervision,
                runs,
                daemon.control,
                daemon.control_endpoint,
                daemon.fleets,
                live,
                time,
            ),
            ApprovalOperations(self.approvals, live, time),
            FileOperations(
                supervision,
                runs,
                daemon.scheduler,
                daemon.restores,
                FleetRestores(daemon.fleet_checkpoints),
                live,
                home,
                environ,
            ),
            IncidentOperations(
                daemon.incident_recovery, IncidentFolders(home.incidents), live, time
            ),
            FleetOperations(
                access,
                self._fleets,
                TaskCommands(daemon.control_endpoint, merges, home, environ, time),
                merges,
                environ,
            ),
        )

    async def _screenshot_folder(self, cwd: str) -> str:
        """Return where the watch of a project keeps its pictures, by the settings in force."""
        daemon = self._daemon
        project = await daemon.supervision.call(lambda: daemon.runs.projects.at(cwd))
        return screenshot_folder(project.config.desktop, daemon.home.path)

    def _notices(self) -> tuple[str, ...]:
        return tuple(notice.text for notice in unseen_notices(self._daemon.home))
