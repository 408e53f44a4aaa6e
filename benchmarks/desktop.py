"""The desktop watch: pictures, local sensing, verifying. Each part is a file of its own."""

import shutil

from benchmarks.desktop_capture import capture_table
from benchmarks.desktop_sense import sense_table
from benchmarks.desktop_verify import verify_tables
from benchmarks.desktop_watch import watch_tables
from benchmarks.measure import Table

_PROGRAMS = (
    "Xvfb", "openbox", "dbus-daemon", "geany", "mousepad", "scrot", "tesseract", "xdotool", "xprop",
)  # fmt: skip


def desktop_tables(rounds: int) -> list[Table]:
    """All parts, on a desktop without a monitor, in about two minutes."""
    if missing := [name for name in _PROGRAMS if shutil.which(name) is None]:
        note = f"Not measured: {', '.join(missing)} missing; scripts/setup checkers says how."
        return [Table("The desktop", ("part",), note=note), *verify_tables(rounds // 3)]
    tables = [capture_table(rounds // 2), sense_table(rounds // 2), *verify_tables(rounds // 3)]
    return [*tables, *watch_tables(max(rounds // 20, 1))]
