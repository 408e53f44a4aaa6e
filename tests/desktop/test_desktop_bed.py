"""The desktop that other tests stand on."""

from pathlib import Path

import psutil
import pytest
from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import open_dbus_connection

from tests.desktop.desktop_bed import DesktopBed

pytestmark = pytest.mark.slow
_ROOT = DBusAddress(
    "/org/a11y/atspi/accessible/root",
    bus_name="org.a11y.atspi.Registry",
    interface="org.a11y.atspi.Accessible",
)


def _accessible_programs(bed: DesktopBed) -> int:
    bus = DBusAddress("/org/a11y/bus", bus_name="org.a11y.Bus", interface="org.a11y.Bus")
    with open_dbus_connection(bed.bus) as session:
        address = session.send_and_get_reply(new_method_call(bus, "GetAddress")).body[0]
    with open_dbus_connection(address) as tree:
        return len(tree.send_and_get_reply(new_method_call(_ROOT, "GetChildren")).body[0])


@pytest.mark.parametrize("editor", ["mousepad", "geany"])
def test_a_real_editor_shows_its_file_and_its_dialog(
    desktop: DesktopBed, editor: str, tmp_path: Path
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("a note\n")
    program = getattr(desktop, editor)(file)
    assert "notes.txt" in desktop.title(program.window)
    desktop.press("a")
    desktop.until(lambda: desktop.title(program.window).startswith("*"), "a change")
    desktop.press("ctrl+q")
    desktop.until(lambda: desktop.active() not in (0, program.window), "the dialog")
    assert _accessible_programs(desktop) == 1
    desktop.press("Escape")
    desktop.until(lambda: desktop.active() == program.window, "the editor again")


def test_a_terminal_takes_what_is_typed(desktop: DesktopBed, tmp_path: Path) -> None:
    terminal = desktop.xterm("/bin/sh", "-c", f"read word; echo $word > {tmp_path}/typed")
    assert desktop.active() == terminal.window
    for key in ("h", "i", "Return"):
        desktop.press(key)
    desktop.until(lambda: terminal.process.poll() is not None, "the end of the shell")
    assert (tmp_path / "typed").read_text() == "hi\n"


def test_nothing_stays_behind(tmp_path: Path) -> None:
    with DesktopBed(tmp_path) as bed:
        bed.mousepad()
        environment = bed.environment
    left = [
        process.name()
        for process in psutil.process_iter()
        if _environment(process).get("DBUS_SESSION_BUS_ADDRESS")
        == environment["DBUS_SESSION_BUS_ADDRESS"]
    ]
    assert left == []
    assert not Path(environment["XDG_RUNTIME_DIR"]).exists()


def _environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except psutil.Error:
        return {}


def test_two_desktops_stand_side_by_side(tmp_path: Path) -> None:
    with DesktopBed(tmp_path / "one") as one, DesktopBed(tmp_path / "two") as two:
        assert one.name != two.name
        two.xterm()
        assert one.windows() == {}


def test_a_program_that_does_not_start_is_named(desktop: DesktopBed) -> None:
    with pytest.raises(AssertionError, match="xterm ended with"):
        desktop.start("xterm", "-geometry", "nonsense", "-bad-option")
