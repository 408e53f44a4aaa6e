"""`handrail desktop verify`: files beside what a session should have made of them."""

import json
import sys

from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput, clip, columns, pad, visible
from handrail.desktop.verify.session import LeftOutFile
from handrail.desktop.verify.verifier import (
    MATCH_THRESHOLD,
    FileResult,
    MatchStatus,
    SessionVerifier,
    VerificationReport,
)

_MAX_PATH = 50
_DIFF_LINES = 24
_LEFT_OUT = 5
_COLOURS = {"+": "green", "-": "red", "@": "dim"}


def verify_files(
    screen: TerminalOutput,
    file: str,
    root: str,
    *,
    tolerance: float | None = None,
    threshold: float = MATCH_THRESHOLD,
    originals: str = "",
    as_json: bool = False,
) -> int:
    """Compare, print, and return the exit code; raises SessionFileError for a wrong session."""
    from handrail.desktop.verify.session_reading import load_session

    session = load_session(file)
    verifier = SessionVerifier(
        root, file, tolerance=tolerance, threshold=threshold, originals=originals
    )
    report = verifier.verify(session)
    if as_json:
        print_json(report)
    else:
        show_report(screen, report)
        show_left_out(screen, session.left_out)
    return 0 if report.success else 1


def print_schema() -> int:
    """Print the JSON Schema of sessions."""
    from handrail.desktop.verify.json_schema import session_schema

    sys.stdout.write(json.dumps(session_schema(), indent=2) + "\n")
    return 0


def show_report(screen: TerminalOutput, report: VerificationReport) -> None:
    """Print the answer, a line for each file, and the beginning of each diff."""
    screen.say(" " + screen.paint(report.summary, _style_of(report)))
    results = report.comparisons
    names = [clip(result.path, _MAX_PATH) for result in results]
    width = max(map(columns, names), default=0)
    for result, name in zip(results, names, strict=True):
        word, style = _word(result)
        line = f"   {screen.paint(pad(word, 11), style)}{pad(name, width)}"
        screen.say(f"{line}  {screen.paint(visible(_facts(result)), 'dim')}".rstrip())
        if result.note:
            screen.paragraph(result.note, "dim", indent=14)
    for result in results:
        _show_diff(screen, result)


def show_left_out(screen: TerminalOutput, left_out: tuple[LeftOutFile, ...]) -> None:
    """Name what a session does not say."""
    if not left_out:
        return
    number = len(left_out)
    screen.say(f" The session leaves out {number} {'file' if number == 1 else 'files'}:")
    for each in left_out[:_LEFT_OUT]:
        screen.paragraph(f"{each.path}: {each.reason}", indent=3)
    if number > _LEFT_OUT:
        screen.say(f"   … and {number - _LEFT_OUT} more; `left_out` in the session names all")


def _style_of(report: VerificationReport) -> str:
    if not report.success:
        return "red"
    return "green" if all(result.identical for result in report.comparisons) else "yellow"


def _word(result: FileResult) -> tuple[str, str]:
    if result.identical:
        return "identical", "green"
    if result.accepted:
        return "similar", "yellow"
    if result.match_status is MatchStatus.MISSING:
        return "missing", "red"
    if result.error:
        return "unreadable", "red"
    return "different", "yellow" if result.match_status is not MatchStatus.MISMATCH else "red"


def _facts(result: FileResult) -> str:
    if result.error:
        return result.error
    if result.identical:
        return _lines(result.actual_lines)
    # Rounded down: only equal texts are 1.
    ratio = int(result.similarity * 10_000) / 10_000
    parts = [f"{ratio:.4f} ({result.match_status})"]
    if result.missing_lines:
        parts.append(f"{result.missing_lines:,} of {_lines(result.expected_lines)} missing")
    if result.extra_lines:
        parts.append(f"{result.extra_lines:,} extra")
    return ", ".join(parts)


def _lines(number: int) -> str:
    return f"{number:,} {'line' if number == 1 else 'lines'}"


def _show_diff(screen: TerminalOutput, result: FileResult) -> None:
    if not result.diff_lines:
        return
    screen.say()
    for line in result.diff_lines[:_DIFF_LINES]:
        style = "bold" if line.startswith(("--- ", "+++ ")) else _COLOURS.get(line[:1], "")
        screen.say(" " + screen.paint(clip(line, screen.width - 1), style))
    more = len(result.diff_lines) - _DIFF_LINES
    if more > 0:
        screen.say(screen.paint(f" … {more} more lines; --json has them", "dim"))
