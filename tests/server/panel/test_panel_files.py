"""The pages and their parts: only what was built is served, and nothing else can be asked for."""

import asyncio
import gzip
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx

from handrail.server.panel.files import PanelFiles
from tests.server.asgi import AsgiResponse, ask

SCRIPT = "console.log('panel');" * 100


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "panel_files"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>Panel</title>")
    (folder / "assets" / "main-a1b2c3.js").write_text(SCRIPT)
    (folder / "favicon.svg").write_text("<svg/>")
    (folder / ".secret").write_text("hidden")
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "assets" / "link.txt").symlink_to(tmp_path / "outside.txt")
    return folder


def get(folder: Path, path: str, method: str = "GET", **headers: str) -> AsgiResponse:
    files = PanelFiles(str(folder))
    names = {name.replace("_", "-"): value for name, value in headers.items()}

    async def look() -> AsgiResponse:
        assert files.serves(method, path)
        return await ask(files, method, path, headers=names)

    with blockbuster_ctx():
        return asyncio.run(look())


@pytest.mark.parametrize("path", ["/", "/login", "/runs/0b5e", "/approvals/a/b", "/incidents"])
def test_every_page_is_the_same_file_and_is_asked_for_anew(built: Path, path: str) -> None:
    answer = get(built, path)
    assert (answer.status, b"Panel" in answer.body) == (200, True)
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-type"].startswith("text/html")


def test_a_part_with_a_hash_in_its_name_is_kept_for_ever(built: Path) -> None:
    answer = get(built, "/assets/main-a1b2c3.js")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.body.decode() == SCRIPT


def test_parts_are_compressed_for_those_who_want_it(built: Path) -> None:
    answer = get(built, "/assets/main-a1b2c3.js", accept_encoding="gzip, br")
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(answer.body).decode() == SCRIPT
    assert int(answer.headers["content-length"]) == len(answer.body) < len(SCRIPT) / 4


def test_a_page_that_is_known_is_not_sent_again(built: Path) -> None:
    tag = get(built, "/").headers["etag"]
    again = get(built, "/", if_none_match=tag)
    assert (again.status, again.body) == (304, b"")


def test_a_head_has_no_body(built: Path) -> None:
    answer = get(built, "/", "HEAD")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["content-length"]) > 0


def test_pages_may_do_little(built: Path) -> None:
    for path in ("/", "/assets/main-a1b2c3.js", "/assets/none.js"):
        headers = get(built, path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        for part in ("frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"):
            assert part in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../../outside.txt",
        "/assets/..%2f..%2foutside.txt",
        "/assets//etc/passwd",
        "/assets/link.txt",
        "/assets/",
        "/assets/\0",
        "/.secret",
        "/outside.txt",
        "/..",
    ],
)
def test_no_path_leads_out_of_the_folder(built: Path, path: str) -> None:
    answer = get(built, path)
    assert (answer.status, answer.body) == (404, b"There is no such file.\n")


def test_nothing_of_an_address_is_in_the_answer(built: Path) -> None:
    for path in ("/runs/<script>alert(1)</script>", "/assets/<script>alert(1)</script>.js"):
        assert b"alert" not in get(built, path).body


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/"),
        ("DELETE", "/runs/x"),
        ("GET", "/healthz"),
        ("GET", "/metrics"),
        ("GET", "/control/r1"),
        ("GET", "/hooks/claude"),
        ("GET", "/api/v2/x"),
        ("GET", "//runs"),
        ("GET", ""),
    ],
)
def test_other_endpoints_are_left_to_others(built: Path, method: str, path: str) -> None:
    assert not PanelFiles(str(built)).serves(method, path)


def test_without_built_files_a_page_tells_how_to_build_them(tmp_path: Path) -> None:
    answer = get(tmp_path / "nothing", "/")
    assert (answer.status, b"make panel" in answer.body) == (200, True)
    assert get(tmp_path / "nothing", "/missing.css").status == 200


def test_a_new_build_is_served_without_a_new_daemon(built: Path) -> None:
    files = PanelFiles(str(built))

    async def look() -> bytes:
        await ask(files, "GET", "/")
        (built / "new.html").write_text("<title>New</title>")
        (built / "new.html").replace(built / "index.html")
        return (await ask(files, "GET", "/")).body

    assert b"New" in asyncio.run(look())
