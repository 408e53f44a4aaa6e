"""A picture of the screen, encoded: each backend beside the other ways that Python has."""

import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path

from benchmarks.measure import Table, best_of, medians_in_turns, milli
from mss import MSS
from PIL import Image, ImageGrab
from tests.desktop.desktop_bed import DesktopBed
from Xlib import X
from Xlib.display import Display

from handrail.desktop.capture.capture import open_capture
from handrail.desktop.capture.encode import QUALITY

_LINES = 400
_ALL_PLANES = 0xFFFFFFFF

Way = Callable[[], bytes]


def capture_table(rounds: int) -> Table:
    """The time for a JPEG of a screen with two editors, in memory."""
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        bed = ending.enter_context(DesktopBed(folder / "bed"))
        file = folder / "program.py"
        file.write_text("".join(f"value_{n} = compute({n}, {n * n})\n" for n in range(_LINES)))
        bed.geany(file)
        bed.mousepad(file)
        ways = _ways(bed, ending)
        sizes = {name: len(way()) for name, way in ways.items()}
        best = best_of(rounds, list(ways), lambda: lambda name: ways[name]())
        middle = medians_in_turns(ways, rounds)
    return _table(best, middle, sizes, rounds)


def _ways(bed: DesktopBed, ending: ExitStack) -> dict[str, Way]:
    ours = {}
    for name in ("mss", "scrot"):
        capture = open_capture(name, bed.name)
        ending.callback(capture.close)
        ours[f"Handrail, {name}"] = lambda capture=capture: capture.take().data
    connection = ending.enter_context(MSS(display=bed.name))
    display = Display(bed.name)
    ending.callback(display.close)
    return {
        "mss, its fastest calls": lambda: _by_mss(connection),
        "mss, as its manual shows": lambda: _by_mss_rgb(connection),
        "PIL.ImageGrab": lambda: _jpeg(ImageGrab.grab(xdisplay=bed.name)),
        "python-xlib get_image": lambda: _by_xlib(display),
        "scrot, its own JPEG": lambda: _by_scrot(bed),
        **ours,
    }


def _jpeg(image: Image.Image) -> bytes:
    file = BytesIO()
    image.convert("RGB").save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def _by_mss(connection: MSS) -> bytes:
    taken = connection.grab(connection.monitors[0])
    return _jpeg(Image.frombytes("RGB", taken.size, taken.raw, "raw", "BGRX"))


def _by_mss_rgb(connection: MSS) -> bytes:
    taken = connection.grab(connection.monitors[0])
    return _jpeg(Image.frombytes("RGB", taken.size, taken.rgb))


def _by_xlib(display: Display) -> bytes:
    root = display.screen().root
    size = root.get_geometry()
    got = root.get_image(0, 0, size.width, size.height, X.ZPixmap, _ALL_PLANES)
    return _jpeg(Image.frombytes("RGB", (size.width, size.height), got.data, "raw", "BGRX"))


def _by_scrot(bed: DesktopBed) -> bytes:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        file = Path(folder, "screen.jpg")
        command = ["scrot", "--display", bed.name, "--quality", str(QUALITY), str(file)]
        subprocess.run(command, check=True)
        return file.read_bytes()


def _table(
    best: dict[str, float], middle: dict[str, float], sizes: dict[str, int], rounds: int
) -> Table:
    table = Table(
        "A picture of the screen",
        ("way", "best", "median", "fastest = 1", "size"),
        note=f"1920×1080 pixels under Xvfb with two editors on the screen, to a JPEG of quality "
        f"{QUALITY} in memory; {rounds} rounds, in turns. Handrail's rows also find out where the "
        "target is, whether the display answers, and whether the picture is small enough.",
    )
    fastest = min(best.values())
    for name in sorted(best, key=best.__getitem__):
        shown = f"**{name}**" if name.startswith("Handrail") else name
        table.add(
            shown,
            milli(best[name] / 1e6),
            milli(middle[name] / 1e6),
            f"{best[name] / fastest:.2f}",
            f"{sizes[name] / 1000:,.0f} KB",
        )
    return table
