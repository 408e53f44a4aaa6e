"""A look of a desktop watch, in the terminal."""

from handrail.model.desktop import CheckOutcome, DesktopCheck, RecoveryStep, ScreenStatus
from handrail.model.event import DesktopChecked
from handrail.tui.panes.entry_detail import entry_detail
from handrail.tui.panes.timeline import entry_text
from handrail.views.log_view import TimelineEntry
from handrail.words.event_sentences import event_sentence
from handrail.words.run_facts import RunFacts

RECOVERED = DesktopCheck(
    ScreenStatus.DIALOG,
    CheckOutcome.RECOVERED,
    0.97,
    "Save changes?",
    "local",
    expected_file="cart.py",
    actual_file="cart.py",
    steps=(RecoveryStep("press Escape"),),
    screenshot="20261116T021400.000000Z-001.jpg",
    after="20261116T021402.000000Z-001.jpg",
)


def test_a_look_is_shown_with_its_result_and_both_pictures() -> None:
    event = DesktopChecked(1.0, 4, RECOVERED)
    entry = TimelineEntry(1, event, event_sentence(event, RunFacts()))
    assert "Save changes?" in entry_text(entry)
    shown = "\n".join(
        "".join(span.text for span in line) for line in entry_detail(entry, [], "shop", 100)
    )
    for says in ("look 4", "Save changes?", "pressed Escape", "gone at the next look"):
        assert says in shown
    for picture in RECOVERED.pictures:
        assert picture in shown
