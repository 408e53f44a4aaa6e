"""A run is given away as a file."""

from handrail.server.api.export import ExportOperations
from handrail.server.api.live_log import LiveLog
from tests.server.api.api_client import InProcessApi
from tests.tui.sample_log import SampleLog


def test_a_run_is_a_file_to_save(book: SampleLog, live: LiveLog) -> None:
    run = book.store.topics("run:")[0].name.removeprefix("run:")
    answer = InProcessApi([ExportOperations(live)]).get(f"/runs/{run}/export")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-disposition"].startswith('attachment; filename="')
    assert answer.body.startswith(b"<!doctype html>")


def test_an_unknown_run_is_a_problem(live: LiveLog) -> None:
    assert InProcessApi([ExportOperations(live)]).get("/runs/nobody/export").status == 404
