"""A desktop of its own: an X server, a window manager, buses, and real programs.

    with DesktopBed(folder) as bed:
        editor = bed.mousepad(folder / "notes.txt")
        bed.press("ctrl+q")
        bed.until(lambda: bed.title(bed.active()) == "…", "the dialog")

Nothing here is shared with another desktop: display number, buses and home are its own.
"""

import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection
from Xlib import XK, X
from Xlib.error import XError
from Xlib.ext import xtest
from Xlib.protocol.event import ClientMessage
from Xlib.xobject.drawable import Window

from handrail.desktop.x_display import close_display, open_display

PATIENCE = 120.0
"""Seconds that anything on the desktop has: the machine may be busy."""
ACCESSIBILITY = "at-spi2-core"
"""What serves the accessibility tree: no program that anybody calls."""
_PACKAGES = {
    "Xvfb": "xvfb", "openbox": "openbox", "dbus-daemon": "dbus-daemon", "xterm": "xterm",
    "mousepad": "mousepad", "geany": "geany", "scrot": "scrot", "tesseract": "tesseract-ocr",
    "chromium": "chromium",
}  # fmt: skip
_WORDS = 4096
"""The most to read of a property, in units of four bytes."""
_NEEDED = ("Xvfb", "openbox", "dbus-daemon")
_A11Y = DBusAddress("/org/a11y/bus", bus_name="org.a11y.Bus", interface="org.a11y.Bus")
_A11Y_SERVICE = "dbus-1/services/org.a11y.Bus.service"
_LONGEST_FOLDER = 50
"""A socket's path has 107 bytes at most, and the buses put folders of their own before its name."""
_USUAL_DATA = "/usr/local/share:/usr/share"


class MissingProgramError(Exception):
    """A program of a desktop is not installed; the text names the command that helps."""

    def __init__(self, missing: Sequence[str]) -> None:
        packages = " ".join(dict.fromkeys(_PACKAGES.get(name, name) for name in missing))
        super().__init__(f"{', '.join(missing)} missing: sudo apt-get install {packages}")
        self.missing = tuple(missing)


class DesktopBedError(AssertionError):
    """Something did not come up, or did not happen in time; the text says what was there."""


def require(*programs: str) -> None:
    """Raise MissingProgramError if one of these programs is not installed."""
    if missing := [program for program in programs if not _is_installed(program)]:
        raise MissingProgramError(missing)


def _is_installed(program: str) -> bool:
    if program != ACCESSIBILITY:
        return shutil.which(program) is not None
    # Its programs lie in no PATH; the bus starts them.
    folders = os.environ.get("XDG_DATA_DIRS") or _USUAL_DATA
    return any(os.path.exists(f"{each}/{_A11Y_SERVICE}") for each in folders.split(os.pathsep))


class DesktopProgram:
    """A program on a desktop, with the id of its first window."""

    def __init__(self, process: subprocess.Popen[bytes], window: int) -> None:
        self.process = process
        self.window = window

    def end(self) -> None:
        """Kill it with all its children; an editor would ask first."""
        _end(self.process)


class DesktopBed:
    """One desktop; ends everything it started. Used from one thread."""

    def __init__(
        self,
        folder: Path,
        *,
        screen: str = "1920x1080x24",
        accessible: bool = True,
        manager: bool = True,
    ) -> None:
        """`screen` is its size and depth; `manager` is whether it has a window manager."""
        self.folder = folder
        self.home = folder / "home"
        self.screen = screen
        self.accessible = accessible
        self.manager = manager
        self.name = ""
        """The display, like `:7`."""
        self.bus = ""
        """The address of the session bus."""
        self._programs: list[DesktopProgram] = []
        self._ending = ExitStack()

    def __enter__(self) -> Self:
        require(*_NEEDED, *((ACCESSIBILITY,) if self.accessible else ()))
        with ExitStack() as starting:
            starting.callback(self.close)
            self._start()
            starting.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all programs, then the desktop."""
        self.end_programs(gone=False)
        self._ending.close()

    def _start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        # The path of a socket is short, that of a test's folder is not.
        temporary = tempfile.gettempdir()
        place = temporary if len(temporary) <= _LONGEST_FOLDER else "/tmp"
        self._sockets = tempfile.mkdtemp(prefix="handrail-bed-", dir=place)
        self._ending.callback(shutil.rmtree, self._sockets, ignore_errors=True)
        self._log = self._ending.enter_context((self.folder / "desktop.log").open("ab"))
        self._ending.callback(self._end_strays)
        self._start_display()
        self._start_bus()
        if self.accessible:
            self._start_accessibility()
        if self.manager:
            self._run("openbox", "--sm-disable")
            probe = self.root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
            self.until(lambda: self._manager_answers(probe), "the window manager")
            probe.destroy()

    @property
    def server_pid(self) -> int:
        """The process of the X server."""
        return self._server.pid

    def lose_display(self) -> None:
        """Kill the X server alone; programs that look at it end by themselves."""
        _end(self._server)

    def _start_display(self) -> None:
        self._server, number = self._told(
            "Xvfb", "-displayfd", "{fd}", "-screen", "0", self.screen,
            "-nolisten", "tcp", "-noreset",
        )  # fmt: skip
        self.name = f":{number}"
        self.x = open_display(self.name)
        self._ending.callback(close_display, self.x)
        self.root = self.x.screen().root
        self.root.change_attributes(
            event_mask=X.PropertyChangeMask | X.SubstructureNotifyMask | X.FocusChangeMask
        )

    def _start_bus(self) -> None:
        _, self.bus = self._told(
            "dbus-daemon", "--session", "--nofork", "--nopidfile",
            "--print-address={fd}", f"--address=unix:dir={self._sockets}",
        )  # fmt: skip

    def _start_accessibility(self) -> None:
        # A program looks for this bus once, when it starts.
        with open_dbus_connection(self.bus) as session:
            asked = new_method_call(_A11Y, "GetAddress")
            session.send_and_get_reply(asked, timeout=PATIENCE)

    @property
    def environment(self) -> dict[str, str]:
        """What a program on this desktop sees."""
        home = str(self.home)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home,
            "XDG_CONFIG_HOME": f"{home}/.config",
            "XDG_DATA_HOME": f"{home}/.local/share",
            "XDG_CACHE_HOME": f"{home}/.cache",
            "XDG_STATE_HOME": f"{home}/.local/state",
            "XDG_RUNTIME_DIR": self._sockets,
            "XDG_SESSION_TYPE": "x11",
            "GDK_BACKEND": "x11",
            "GSETTINGS_BACKEND": "memory",
            "ACCESSIBILITY_ENABLED": "1" if self.accessible else "0",
            "NO_AT_BRIDGE": "0" if self.accessible else "1",
            "LC_ALL": "C.UTF-8",
            "DISPLAY": self.name,
            "DBUS_SESSION_BUS_ADDRESS": self.bus,
        }

    # Programs

    def mousepad(self, *files: Path) -> DesktopProgram:
        """Open files in a small editor."""
        return self.start("mousepad", "--disable-server", *map(str, files))

    def geany(self, *files: Path) -> DesktopProgram:
        """Open files in a programmer's editor."""
        config = f"--config={self.home}/geany"
        return self.start("geany", "--new-instance", "--no-msgwin", config, *map(str, files))

    def xterm(self, *command: str) -> DesktopProgram:
        """Open a terminal, by default with a shell."""
        return self.start("xterm", "-e", *(command or ("/bin/sh",)))

    def chromium(self, page: Path) -> DesktopProgram:
        """Open a file in a browser's window without tabs; editors like VS Code are made of it."""
        return self.start(
            "chromium", "--no-sandbox", "--test-type", "--disable-gpu", "--no-first-run",
            "--disable-sync", "--disable-background-networking", "--disable-component-update",
            f"--user-data-dir={self.home}/chromium", f"--app=file://{page}",
        )  # fmt: skip

    def start(self, *command: str) -> DesktopProgram:
        """Start a program; returns when its window is mapped and has the focus."""
        require(command[0])
        before = set(self.windows())
        process = self._run(*command)
        self.until(lambda: self._new_window(before) or process.poll() is not None, command[0])
        window = self._new_window(before)
        if not window:
            raise DesktopBedError(f"{command[0]} ended with {process.returncode}: {self.log()}")
        self.until(lambda: self.active() == window, f"the focus of {command[0]}")
        program = DesktopProgram(process, window)
        self._programs.append(program)
        return program

    def end_programs(self, *, gone: bool = True) -> None:
        """Kill the programs; returns when their windows are gone."""
        for program in self._programs:
            program.end()
        if self._programs and gone:
            self.until(lambda: not self.windows(), "the end of all windows")
        self._programs.clear()

    def log(self) -> str:
        """What the programs said."""
        return (self.folder / "desktop.log").read_text(errors="replace")[-4000:]

    # The screen

    def windows(self) -> dict[int, str]:
        """The windows of programs with their titles, oldest first."""
        return {window: self.title(window) for window in self._ids("_NET_CLIENT_LIST")}

    def active(self) -> int:
        """The id of the window with the focus; 0: none."""
        return next(iter(self._ids("_NET_ACTIVE_WINDOW")), 0)

    def title(self, window: int) -> str:
        """Its title; "" if it is gone."""
        with suppress(XError):
            shown = self.x.create_resource_object("window", window)
            kind = self.x.intern_atom("_NET_WM_NAME")
            if got := shown.get_property(kind, X.AnyPropertyType, 0, _WORDS):
                return bytes(got.value).decode()
            return str(shown.get_wm_name() or "")
        return ""

    def corner(self, window: int) -> tuple[int, int]:
        """Where its upper left corner is, without the frame."""
        shown = self.x.create_resource_object("window", window)
        place = self.root.translate_coords(shown, 0, 0)
        return int(place.x), int(place.y)

    def press(self, keys: str) -> None:
        """Press a key or a combination (`ctrl+q`), as a person at the keyboard does."""
        codes = [self.x.keysym_to_keycode(_keysym(name)) for name in keys.split("+")]
        for code in codes:
            xtest.fake_input(self.x, X.KeyPress, code)
        for code in reversed(codes):
            xtest.fake_input(self.x, X.KeyRelease, code)
        self.x.sync()

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait for a fact; looks again at every event of the screen, and now and then."""
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                seen = list(self.windows().values())
                raise DesktopBedError(f"{what} did not come. Windows: {seen}. Said: {self.log()}")
            select.select([self.x], [], [], 0.02)
            while self.x.pending_events():
                self.x.next_event()

    def _new_window(self, before: set[int]) -> int:
        return next((window for window in self.windows() if window not in before), 0)

    def _ids(self, name: str) -> list[int]:
        got = self.root.get_property(self.x.intern_atom(name), X.AnyPropertyType, 0, _WORDS)
        return [int(window) for window in got.value if window] if got else []

    def _manager_answers(self, probe: Window) -> bool:
        """Whether it has begun to work: it forgets what it is asked while it starts."""
        if probe.get_full_property(self.x.intern_atom("_NET_FRAME_EXTENTS"), X.AnyPropertyType):
            return True
        kind = self.x.intern_atom("_NET_REQUEST_FRAME_EXTENTS")
        asks = ClientMessage(window=probe, client_type=kind, data=(32, [0] * 5))
        self.root.send_event(asks, X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        return False

    # Processes

    def _run(self, *command: str, **more: tuple[int, ...]) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command,
            env=self.environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
            pass_fds=more.get("pass_fds", ()),
        )
        self._ending.callback(_end, process)
        return process

    def _told(self, *command: str) -> tuple[subprocess.Popen[bytes], str]:
        """Start a program and return it with the line that it writes when it is ready."""
        reading, writing = os.pipe()
        with open(reading, encoding="ascii") as told:
            try:
                words = [word.format(fd=writing) for word in command]
                process = self._run(*words, pass_fds=(writing,))
            finally:
                os.close(writing)
            # An end without a line reads as "".
            if line := told.readline().strip():
                return process, line
        *_, last = ["no reason given", *filter(None, map(str.strip, self.log().splitlines()))]
        raise DesktopBedError(f"{command[0]} did not start: {last}")

    def _end_strays(self) -> None:
        """Kill what buses started for themselves; only they know the address of this bus."""
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if self.bus and process.environ().get("DBUS_SESSION_BUS_ADDRESS") == self.bus:
                    process.kill()


_MODIFIERS = {"ctrl": "Control_L", "shift": "Shift_L", "alt": "Alt_L", "super": "Super_L"}


def _keysym(name: str) -> int:
    return int(XK.string_to_keysym(_MODIFIERS.get(name, name)))


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
