"""Deeds that an agent's last message claims."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.detect.deed_claims import deeds_claimed, deeds_of, files_claimed


@pytest.mark.parametrize(
    ("text", "deeds"),
    [
        ("I committed the changes.", {"commit"}),
        ("I've committed and pushed everything.", {"commit", "push"}),
        ("The changes are committed to `main`.", {"commit"}),
        ("Pushed to origin/main.", {"push"}),
        ("The branch has been pushed to origin.", {"push"}),
        ("The build passes.", {"build"}),
        ("The project compiles without errors.", {"build"}),
        ("**Type checking passed** with no issues.", {"build"}),
        ("I have not committed anything.", set()),
        ("You can now commit and push.", set()),
        ("Should I commit this?", set()),
        ("The changes will be pushed once CI is green.", set()),
        ("The fix was already committed earlier.", set()),
        ("If the build passes, we are done.", set()),
        ("The last committed version is 1.2.", set()),
        ("", set()),
    ],
)
def test_only_flat_claims_count(text: str, deeds: set[str]) -> None:
    assert deeds_claimed(text) == deeds


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("I created `docs/guide.md`.", ("docs/guide.md",)),
        ("I wrote a new file src/a.py and saved it to out/b.json.", ("src/a.py", "out/b.json")),
        ("Created the file /srv/x/y.txt.", ("/srv/x/y.txt",)),
        ("I created guide.md.", ()),
        ("I would have created docs/guide.md.", ()),
        ("I created a parser for docs/guide.md.", ()),
        ("I created the folder docs/guide.", ()),
        ("I generated https://example.com/a.html for it.", ()),
    ],
)
def test_files_are_claimed_with_their_folder(text: str, files: tuple[str, ...]) -> None:
    assert files_claimed(text) == files


@pytest.mark.parametrize(
    ("call", "deeds"),
    [
        ("git commit -m x", {"commit"}),
        ("git -C sub push origin main", {"push"}),
        ("gh pr create --fill", {"push"}),
        ("cargo build --release", {"build", "push"}),
        ("mcp__git__git_commit", {"commit"}),
        ("ls -la", set()),
        ("cat app.py", set()),
    ],
)
def test_a_command_tells_its_deeds(call: str, deeds: set[str]) -> None:
    assert set(deeds_of(call)) == deeds


@given(st.text(max_size=2000))
def test_any_message_can_be_read(text: str) -> None:
    deeds_claimed(text)
    for path in files_claimed(text):
        assert "/" in path
