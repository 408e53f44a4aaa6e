"""A session is replayed in a real editor on a real X server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.desktop.desktop_bed import DesktopBed, need

from handrail.desktop.recover.xtest_device import XTestDevice
from handrail.desktop.replay.editors import REPLAY_EDITORS
from handrail.desktop.replay.engine import ReplayEngine, ReplayPace
from handrail.desktop.replay.keyboard_editor import KeyboardEditor
from handrail.desktop.replay.primary_selection import PrimarySelection
from handrail.desktop.sense.x11_windows import X11Windows
from handrail.desktop.verify.recorder import edit_operations
from handrail.desktop.verify.session import EditedFile, EditSession

pytestmark = pytest.mark.slow

POEM = "ein Gedicht\n\nÜber grüne Hügel\n\tläuft 🐇 der Hase,\n日本語のテキスト\nEnde"
CODE = "def price(net: float) -> float:\n    return net * 1.19  # 19 % → €\n"
LONGER = (
    "import math\n\n\ndef price(net: float) -> float:\n    '''Return the price in €.'''\n"
    "    if net < 0:\n        raise ValueError('nett — “negativ”')\n"
    "    return math.floor(net * 119) / 100\n"
)
SESSION = EditSession(
    (
        EditedFile("notes/poem.txt", edit_operations("", POEM)),
        EditedFile("price.py", edit_operations(CODE, LONGER), CODE),
        EditedFile("dos.txt", edit_operations("a\r\nb\r\n", "a\r\nß\r\nc\r\n"), "a\r\nb\r\n"),
    )
)


@pytest.fixture(params=["mousepad", "geany"])
def editor(request: pytest.FixtureRequest, desktop: DesktopBed) -> Iterator[KeyboardEditor]:
    name: str = request.param
    need(name)
    windows = X11Windows(desktop.name)
    device = XTestDevice(lambda _: None, desktop.name)
    selection = PrimarySelection(desktop.name)
    editor = KeyboardEditor(
        REPLAY_EDITORS[name], device, windows.read, selection, desktop.environment
    )
    yield editor
    editor.close()
    selection.close()
    device.close()
    windows.close()


def test_three_files_with_unicode_are_right_byte_for_byte(
    editor: KeyboardEditor, tmp_path: Path
) -> None:
    engine = ReplayEngine(SESSION, str(tmp_path), editor, pace=ReplayPace(save_seconds=5))
    engine.start()
    outcome = engine.join(60)
    assert outcome
    assert outcome.error == ""
    assert outcome.verification
    assert outcome.verification.success
