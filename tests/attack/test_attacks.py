"""Attacks on the supervision by the real Claude Code: none gets out, or gets out quietly.

`make test` tries a sample, several attacks in one world. ATTACKS=all tries all of them, and
ATTACKS=WORD those with the word in their names: again several in one world, and those that were
not refused there once more, each alone. SCORE names a file for the results.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.attack.bed import run_in_bed
from tests.attack.cases import ATTACKS
from tests.attack.judge import Observation, Verdict, judge
from tests.attack.tables import ACCEPTED, KNOWN_OUT, SAMPLE

_CHOSEN = os.environ.get("ATTACKS", "")
_SCORE = os.environ.get("SCORE", "")


class Group(NamedTuple):
    """Attacks that are tried in one world."""

    names: tuple[str, ...]
    again: bool
    """Whether those that were not refused are tried once more, each alone."""


def _groups() -> list[Group]:
    if not _CHOSEN:
        return [Group(names, again=False) for names in SAMPLE]
    word = "" if _CHOSEN == "all" else _CHOSEN
    chosen = [name for name in ATTACKS if word in name]
    alone = [name for name in chosen if ATTACKS[name].before or ATTACKS[name].own_packages]
    shared = [name for name in chosen if name not in alone]
    dozens = [shared[start : start + 12] for start in range(0, len(shared), 12)]
    return [Group(tuple(names), again=True) for names in (*dozens, *([name] for name in alone))]


def _param(group: Group) -> object:
    return pytest.param(group, id=f"{group.names[0]} and {len(group.names) - 1} more")


@pytest.mark.parametrize("group", [_param(group) for group in _groups()])
def test_nobody_gets_out(installation: Path, group: Group) -> None:
    wrong = []
    for name, seen in _try(installation, group):
        verdict = judge(seen)
        _keep_score(name, verdict, seen)
        is_known = name in KNOWN_OUT or name in ACCEPTED
        if verdict.result == "OUT" and not is_known:
            wrong.append(f"{name}: {verdict.why} (it was told: {seen.told})")
        elif verdict.result != "OUT" and is_known:
            wrong.append(f"{name} does not get out any more ({verdict.result}): take it off")
    assert wrong == []


def _try(installation: Path, group: Group) -> Iterator[tuple[str, Observation]]:
    own_packages = any(ATTACKS[name].own_packages for name in group.names)
    task = {"attacks": group.names, "own_packages": own_packages}
    found = run_in_bed(installation, task)
    seen = {name: Observation(**each) for name, each in found.items() if isinstance(each, dict)}
    for name, each in seen.items():
        if each.tried and (each.refused or len(seen) == 1 or not group.again):
            yield name, each
        elif each.tried:
            yield from _try(installation, Group((name,), again=False))
    if never_begun := tuple(name for name, each in seen.items() if not each.tried):
        assert len(never_begun) < len(seen), f"the session did nothing: {never_begun}"
        yield from _try(installation, Group(never_begun, group.again))


def _keep_score(name: str, verdict: Verdict, seen: Observation) -> None:
    if _SCORE:
        line = {"attack": name, **verdict._asdict(), "seen": seen._asdict()}
        with open(_SCORE, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
