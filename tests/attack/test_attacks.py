"""Attacks on the supervision by the real Claude Code: none gets out, or gets out quietly.

`make test` tries a sample, several attacks in one world. ATTACKS=all tries all of them, each in a
world of its own where it could harm the supervision; ATTACKS=WORD tries those with the word in
their names. SCORE names a file for the results.
"""

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.attack.bed import run_in_bed
from tests.attack.cases import ATTACKS
from tests.attack.judge import Observation, judge
from tests.attack.tables import ACCEPTED, KNOWN_OUT, SAMPLE

_CHOSEN = os.environ.get("ATTACKS", "")
_SCORE = os.environ.get("SCORE", "")
SHARED = ("spelling", "the controls: token")
"""Attacks on a person's files leave the supervision as it is, so they can share a world."""


class Group(NamedTuple):
    """Attacks that are tried in one world, and whether a new session is always tried as well."""

    names: tuple[str, ...]
    thorough: bool


def _groups() -> list[Group]:
    if not _CHOSEN:
        return [Group(names, thorough=False) for names in SAMPLE]
    word = "" if _CHOSEN == "all" else _CHOSEN
    chosen = [name for name in ATTACKS if word in name]
    shared = [name for name in chosen if name.startswith(SHARED)]
    return [
        *(Group(tuple(names), thorough=False) for names in _dozens(shared)),
        *(Group((name,), thorough=True) for name in chosen if name not in shared),
    ]


def _dozens(names: list[str]) -> list[list[str]]:
    return [names[start : start + 12] for start in range(0, len(names), 12)]


def _param(group: Group) -> object:
    return pytest.param(group, id=f"{group.names[0]} and {len(group.names) - 1} more")


@pytest.mark.parametrize("group", [_param(group) for group in _groups()])
def test_nobody_gets_out(installation: Path, group: Group) -> None:
    task = {
        "attacks": group.names,
        "thorough": group.thorough,
        "own_packages": any(ATTACKS[name].own_packages for name in group.names),
    }
    wrong = []
    for name, seen in run_in_bed(installation, task).items():
        assert isinstance(seen, dict)
        verdict = judge(Observation(**seen))
        _keep_score(name, *verdict, seen)
        is_known = name in KNOWN_OUT or name in ACCEPTED
        if verdict.result == "OUT" and not is_known:
            wrong.append(f"{name}: {verdict.why} (it was told: {seen['told']})")
        elif verdict.result != "OUT" and is_known:
            wrong.append(f"{name} does not get out any more ({verdict.result}): take it off")
    assert wrong == []


def _keep_score(name: str, result: str, why: str, seen: dict[str, object]) -> None:
    if _SCORE:
        line = json.dumps({"attack": name, "result": result, "why": why, "seen": seen}) + "\n"
        with open(_SCORE, "a", encoding="utf-8") as file:
            file.write(line)
