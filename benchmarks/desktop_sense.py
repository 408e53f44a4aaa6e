"""Local sensing of a dialog on the screen: each step beside the other ways to learn the same."""

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import Table, best_of, medians_in_turns, milli
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from tests.desktop.desktop_bed import DesktopBed

from handrail.desktop.capture.capture import open_capture
from handrail.desktop.capture.screenshot import Screenshot
from handrail.desktop.screen_reading import ScreenQuestion
from handrail.desktop.sense.accessibility_tree import AccessibilityTree
from handrail.desktop.sense.local_sensor import LocalSensor
from handrail.desktop.sense.ocr import read_words
from handrail.desktop.sense.x11_windows import X11Windows
from handrail.model.desktop import ScreenStatus

_LINES = 400
_SLOW_ROUNDS = 3
_ACCESSIBLE = "org.a11y.atspi.Accessible"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_SHOWING = 25
_NOTHING = Screenshot(b"", 0, 0, 0.0)

Way = Callable[[], object]


class SenseWay(NamedTuple):
    """A way to learn something about the screen."""

    learns: str
    ours: bool
    run: Way
    slow: bool = False
    """It takes about a second."""


def sense_table(rounds: int) -> Table:
    """The time to learn which dialog blocks an editor."""
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        bed = ending.enter_context(DesktopBed(folder / "bed"))
        file = folder / "program.py"
        file.write_text("".join(f"value_{n} = compute({n}, {n * n})\n" for n in range(_LINES)))
        bed.mousepad(file)
        ways = _ways(bed, file, ending)
        slow = [name for name, way in ways.items() if way.slow]
        fast = [name for name in ways if name not in slow]
        best = _best(ways, fast, rounds) | _best(ways, slow, _SLOW_ROUNDS)
        middle = _middle(ways, fast, rounds) | _middle(ways, slow, _SLOW_ROUNDS)
    return _table(ways, best, middle, rounds)


def _best(ways: dict[str, SenseWay], names: list[str], rounds: int) -> dict[str, float]:
    return best_of(rounds, names, lambda: lambda name: ways[name].run())


def _middle(ways: dict[str, SenseWay], names: list[str], rounds: int) -> dict[str, float]:
    return medians_in_turns({name: ways[name].run for name in names}, rounds)


def _ways(bed: DesktopBed, file: Path, ending: ExitStack) -> dict[str, SenseWay]:
    pid = bed.geany(file).process.pid
    title = bed.title(bed.active())
    bed.press("x")
    bed.until(lambda: bed.title(bed.active()) != title, "the mark of changes")
    bed.press("ctrl+q")
    sensor, windows, tree = _sensor(bed, ending)
    asked = ScreenQuestion(_NOTHING, expected_file=str(file))

    def blocked() -> bool:
        reading = sensor.read(asked)
        return reading.status is ScreenStatus.DIALOG and bool(reading.buttons)

    bed.until(blocked, "the dialog")
    capture = open_capture(display=bed.name)
    ending.callback(capture.close)
    picture = capture.take().data
    part = windows.find_area(bed.active())
    bus = _accessibility_bus(bed, ending)
    env = {**bed.environment, "OMP_THREAD_LIMIT": "1"}
    return {
        "Handrail, windows": SenseWay("windows", True, windows.read),
        "a new connection for each look": SenseWay("windows", False, lambda: _read_anew(bed)),
        "xdotool and xprop": SenseWay("windows", False, lambda: _by_programs(bed)),
        "Handrail, tree": SenseWay("text, buttons", True, lambda: tree.read(pid, "")),
        "jeepney, all that shows": SenseWay(
            "text, buttons", False, lambda: _walk(bus, pid), slow=True
        ),
        "Handrail, whole look": SenseWay("the state", True, lambda: sensor.read(asked)),
        "Handrail, OCR of the dialog": SenseWay(
            "words", True, lambda: read_words(picture, part, env)
        ),
        "Tesseract, whole screen": SenseWay(
            "words", False, lambda: _tesseract(picture, env), slow=True
        ),
    }


def _sensor(
    bed: DesktopBed, ending: ExitStack
) -> tuple[LocalSensor, X11Windows, AccessibilityTree]:
    sensor = LocalSensor(bed.environment)
    windows = X11Windows(bed.name)
    tree = AccessibilityTree(bed.environment)
    for each in (sensor, windows, tree):
        ending.callback(each.close)
    return sensor, windows, tree


def _read_anew(bed: DesktopBed) -> object:
    windows = X11Windows(bed.name)
    try:
        return windows.read()
    finally:
        windows.close()


def _by_programs(bed: DesktopBed) -> object:
    """Ask for the window in front and its properties, as scripts do."""
    active = _run(["xdotool", "getactivewindow"], bed.environment).strip()
    wanted = ("_NET_WM_NAME", "WM_CLASS", "_NET_WM_STATE", "WM_TRANSIENT_FOR", "_NET_WM_PID")
    return _run(["xprop", "-id", active, *wanted], bed.environment)


def _run(command: list[str], env: dict[str, str]) -> str:
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def _tesseract(picture: bytes, env: dict[str, str]) -> object:
    command = ["tesseract", "stdin", "stdout", "--psm", "11"]
    return subprocess.run(command, input=picture, env=env, check=True, capture_output=True).stdout


def _accessibility_bus(bed: DesktopBed, ending: ExitStack) -> DBusConnection:
    with open_dbus_connection(bed.bus) as session:
        address = DBusAddress("/org/a11y/bus", bus_name="org.a11y.Bus", interface="org.a11y.Bus")
        told = session.send_and_get_reply(new_method_call(address, "GetAddress"))
    bus: DBusConnection = open_dbus_connection(told.body[0])
    ending.callback(bus.close)
    return bus


def _walk(bus: DBusConnection, pid: int) -> list[str]:
    """Read the name of everything that shows, one question after the other."""
    registry = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
    names = []
    for program in _ask(bus, registry, "GetChildren"):
        daemon = DBusAddress(
            "/org/freedesktop/DBus",
            bus_name="org.freedesktop.DBus",
            interface="org.freedesktop.DBus",
        )
        owner = new_method_call(daemon, "GetConnectionUnixProcessID", "s", (program[0],))
        if bus.send_and_get_reply(owner).body[0] == pid:
            names += list(_names(bus, program))
    return names


def _names(bus: DBusConnection, node: tuple[str, str]) -> Iterator[str]:
    for child in _ask(bus, node, "GetChildren"):
        states = _ask(bus, child, "GetState")
        if states[0] >> _SHOWING & 1:
            _ask(bus, child, "GetRole")
            address = DBusAddress(child[1], bus_name=child[0], interface=_PROPERTIES)
            asked = new_method_call(address, "Get", "ss", (_ACCESSIBLE, "Name"))
            yield bus.send_and_get_reply(asked).body[0][1]
            yield from _names(bus, child)


def _ask(bus: DBusConnection, node: tuple[str, str], member: str) -> list:
    address = DBusAddress(node[1], bus_name=node[0], interface=_ACCESSIBLE)
    return bus.send_and_get_reply(new_method_call(address, member)).body[0]


def _table(
    ways: dict[str, SenseWay], best: dict[str, float], middle: dict[str, float], rounds: int
) -> Table:
    table = Table(
        "What is on the screen",
        ("way", "learns", "best", "median", "fastest = 1"),
        note="Under Xvfb, a dialog about unsaved work blocks Geany, and Mousepad stands behind it; "
        f"{rounds} rounds in turns, of what takes a second {_SLOW_ROUNDS}. "
        "A whole look reads the windows and the tree, and judges both.",
    )
    for name in sorted(ways, key=lambda each: (ways[each].learns, best[each])):
        way = ways[name]
        fastest = min(best[each] for each in ways if ways[each].learns == way.learns)
        table.add(
            f"**{name}**" if way.ours else name,
            way.learns,
            milli(best[name] / 1e6),
            milli(middle[name] / 1e6),
            f"{best[name] / fastest:.2f}",
        )
    return table
