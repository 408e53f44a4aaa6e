"""What stands beside an action that failed."""

import pytest
from tests.tui.sample_log import review_of

from handrail.model.action import Action, Outcome
from handrail.model.event import ActionEnded, ActionReviewed
from handrail.model.ordinal import Decision
from handrail.model.review import Verdict
from handrail.words.action_status import action_remark

RULER = "=" * 70


@pytest.mark.parametrize(
    ("error", "remark"),
    [
        ("cart.py: no such file\nmore", "cart.py: no such file"),
        ("Exit code 1\n\nImportError: cart", "ImportError: cart"),
        (f"Exit code 1\n{RULER}\nFAIL: test_total (cart.Cart)\n{RULER}", "FAIL: test_total"),
        (RULER, ""),
    ],
)
def test_a_failure_is_told_by_its_first_line_with_words(error: str, remark: str) -> None:
    action = Action("Bash", {"command": "make"}, "/home/dev/shop")
    verdict = Verdict(Decision.ALLOW)
    reviewed = ActionReviewed(1.0, 1, "n", action, review_of(action, verdict), verdict)
    said = action_remark(reviewed, ActionEnded(2.0, 1, Outcome(False, error=error)), action.cwd)
    assert said.startswith(remark)
    assert RULER not in said
