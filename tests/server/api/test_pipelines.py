"""Pipelines through the API: the process of one records it with the daemon."""

from pathlib import Path

import msgspec
import pytest

from handrail.fleet.pipeline.events import PipelineBegun, PlannedStep, StepBegun, StepEnded
from handrail.fleet.pipeline.recorded import read_pipelines
from handrail.fleet.pipeline.result import StepStatus
from handrail.server.api.live_log import LiveLog
from handrail.server.api.pipelines import PipelineOperations
from handrail.server.fleet.pipeline_endpoint import PipelineEndpoint
from handrail.server.fleet.pipeline_messages import PIPELINE_EVENTS, PipelineReport
from handrail.server.home import Home
from handrail.server.http.routes import starlette_app
from handrail.store.memory import MemoryStore
from handrail.supervise.runs.project import Projects
from tests.server.api.api_client import InProcessApi as ApiClient
from tests.server.api.api_client import run
from tests.server.asgi import AsgiResponse, ask
from tests.server.in_process_api import InProcessApi

BEGUN = PipelineBegun(100.0, "mend", (PlannedStep("build", "command"),), "/", by="ada")


class PipelineOffice:
    """The daemon's side of pipelines, in this process."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.api = InProcessApi(store=self.store)
        projects: Projects = self.api.desk.runs.projects
        self.app = starlette_app([PipelineEndpoint(self.api.supervision, projects, self.api.store)])
        live = LiveLog(self.store, Home("/nowhere"))
        self.client = ApiClient([PipelineOperations(live, lambda: 105.0)])

    def tell(self, report: PipelineReport) -> AsgiResponse:
        body = msgspec.json.encode(report)
        return run(ask(self.app, "POST", PIPELINE_EVENTS, body))


@pytest.fixture
def office() -> PipelineOffice:
    return PipelineOffice()


def test_an_event_that_is_told_twice_is_written_once(office: PipelineOffice) -> None:
    report = PipelineReport("p1", 1, "/", BEGUN)
    with office.api:
        assert [office.tell(report).json for _ in range(2)] == [{"number": 1}] * 2
        later = office.tell(PipelineReport("p1", 3, "/", StepBegun(101.0, "build")))
        assert (later.status, "send those between" in later.json["error"]) == (409, True)
        assert office.tell(PipelineReport("p1", 2, "/", StepBegun(101.0, "build"))).status == 200
    (found,) = read_pipelines(office.store, 10)
    assert found.steps["build"].attempt == 1


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 65, "p\x001"])
def test_an_odd_id_is_refused(office: PipelineOffice, name: str) -> None:
    with office.api:
        assert office.tell(PipelineReport(name, 1, "/", BEGUN)).status == 400


def test_secrets_of_the_project_do_not_reach_the_log(
    office: PipelineOffice, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("API_KEY=hunter2-hunter2-hunter2\n")
    says = "it printed hunter2-hunter2-hunter2"
    ended = StepEnded(101.0, "build", StepStatus.FAILED, says)
    with office.api:
        office.tell(PipelineReport("p1", 1, str(tmp_path), BEGUN))
        office.tell(PipelineReport("p1", 2, str(tmp_path), ended))
    (found,) = read_pipelines(office.store, 10)
    assert found.steps["build"].ended is not None
    assert "hunter2" not in found.steps["build"].ended.says


def test_the_pipelines_are_listed_with_their_steps(office: PipelineOffice) -> None:
    with office.api:
        for name in ("p1", "p2"):
            office.tell(PipelineReport(name, 1, "/", BEGUN))
        rows = office.client.get("/pipelines").json["items"]
        assert {row["id"] for row in rows} == {"p1", "p2"}
        assert (rows[0]["by"], rows[0]["steps"][0]["name"]) == ("ada", "build")


def test_pages_of_pipelines_follow_each_other_without_a_gap(office: PipelineOffice) -> None:
    names = {f"p{number}" for number in range(5)}
    with office.api:
        for name in names:
            office.tell(PipelineReport(name, 1, "/", BEGUN))
        pages = office.client.pages("/pipelines", 2)
    assert [len(page) for page in pages] == [2, 2, 1]
    assert {row["id"] for page in pages for row in page} == names
