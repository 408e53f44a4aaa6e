"""The state folder: for this user alone, and the same things in it for everybody who looks."""

import os
import socket
import stat
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from handrail.server import home as home_module
from handrail.server.home import Home, HomeError, open_home
from handrail.server.http.socket_client import DaemonError, call_daemon
from tests.server.daemon_sandbox import DaemonSandbox

ROOT = os.getuid() == 0
needs_root = pytest.mark.skipif(not ROOT, reason="only root can give a folder to somebody else")
NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path: that of a socket must not be long."""
    with TemporaryDirectory(prefix="hr-", dir="/tmp") as path:
        yield Path(path)


def mode(path: str | Path) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_the_folder_is_named_by_the_environment() -> None:
    assert open_home({"HANDRAIL_HOME": "/x/y/"}).path == "/x/y"
    assert open_home({"XDG_STATE_HOME": "/s"}).path == "/s/handrail"
    assert open_home({"HOME": "/h"}).path == "/h/.local/state/handrail"
    with pytest.raises(HomeError, match="absolute"):
        open_home({"HANDRAIL_HOME": "relative"})


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277])
def test_everything_is_private_whatever_the_umask_is(folder: Path, umask: int) -> None:
    home = Home(str(folder / "a" / "b"))
    before = os.umask(umask)
    try:
        made = [home.client(), home.hook_token and f"{home.path}/hook-token", f"{home.path}/port"]
        assert home.port
        assert home.control_token
    finally:
        os.umask(before)
    assert [mode(path) for path in (folder / "a", home.path, f"{home.path}/bin")] == [0o700] * 3
    assert [mode(path) for path in made] == [0o700, 0o600, 0o600]


def test_a_folder_that_others_can_look_into_is_closed(folder: Path) -> None:
    (folder / "state").mkdir(mode=0o755)
    Home(str(folder / "state")).prepare()
    assert mode(folder / "state") == 0o700


def test_port_and_tokens_stay_the_same(folder: Path) -> None:
    first, second = Home(str(folder)), Home(str(folder))
    for name in ("port", "hook_token", "control_token"):
        assert getattr(first, name) == getattr(second, name)
    assert first.hook_token != first.control_token


def test_whoever_comes_first_makes_a_token_for_all(folder: Path) -> None:
    home = Home(str(folder))
    with ThreadPoolExecutor(16) as pool:
        tokens = set(pool.map(lambda _: Home(home.path).hook_token, range(64)))
    assert len(tokens) == 1
    assert sorted(os.listdir(folder)) == [".gitignore", "hook-token"]


@pytest.mark.parametrize("text", ["", "\n", "zero", "0", "65536", "4\n7", "٤٧"])
def test_a_damaged_port_is_told_with_what_to_do(folder: Path, text: str) -> None:
    (folder / "port").write_text(text)
    with pytest.raises(HomeError, match="install claude"):
        assert Home(str(folder)).port


def test_a_long_path_has_its_socket_elsewhere_and_always_at_the_same_place(folder: Path) -> None:
    home = Home(str(folder / ("x" * 120)))
    assert home.socket.startswith(f"/tmp/handrail-{os.getuid()}-")
    assert len(home.socket) < 100
    assert Home(home.path).socket == home.socket
    assert Home(f"{home.path}y").socket != home.socket
    assert Home("/short").socket == "/short/daemon.sock"


def test_a_port_that_is_in_use_is_not_taken(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        number = busy.getsockname()[1]
        monkeypatch.setattr(home_module, "_PORTS", range(number, number + 1))
        with pytest.raises(HomeError, match="no free port"):
            assert Home(str(folder)).port


@needs_root
def test_a_folder_of_somebody_else_is_not_used(folder: Path) -> None:
    os.chown(folder, NOBODY, NOBODY)
    with pytest.raises(HomeError, match="another user"):
        Home(str(folder)).prepare()


@needs_root
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_socket_that_somebody_else_could_have_put_there_is_not_used(kind: str) -> None:
    with DaemonSandbox() as place:
        place.home = Home(str(place.root / ("x" * 120)))
        folder = Path(place.home.socket).parent
        (place.root / "mine").mkdir()
        if kind == "folder":
            folder.mkdir()
        else:
            folder.symlink_to(place.root / "mine")
        os.chown(folder, NOBODY, NOBODY, follow_symlinks=False)
        try:
            with pytest.raises(HomeError, match="another user"):
                place.home.prepare()
            with pytest.raises(DaemonError, match="another user"):
                call_daemon(place.home, "GET", "/healthz")
        finally:
            folder.unlink() if kind == "link" else folder.rmdir()


def test_only_what_a_daemon_needs_is_taken_from_an_environment() -> None:
    environ = {
        "HOME": "/h",
        "PATH": "/bin",
        "LC_ALL": "C",
        "XDG_CONFIG_HOME": "/c",
        "HANDRAIL_ON_FAULT": "deny_all",
        "HANDRAIL_HOME": "/elsewhere",
        "LD_PRELOAD": "/evil.so",
        "PYTHONPATH": "/evil",
        "HTTP_PROXY": "http://evil.example",
        "CLAUDE_CODE_MESSAGING_TOKEN": "secret",
        "ANTHROPIC_API_KEY": "secret",
    }
    kept = Home("/state").environment(environ)
    assert kept == {
        "HOME": "/h",
        "PATH": "/bin",
        "LC_ALL": "C",
        "XDG_CONFIG_HOME": "/c",
        "HANDRAIL_ON_FAULT": "deny_all",
        "HANDRAIL_HOME": "/state",
    }


def test_names_with_odd_characters_are_quoted_in_the_hook_client(folder: Path) -> None:
    home = Home(str(folder / 'it\'s @CURL@ $(touch pwned) "here"'))
    text = Path(home.client({"HOME": "/a b", "PATH": "/bin"})).read_text()
    assert "@SOCKET@" not in text
    assert "@START@" not in text
    assert "it'\"'\"'s @CURL@ $(touch pwned)" in text
    assert "'HOME=/a b'" in text
    assert sys.executable in text


def test_a_name_that_is_no_text_stands_in_the_hook_client_as_it_is(folder: Path) -> None:
    environ = {"PATH": os.fsdecode(b"/caf\xe9/bin")}
    assert b"/caf\xe9/bin" in Path(Home(str(folder)).client(environ)).read_bytes()


def test_writing_the_hook_client_again_gives_the_same(folder: Path) -> None:
    home = Home(str(folder))
    environ = {"HOME": "/h", "PATH": os.environ["PATH"]}
    first = Path(home.client(environ)).read_text()
    assert Path(home.client(environ)).read_text() == first
    assert os.listdir(folder / "bin") == ["handrail-hook"]
