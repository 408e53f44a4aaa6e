"""Pages that people write say one thought in a sentence; see "Rules" in CONTRIBUTING.md."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = {"cli.md", "configuration.md", "performance.md", "programs.md", "verdicts.md"}
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.name not in GENERATED),
]
LINKS = {"what", "who", "which", "that", "whoever", "whose", "whom"}
MAX_WORDS, MAX_LINKS = 45, 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_sentence_is_long_or_a_chain_of_clauses(page: Path) -> None:
    assert [said for said in sentences(page.read_text()) if not is_plain(said)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One. Two!\nThree", ["One.", "Two!", "Three"]),
        ("- one\n  more\n- two\n1. three", ["one more", "two", "three"]),
        ("# Head\n\n| a | b |\n\n```sh\nls. ls\n```\n\nText", ["Text"]),
    ],
)
def test_sentences_are_found_in_paragraphs_and_lists(text: str, found: list[str]) -> None:
    assert list(sentences(text)) == found


def sentences(text: str) -> list[str]:
    """The sentences of paragraphs and list items; tables, heads and code are left out."""
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    text = re.sub(r"(?m)^\s*(?:[-*]|\d+\.) ", "\n\n", text)
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text)]
    prose = [block for block in blocks if block and not block.startswith(("|", "#", "<"))]
    return [said for block in prose for said in re.split(r"(?<=[.!?])\s+", block)]


def is_plain(sentence: str) -> bool:
    words = re.findall(r"[A-Za-z']+", sentence)
    return len(words) <= MAX_WORDS and sum(word.lower() in LINKS for word in words) <= MAX_LINKS
