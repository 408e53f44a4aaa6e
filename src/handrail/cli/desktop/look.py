"""`handrail desktop look`: one look at the screen, without touching anything."""

import os
from collections.abc import Iterator
from contextlib import closing
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec

from handrail.cli.desktop.desktop_settings import desktop_project
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, visible, wrap
from handrail.config.desktop import screenshot_folder
from handrail.desktop.capture.screenshot import CaptureTarget
from handrail.desktop.errors import AnalysisError, RecoveryError
from handrail.desktop.screen_reading import ScreenQuestion, ScreenReading
from handrail.model.desktop import ScreenStatus
from handrail.model.state_folder import state_folder

if TYPE_CHECKING:
    from handrail.desktop.watch.screen_tools import ScreenTools

_STYLES = {ScreenStatus.NORMAL: "allow", ScreenStatus.UNKNOWN: "warn"}
_TROUBLE = "block"


class LookRequest(msgspec.Struct, frozen=True):
    """What to look at, and how to answer."""

    target: CaptureTarget
    expected: str = ""
    dry_run: bool = False
    as_json: bool = False


class LookResult(msgspec.Struct, frozen=True):
    """What a look found."""

    reading: ScreenReading
    width: int
    height: int
    seconds: float
    would: tuple[str, ...] = ()
    """What a watch would do now."""
    why_not: str = ""
    """Why it would do nothing."""
    note: str = ""
    """Why no model was heard."""
    picture: str = ""


def look_once(screen: TerminalOutput, request: LookRequest) -> int:
    """Look, print, and return the exit code: 0 if nothing is in the way; raises DesktopError."""
    from handrail.desktop.watch.screen_tools import ScreenTools

    project = desktop_project()
    settings = project.config.desktop
    began = perf_counter()
    tools = ScreenTools(
        settings,
        os.environ,
        target=request.target,
        wait=lambda seconds: True,
        prices=project.config.prices,
        redactor=project.redactor,
    )
    with closing(tools):
        shot = tools.capture(request.target)
        question = ScreenQuestion(shot, request.target, request.expected)
        if request.dry_run:
            return _show_preview(screen, request, tools.preview(question))
        sensed = reading = tools.local.read(question)
        note = ""
        is_sure = sensed.status is not ScreenStatus.UNKNOWN
        if tools.vision and not (is_sure and sensed.confidence >= settings.confidence_threshold):
            try:
                reading = tools.vision.read(question)
            except AnalysisError as error:
                note = str(error)
        would, why_not = _remedy(tools, reading, sensed, request.expected)
        name = tools.keep_annotated(shot, reading)
        folder = screenshot_folder(settings, state_folder(os.environ))
        result = LookResult(
            reading,
            round(shot.width / shot.scale),
            round(shot.height / shot.scale),
            perf_counter() - began,
            would,
            why_not,
            note,
            os.path.join(folder, name) if name else "",
        )
    if request.as_json:
        print_json(result)
    else:
        _show(screen, result)
    return 0 if reading.status is ScreenStatus.NORMAL else 1


def _remedy(
    tools: "ScreenTools", reading: ScreenReading, sensed: ScreenReading, expected: str
) -> tuple[tuple[str, ...], str]:
    """Return what a watch would do, or why it would do nothing."""
    if reading.status is ScreenStatus.NORMAL:
        return (), ""
    try:
        allowed = tools.allowed(reading, sensed, expected)
    except RecoveryError as error:
        return (), str(error)
    return tuple(each.text for each in allowed), "" if allowed else "nobody knows what would help"


def _show(screen: TerminalOutput, result: LookResult) -> None:
    reading = result.reading
    by = "by a model" if reading.source == "vision" else "local, no key used"
    took = f"  {result.seconds:.1f} s, {by}"
    where = f" screen {result.width}×{result.height}"
    if reading.window_title:
        where += f', window "{visible(_home_as_tilde(reading.window_title))}"'
    screen.say(clip(where, screen.width - columns(took)) + screen.paint(took, "dim"))
    word = f" {reading.status.value.replace('_', ' ').upper()} "
    lead = f" {word} {reading.confidence:.2f}  "
    first, *rest = wrap(_home_as_tilde(reading.description), screen.width - columns(lead)) or [""]
    style = _STYLES.get(reading.status, _TROUBLE)
    screen.say(f" {screen.paint(word, style)} {reading.confidence:.2f}  {first}".rstrip())
    for line in rest:
        screen.say(" " * columns(lead) + line)
    for label, text in _facts(result):
        screen.field(label, [text])
    if result.picture:  # in one piece: people copy it
        screen.say(
            f"{screen.paint(' Picture', 'bold')}   {visible(_home_as_tilde(result.picture))}"
        )


def _facts(result: LookResult) -> Iterator[tuple[str, str]]:
    reading = result.reading
    if reading.expected_file or reading.actual_file:
        shown = _home_as_tilde(reading.actual_file) or "no file"
        yield "File", f"expected {reading.expected_file or 'any'}, shown {shown}"
    if result.would:
        yield "Would", f"{', '.join(result.would)}, look again (handrail desktop watch does it)"
    elif result.why_not:
        yield "Would", f"do nothing: {result.why_not}"
    if result.note:
        yield "Model", f"not heard: {result.note}"


def _show_preview(screen: TerminalOutput, request: LookRequest, preview: "msgspec.Struct") -> int:
    from handrail.desktop.analyse.vision_preview import VisionPreview

    assert isinstance(preview, VisionPreview)
    if request.as_json:
        print_json(preview)
        return 0
    sent = "Nothing was sent. A look would send this:"
    if preview.why_not:
        sent = f"A look sends nothing: {preview.why_not}. Otherwise it would send this:"
    screen.paragraph(sent)
    size = f"{preview.width}×{preview.height}, {preview.bytes / 1000:.0f} KB"
    cost = f", about ${preview.most_usd:.4f} at most" if preview.most_usd else ""
    screen.field("To", [f"{preview.model} at {preview.address}"])
    screen.field("Picture", [f"{size}, about {preview.tokens:,} tokens{cost}"])
    screen.field("Prompt", preview.system.splitlines())
    screen.field("Question", preview.text.splitlines())
    return 0


def _home_as_tilde(text: str) -> str:
    home = os.environ.get("HOME", "")
    return text.replace(f"{home}/", "~/") if len(home) > 1 else text
