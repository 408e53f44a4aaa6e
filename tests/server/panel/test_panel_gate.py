"""Who comes in over the port from a browser: against a real daemon."""

import http.client
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.server.http.socket_client import call_daemon
from handrail.server.panel.messages import SESSIONS, TOKEN
from handrail.server.restarting import restart_daemon
from tests.server.daemon_sandbox import PATIENCE, DaemonSandbox
from tests.server.panel.browser import Browser, ask_port, new_code

pytestmark = pytest.mark.slow

ME = "/api/v1/session"


@pytest.fixture(scope="module")
def started() -> Iterator[DaemonSandbox]:
    with DaemonSandbox() as place:
        place.start()
        yield place


@pytest.fixture
def browser(started: DaemonSandbox) -> Browser:
    browser = Browser(started.home)
    assert browser.log_in().status == 200
    return browser


def with_token(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


# Coming in


def test_a_code_becomes_a_cookie_that_scripts_cannot_read(started: DaemonSandbox) -> None:
    browser = Browser(started.home)
    answer = browser.log_in()
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"handrail-{started.home.port}=")
    for part in ("HttpOnly", "SameSite=Strict", "Path=/"):
        assert f"; {part}" in cookie
    assert answer.json["rights"] == ["read", "control"]
    assert browser.ask("GET", ME).json["rights"] == ["read", "control"]


def test_a_code_counts_once(started: DaemonSandbox) -> None:
    code = new_code(started.home)["code"]
    assert Browser(started.home).use(code).status == 200
    assert Browser(started.home).use(code).status == 401


def test_a_code_may_be_typed_in_capitals_with_gaps(started: DaemonSandbox) -> None:
    code = new_code(started.home)["code"].upper()
    assert Browser(started.home).use(f" {code[:4]}-{code[4:10]} {code[10:]}").status == 200


def test_a_wrong_code_opens_nothing(started: DaemonSandbox) -> None:
    answer = Browser(started.home).use("aaaabbbbccccddddeeeeffff22")
    assert (answer.status, answer.headers.get("set-cookie")) == (401, None)
    assert Browser(started.home).log_in().status == 200  # which forgets the wrong one


def test_everybody_else_hears_how_to_log_in(started: DaemonSandbox) -> None:
    answer = Browser(started.home).ask("GET", ME)
    assert answer.status == 401
    assert answer.headers["content-type"] == "application/problem+json"
    assert "handrail panel" in answer.json["detail"]


@pytest.mark.parametrize("cookie", ["", "x", "..", "a" * 4000, "é"])
def test_a_made_up_cookie_opens_nothing(started: DaemonSandbox, cookie: str) -> None:
    browser = Browser(started.home)
    given = f"handrail-{started.home.port}={cookie}".encode().decode("latin-1")
    assert browser.ask("GET", ME, Cookie=given).status == 401


def test_tokens_open_the_api_with_their_rights(started: DaemonSandbox) -> None:
    read = call_daemon(started.home, "POST", TOKEN, {})["token"]
    for token, rights in ((started.home.control_token, ["read", "control"]), (read, ["read"])):
        answer = ask_port(started.home, "GET", ME, headers=with_token(str(token)))
        assert (answer.status, answer.json["rights"]) == (200, rights)


def test_the_hook_token_does_not_open_the_api(started: DaemonSandbox) -> None:
    answer = ask_port(started.home, "GET", ME, headers=with_token(started.home.hook_token))
    assert answer.status == 401
    Browser(started.home).log_in()


def test_a_new_read_token_makes_the_one_before_worthless(started: DaemonSandbox) -> None:
    old = str(call_daemon(started.home, "POST", TOKEN, {})["token"])
    new = str(call_daemon(started.home, "POST", TOKEN, {"new": True})["token"])
    assert old != new
    assert ask_port(started.home, "GET", ME, headers=with_token(old)).status == 401
    assert ask_port(started.home, "GET", ME, headers=with_token(new)).status == 200


def test_the_socket_gives_its_owner_all_rights(started: DaemonSandbox) -> None:
    assert call_daemon(started.home, "GET", ME)["rights"] == ["read", "control"]


# Foreign pages


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", ""]
)
@pytest.mark.parametrize("path", [ME, "/", "/login", "/runs/x", "/missing.css"])
def test_a_dns_name_of_somebody_else_stays_outside(browser: Browser, host: str, path: str) -> None:
    given = host.format(port=browser.home.port)
    assert browser.ask("GET", path, Host=given, Origin=None).status == 403


ORIGINS = [
    "http://evil.example",
    "null",
    "http://127.0.0.1:3000",
    "https://127.0.0.1:{port}",
    "http://localhost:{port}",
    "http://127.0.0.1:{port}.evil.example",
]


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("method", ["GET", "DELETE", "POST"])
def test_a_page_of_another_origin_stays_outside(browser: Browser, origin: str, method: str) -> None:
    given = origin.format(port=browser.home.port)
    assert browser.ask(method, ME, {"code": "x"}, Origin=given).status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "unheard-of"])
def test_a_browser_that_tells_of_another_site_is_believed(browser: Browser, site: str) -> None:
    assert browser.ask("GET", ME, Origin=None, Sec_Fetch_Site=site).status == 403


def test_a_change_without_an_origin_is_refused(browser: Browser) -> None:
    assert browser.ask("DELETE", ME, Origin=None).status == 403
    assert browser.ask("POST", ME, {"code": "x"}, Origin=None).status == 403
    assert browser.ask("GET", ME, Origin=None).status == 200


@pytest.mark.parametrize("key", [None, "", "wrong"])
def test_a_stolen_cookie_changes_nothing_without_the_key(browser: Browser, key: str | None) -> None:
    assert browser.ask("DELETE", ME, Handrail_Key=key).status == 403
    assert browser.ask("GET", ME).status == 200


def test_a_page_may_not_use_a_token(started: DaemonSandbox) -> None:
    headers = {**with_token(started.home.control_token), "Origin": "http://evil.example"}
    assert ask_port(started.home, "GET", ME, headers=headers).status == 403
    own = {**headers, "Origin": f"http://127.0.0.1:{started.home.port}"}
    assert ask_port(started.home, "GET", ME, headers=own).status == 403


# Going out


def test_logging_out_ends_the_session(browser: Browser) -> None:
    answer = browser.ask("DELETE", ME)
    assert (answer.status, "Max-Age=0" in answer.headers["set-cookie"]) == (200, True)
    assert browser.ask("GET", ME).status == 401


def test_a_person_can_log_all_browsers_out(browser: Browser) -> None:
    other = Browser(browser.home)
    other.log_in(read_only=True)
    code = new_code(browser.home)["code"]
    assert int(str(call_daemon(browser.home, "DELETE", SESSIONS)["ended"])) >= 2
    assert [each.ask("GET", ME).status for each in (browser, other)] == [401, 401]
    assert Browser(browser.home).use(code).status == 401
    Browser(browser.home).log_in()


def test_a_browser_stays_logged_in_when_the_daemon_is_replaced_or_killed(
    place: DaemonSandbox,
) -> None:
    place.start()
    browser = Browser(place.home)
    browser.log_in()
    first = browser.ask("GET", ME).json["started"]
    restart_daemon(place.home, place.environ, patience=PATIENCE)
    second = browser.ask("GET", ME).json["started"]
    place.kill()
    place.start()
    third = browser.ask("GET", ME).json["started"]
    assert first < second < third
    assert browser.ask("DELETE", ME).status == 200


def test_a_new_read_token_logs_out_whoever_came_in_with_the_old_one(browser: Browser) -> None:
    home = browser.home
    by_token = Browser(home)
    assert by_token.use(token=str(call_daemon(home, "POST", TOKEN, {})["token"])).status == 200
    assert by_token.ask("GET", ME).json["rights"] == ["read"]
    call_daemon(home, "POST", TOKEN, {"new": True})
    assert by_token.ask("GET", ME).status == 401
    assert browser.ask("GET", ME).status == 200


def test_a_new_read_token_ends_a_stream_of_the_old_one(started: DaemonSandbox) -> None:
    token = str(call_daemon(started.home, "POST", TOKEN, {})["token"])
    line = http.client.HTTPConnection("127.0.0.1", started.home.port, timeout=PATIENCE)
    line.request("GET", "/api/v1/events", headers=with_token(token))
    stream = line.getresponse()
    assert (stream.status, bool(stream.readline())) == (200, True)
    call_daemon(started.home, "POST", TOKEN, {"new": True})
    stream.read()  # until the daemon ends it, with its next sign of life
    line.close()


def test_logging_out_ends_an_open_stream(browser: Browser) -> None:
    line = http.client.HTTPConnection("127.0.0.1", browser.home.port, timeout=PATIENCE)
    line.request("GET", "/api/v1/events", headers=browser.headers)
    stream = line.getresponse()
    assert (stream.status, bool(stream.readline())) == (200, True)
    assert browser.ask("DELETE", ME).status == 200
    stream.read()  # until the daemon ends it, with its next sign of life
    line.close()


# What each right allows


def test_who_may_only_read_changes_nothing(started: DaemonSandbox) -> None:
    reader = Browser(started.home)
    reader.log_in(read_only=True)
    assert reader.ask("GET", "/api/v1/overview").status == 200
    answer = reader.ask("POST", "/api/v1/commands", {"command": "STOP"})
    assert (answer.status, answer.headers["content-type"]) == (403, "application/problem+json")
    token = str(call_daemon(started.home, "POST", TOKEN, {})["token"])
    given = with_token(token)
    assert ask_port(started.home, "GET", "/api/v1/overview", headers=given).status == 200
    refused = ask_port(started.home, "POST", "/api/v1/commands", {"command": "STOP"}, given)
    assert refused.status == 403


def test_the_other_endpoints_are_closed_to_browsers_and_the_read_only_token(
    browser: Browser,
) -> None:
    token = str(call_daemon(browser.home, "POST", TOKEN, {})["token"])
    for method, path in (("POST", "/control"), ("POST", "/panel/codes"), ("POST", "/panel/token")):
        assert browser.ask(method, path, {}, Origin=None).status == 401
        assert browser.ask(method, path, {}).status == 403
        assert ask_port(browser.home, method, path, {}, with_token(token)).status == 401


@pytest.mark.parametrize("path", ["/xyz", "/runz/last", "/metrics", "/control/r1"])
def test_a_person_who_mistypes_an_address_gets_a_page(started: DaemonSandbox, path: str) -> None:
    program = ask_port(started.home, "GET", path)
    assert (program.status, "error" in program.json) == (401, True)
    visit = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none"}
    page = ask_port(started.home, "GET", path, headers=visit)
    assert (page.status, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    foreign = {**visit, "Host": "evil.example"}
    assert ask_port(started.home, "GET", path, headers=foreign).status == 403
    assert ask_port(started.home, "POST", path, {}, visit).status == 401


def test_a_tunnel_may_have_another_port(browser: Browser) -> None:
    tunnel = {"Host": "localhost:9999", "Origin": "http://localhost:9999"}
    assert browser.ask("GET", ME, **tunnel).status == 200
    assert browser.ask("DELETE", ME, **tunnel).status == 200


# What stays secret


def test_no_code_cookie_or_key_is_in_any_file(place: DaemonSandbox) -> None:
    place.start()
    browser = Browser(place.home)
    link = new_code(place.home)
    browser.use(link["code"])
    secrets = (link["code"], browser.cookie.partition("=")[2], browser.key)
    browser.ask("DELETE", ME, Handrail_Key=None)
    place.tell("SessionStart", source="startup")
    for folder, _, names in os.walk(place.root):
        for name in names:
            path = Path(folder) / name
            if stat.S_ISREG(path.stat().st_mode):
                data = path.read_bytes()
                assert not [each for each in secrets if each.encode() in data], path


def test_the_files_are_for_their_owner_alone(browser: Browser) -> None:
    call_daemon(browser.home, "POST", TOKEN, {})
    link = new_code(browser.home, file=True)["file"]
    folder = Path(browser.home.path)
    for path in (link, folder / "panel-sessions.json", folder / "read-token"):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_the_link_for_a_browser_leads_to_this_machine(browser: Browser) -> None:
    link = new_code(browser.home, file=True)
    assert f"{browser.origin}/login#{link['code']}" in Path(link["file"]).read_text()
    assert link["url"] == f"{browser.origin}/login#{link['code']}"


# Guessing


def test_after_some_wrong_tokens_an_address_has_to_wait(place: DaemonSandbox) -> None:
    place.start()
    browser = Browser(place.home)
    browser.log_in()
    until = time.monotonic() + PATIENCE
    while ask_port(place.home, "GET", ME, headers=with_token("wrong")).status != 429:
        assert time.monotonic() < until
    right = ask_port(place.home, "GET", ME, headers=with_token(place.home.control_token))
    assert (right.status, Browser(place.home).log_in().status) == (429, 429)
    # Who is logged in goes on, and so do the hooks and our own commands.
    assert browser.ask("GET", ME).status == 200
    assert call_daemon(place.home, "GET", ME)["rights"] == ["read", "control"]
    health = ask_port(place.home, "GET", "/healthz", headers=with_token(place.home.hook_token))
    assert health.status == 200
