"""`panel.url` and `panel.listen`: the panel from elsewhere."""

import http.client
import shutil
import socket
import ssl
import subprocess
from pathlib import Path

import pytest

from handrail.server.http.socket_client import call_daemon
from handrail.server.panel.messages import CODES
from tests.server.daemon_sandbox import DaemonSandbox
from tests.server.panel.browser import Browser

pytestmark = pytest.mark.slow

ME = "/api/v1/session"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def settings(place: DaemonSandbox, text: str) -> None:
    folder = place.root / "home" / ".config" / "handrail"
    folder.mkdir(parents=True)
    (folder / "handrail.yaml").write_text(text)


def certificate(folder: Path) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    cert, key = folder / "cert.pem", folder / "key.pem"
    words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=box"
    names = "subjectAltName=IP:127.0.0.1"
    subprocess.run(
        ["openssl", *words.split(), "-addext", names, "-keyout", str(key), "-out", str(cert)],
        check=True,
        capture_output=True,
    )
    return cert, key


def test_links_have_the_address_of_the_settings_and_browsers_may_use_it(
    place: DaemonSandbox,
) -> None:
    settings(place, "panel: {url: 'https://box.example.net/'}")
    place.start()
    link = call_daemon(place.home, "POST", CODES, {})
    assert link["url"] == f"https://box.example.net/login#{link['code']}"
    # A proxy in front of the daemon ends TLS, and passes the name on.
    browser = Browser(place.home)
    outside = {"Host": "box.example.net", "Origin": "https://box.example.net"}
    answer = browser.ask("POST", ME, {"code": link["code"]}, **outside)
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"__Host-handrail-{place.home.port}=")
    assert "; Secure" in cookie
    browser.cookie, browser.key = cookie.partition(";")[0], answer.json["key"]
    assert browser.ask("GET", ME, **outside).status == 200
    assert browser.ask("DELETE", ME, **{**outside, "Origin": "http://evil.example"}).status == 403
    assert browser.ask("DELETE", ME, **outside).status == 200


def test_one_more_port_has_the_panel_by_tls_and_no_hooks(place: DaemonSandbox) -> None:
    cert, key = certificate(place.root)
    port = free_port()
    text = f"panel: {{listen: '127.0.0.1:{port}', tls: {{cert: {cert}, key: {key}}}}}"
    settings(place, text)
    place.start()
    context = ssl.create_default_context(cafile=str(cert))

    def ask(method: str, path: str, **headers: str) -> http.client.HTTPResponse:
        line = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=30)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        line.request(method, path, b'{"code":"x"}' if method == "POST" else None, names)
        answer = line.getresponse()
        answer.read()
        line.close()
        return answer

    assert ask("GET", "/").status == 200
    assert ask("GET", ME).status == 401
    token = f"Bearer {place.home.control_token}"
    assert ask("GET", ME, Authorization=token).status == 200
    for method, path in (("POST", "/hooks/claude"), ("GET", "/healthz"), ("POST", "/control")):
        assert ask(method, path, Authorization=token).status == 404
    own = f"https://127.0.0.1:{port}"
    assert ask("POST", ME, Origin=own).status == 401
    assert ask("POST", ME, Origin=f"http://127.0.0.1:{port}").status == 403


@pytest.mark.parametrize(
    "text",
    [
        "panel: {listen: '0.0.0.0:8443'}",
        "panel: {listen: '127.0.0.1:1', tls: {cert: /nowhere.pem, key: /nowhere.pem}}",
    ],
)
def test_what_cannot_be_listened_on_is_said_and_the_rest_works(
    place: DaemonSandbox, text: str
) -> None:
    settings(place, text)
    place.start()
    assert "panel" in str(call_daemon(place.home, "POST", CODES, {})["problem"])
    assert Browser(place.home).log_in().status == 200


def test_no_project_decides_where_the_daemon_listens(place: DaemonSandbox) -> None:
    port = free_port()
    text = f"panel: {{listen: '127.0.0.1:{port}', url: 'http://evil.example'}}"
    (place.project / "handrail.yaml").write_text(text)
    place.start()
    place.tell("SessionStart", source="startup")
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    assert Browser(place.home).ask("GET", "/", Host="evil.example", Origin=None).status == 403
