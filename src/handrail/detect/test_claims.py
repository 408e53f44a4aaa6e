"""Tell whether an agent's last message claims that the tests pass."""

import re

_LONGEST = 6_000
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
_MARKUP = re.compile(r"[*_`:]")
_ADMITTED = re.compile(r"\bpre-?existing\b|\bunrelated\b", re.IGNORECASE)
"""Failures that the agent admits."""
_TESTS = r"(?:tests?|specs?|test suites?|test cases?|unit tests|checks)"
_PASS = (
    r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are) (?:all |now )*(?:green|passing|successful))"
)
_CLAIM = re.compile(
    rf"\b{_TESTS}\b(?: \w+){{0,3}}? (?:\w+ )?{_PASS}\b"
    rf"|\b{_TESTS}\b[^,]{{0,40}}\b(?:and )?(?:they|which|everything) (?:all |now )*{_PASS}\b"
    rf"|\bpass(?:es|ed|ing)? (?:all|the|every)(?: of the)?(?: \w+){{0,2}} {_TESTS}\b",
    re.IGNORECASE,
)
_NO_FAILURES = re.compile(
    r"\b(?:no|zero|0|without(?: any)?) (?:test )?(?:failures|failing tests|failed tests)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:if|once|when|should|would|will|shall|to|until|unless|expect\w*|hop\w+|could|may|might|"
    r"cannot|can't|not|never|\w+n't|except|but|other than|apart from|aside from|some|most|many|"
    r"please|need\w*|must|want\w*|before|whether|only|fail\w*|error\w*|skip\w*|ensure\w*|"
    r"make sure|let me|let's|can you|you can|run the|\d+ of \d+|\d+ out of|manually|previous\w*|"
    r"already|upstream|other|remaining|rest|think|believe|likely|probably|assum\w+|whose|"
    r"that pass)\b|\d/\d|\?",
    re.IGNORECASE,
)


def claims_tests_pass(text: str) -> bool:
    """Return whether the text says so flatly: not that they should, would, or partly do."""
    said = text[-_LONGEST:]
    if _ADMITTED.search(said):
        return False
    return any(map(_is_claim, _SENTENCES.split(said)))


def _is_claim(sentence: str) -> bool:
    plain = _MARKUP.sub("", sentence)
    without = _NO_FAILURES.sub("", plain)
    if len(plain) != len(without):
        return _HEDGED.search(without) is None
    return _CLAIM.search(plain) is not None and _HEDGED.search(plain) is None
