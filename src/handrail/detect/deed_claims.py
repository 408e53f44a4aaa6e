"""Deeds that an agent's last message claims: a commit, a push, a build that passed, a new file."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

Deed = Literal["commit", "push", "build"]
_LONGEST = 6_000
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
_MARKUP = re.compile(r"[*_:]")
_NO_ERRORS = re.compile(
    r"\b(?:with(?:out| no)(?: any)?|zero|0) (?:errors?|warnings?|issues?)\b", re.IGNORECASE
)
_UNSURE = re.compile(
    r"\b(?:if|once|when|should|would|will|shall|could|may|might|cannot|can't|not|never|\w+n't|"
    r"please|need\w*|must|want\w*|before|whether|ensure\w*|make sure|let me|let's|you|your|"
    r"ready|nothing|none|previous\w*|earlier|already|last time|yesterday|upstream|fail\w*|"
    r"error\w*|except|but|think|believe|likely|probably|assum\w+|to be)\b|\?",
    re.IGNORECASE,
)
_CLAIMS: dict[Deed, re.Pattern[str]] = {
    "commit": re.compile(
        r"^(?:done[,.]? )?committed\b|\b(?:i|i've|i have|we|changes?|everything|fix|work|it)\b"
        r"[^.;]{0,40}\b(?:committed)\b",
        re.IGNORECASE,
    ),
    "push": re.compile(
        r"^(?:done[,.]? )?pushed\b|\b(?:i|i've|i have|we|changes?|everything|fix|branch|commits?|"
        r"it)\b[^.;]{0,40}\bpushed\b",
        re.IGNORECASE,
    ),
    "build": re.compile(
        r"\b(?:build|compilation|type ?check(?:ing)?|lint(?:er|ing)?)\b(?: \w+){0,2}? "
        r"(?:pass(?:es|ed)|succeed(?:s|ed)|is (?:green|clean)|(?:completes|completed|runs|ran) "
        r"(?:cleanly|successfully))\b"
        r"|\b(?:project|code|it|everything) (?:now )?(?:builds|compiles) (?:cleanly|successfully|"
        r"fine)\b",
        re.IGNORECASE,
    ),
}
_DOES: dict[Deed, re.Pattern[str]] = {
    "commit": re.compile(r"commit|\bmerge\b|rebase|cherry-pick|\bam\b|\bjj\b|\bsvn\b|\bhg\b"),
    "push": re.compile(r"push|\b(?:gh|glab) (?:pr|mr|repo) |\bjj\b|\bsvn\b|publish|deploy|release"),
    "build": re.compile(
        r"build|compile|\b(?:make|ninja|cargo|tsc|mypy|pyright|ruff|flake8|pylint|eslint|g?cc|"
        r"clang|javac|rustc|go|dotnet|gradlew?|mvnw?|lint|check|npm|pnpm|yarn|bun|tox|nox)\b"
    ),
}
"""Commands, and names of tools, that do the deed or may do it."""
_HINTS = (
    "commit", "merge", "rebase", "cherry-pick", "push", "pr ", "mr ", "repo ", "publish", "deploy",
    "release", "build", "compile", "make", "ninja", "cargo", "tsc", "mypy", "pyright", "ruff",
    "flake8", "lint", "cc", "clang", "rustc", "go ", "dotnet", "gradle", "mvn", "check", "npm",
    "yarn", "bun", "tox", "nox", "git am", "jj ", "svn", "hg ",
)  # fmt: skip
"""Plain words to search first: most commands do none of it."""
SAYS: dict[Deed, tuple[str, str, str]] = {
    "commit": ("it committed its work", "no commit was made", "the last commit failed"),
    "push": ("it pushed its work", "nothing was pushed", "the last push failed"),
    "build": ("the build passes", "nothing was built", "the last build failed"),
}
"""The claim, and what the record says instead: nothing was done, or it failed."""
_CREATED = re.compile(
    r"\b(?i:created|wrote|saved|generated)\b(?: (?:a|an|the|new|it|file|to|as|in|at))*+ "
    r"`?(/?(?:[\w.@-]+/)+[\w.-]*[\w-]\.[A-Za-z]\w{0,7})\b`?(?!/)"
)


def deeds_claimed(text: str) -> frozenset[Deed]:
    """Return the deeds that a message flatly claims: not that they should, would or will be."""
    said = list(_flat_sentences(text))
    return frozenset(deed for deed, claim in _CLAIMS.items() if any(map(claim.search, said)))


def files_claimed(text: str) -> tuple[str, ...]:
    """Return the files that a message flatly claims to have created, with their folders."""
    found = (path for said in _flat_sentences(text) for path in _CREATED.findall(said))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=512)
def deeds_of(call: str) -> tuple[Deed, ...]:
    """Find the deeds that a command, or the name of a tool, does or may do."""
    for hint in _HINTS:  # a plain loop: any() with a generator takes three times as long
        if hint in call:
            return tuple(deed for deed, does in _DOES.items() if does.search(call))
    return ()


def _flat_sentences(text: str) -> Iterator[str]:
    for sentence in _SENTENCES.split(text[-_LONGEST:]):
        plain = _NO_ERRORS.sub("cleanly", _MARKUP.sub("", sentence)).strip(" -\t")
        if plain and _UNSURE.search(plain) is None:
            yield plain
