"""Pictures of a desktop run: those that its checks name, and no other file."""

import base64
import os
from pathlib import Path

import pytest

from handrail.model.desktop import CheckOutcome, DesktopCheck, RecoveryStep, ScreenStatus
from handrail.model.event import DesktopChecked
from handrail.server.api.live_log import LiveLog
from handrail.server.api.runs import RunOperations
from handrail.server.api.screenshots import ScreenshotOperations
from tests.server.api.api_client import InProcessApi
from tests.tui.sample_log import DOCS, SHOP, SampleLog

pytestmark = pytest.mark.slow

JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////"
    "////////////////////////////2wBDAf//////////////////////////////////////////////////////////"
    "////////////////////////////wAARCAABAAEDASIAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAA"
    "AAAAAAAAAAAAAAAAAAD/xAAUAQEAAAAAAAAAAAAAAAAAAAAA/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACEQMR"
    "AD8AAQ=="
)
BEFORE, AFTER = "20261116T021403.000000Z-001.jpg", "20261116T021405.000000Z-001.jpg"
CHECK = DesktopCheck(
    ScreenStatus.DIALOG,
    CheckOutcome.RECOVERED,
    0.97,
    '"Save changes to cart.py?" blocks the editor',
    "local",
    "cart.py",
    "cart.py",
    "dialog:Save",
    attempt=2,
    steps=(RecoveryStep("press Escape"), RecoveryStep("focus cart.py", ok=False, error="gone")),
    why="now: the editor",
    raw_response="{}",
    screenshot=BEFORE,
    after=AFTER,
    context="operation 4 of 9",
    ms=412.5,
    cost_usd=0.004,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pictures"
    made.mkdir()
    (made / BEFORE).write_bytes(JPEG)
    return made


@pytest.fixture
def operations(
    live: LiveLog, book: SampleLog, folder: Path
) -> tuple[RunOperations, ScreenshotOperations]:
    book.write(SHOP, DesktopChecked(book.now, 3, CHECK))

    async def find_folder(cwd: str) -> str:
        return str(folder)

    return (
        RunOperations(live, lambda: book.now, lambda: (), lambda: ""),
        ScreenshotOperations(live, find_folder),
    )


@pytest.fixture
def api(operations: tuple[RunOperations, ScreenshotOperations]) -> InProcessApi:
    return InProcessApi(operations)


def test_a_check_is_a_row_with_everything_that_is_known_about_it(api: InProcessApi) -> None:
    row = api.get(f"/runs/{SHOP}/timeline").json["items"][-1]
    assert (row["kind"], row["mark"], row["tone"], row["step"]) == ("desktop", "✓", "green", 3)
    told = row["desktop"]
    assert told["says"] == 'sees a dialog 0.97: "Save changes to cart.py?" blocks the editor'
    assert told["result"] == "gone at the next look; now: the editor"
    assert [(each["says"], each["ok"], each["error"]) for each in told["steps"]] == [
        ("pressed Escape", True, ""),
        ("could not focus cart.py (gone)", False, "gone"),
    ]
    plain = {key: getattr(CHECK, key) for key in DesktopCheck.__struct_fields__ if key != "steps"}
    assert {key: told[key] for key in plain} == plain


def test_other_rows_have_no_check(api: InProcessApi) -> None:
    others = api.get(f"/runs/{SHOP}/timeline").json["items"][:-1]
    assert {row["desktop"] for row in others} == {None}


def test_a_named_picture_is_given(api: InProcessApi) -> None:
    answer = api.get(f"/runs/{SHOP}/screenshots/{BEFORE}")
    assert (answer.status, answer.headers["content-type"]) == (200, "image/jpeg")
    assert answer.body == JPEG


def test_who_may_only_read_gets_no_picture(
    operations: tuple[RunOperations, ScreenshotOperations],
) -> None:
    reader = InProcessApi(operations, rights=("read",))
    assert reader.get(f"/runs/{SHOP}/timeline").json["items"][-1]["desktop"]["screenshot"] == BEFORE
    answer = reader.get(f"/runs/{SHOP}/screenshots/{BEFORE}")
    assert (answer.status, answer.json["title"]) == (403, "Not allowed")


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (SHOP, AFTER),  # named, but removed by now
        (SHOP, "other.jpg"),  # there, but named by nobody
        (DOCS, BEFORE),  # named by another run
        ("nobody", BEFORE),
        (SHOP, "..%2F..%2Fstate%2Fcontrol-token"),
        (SHOP, "%2e%2e"),
        (SHOP, f"%2Fetc%2F{BEFORE}"),
        (SHOP, f"{BEFORE}%00"),
        (SHOP, "a" * 300 + ".jpg"),
    ],
)
def test_any_other_name_is_not_found(api: InProcessApi, folder: Path, run: str, name: str) -> None:
    (folder / "other.jpg").write_bytes(JPEG)
    answer = api.get(f"/runs/{run}/screenshots/{name}")
    assert answer.status == 404


@pytest.mark.parametrize("name", ["../pictures/a.jpg", "/etc/passwd", ".jpg", "notes.txt", ""])
def test_a_check_that_names_another_file_does_not_give_it(
    api: InProcessApi, book: SampleLog, folder: Path, name: str
) -> None:
    (folder / "notes.txt").write_bytes(JPEG)
    (folder / "a.jpg").write_bytes(JPEG)
    named = DesktopCheck(ScreenStatus.NORMAL, CheckOutcome.NORMAL, screenshot=name)
    book.write(SHOP, DesktopChecked(book.now, 4, named))
    asked = name.replace("/", "%2F")
    assert api.get(f"/runs/{SHOP}/screenshots/{asked}").status == 404


def test_neither_a_link_nor_a_pipe_nor_another_content_is_given(
    api: InProcessApi, folder: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(JPEG)
    picture = folder / BEFORE
    picture.unlink()
    picture.symlink_to(secret)
    assert api.get(f"/runs/{SHOP}/screenshots/{BEFORE}").status == 404
    picture.unlink()
    os.mkfifo(picture)
    assert api.get(f"/runs/{SHOP}/screenshots/{BEFORE}").status == 404
    picture.unlink()
    picture.write_text("-----BEGIN PRIVATE KEY-----")
    answer = api.get(f"/runs/{SHOP}/screenshots/{BEFORE}")
    assert (answer.status, answer.headers["content-type"]) == (404, "application/problem+json")
    picture.write_bytes(JPEG + b"\0" * 4_000_000)
    assert api.get(f"/runs/{SHOP}/screenshots/{BEFORE}").status == 404
