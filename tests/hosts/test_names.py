"""Nothing outside of `hosts/` names a host, so that a new one is a folder and a row."""

from pathlib import Path

import handrail
from handrail.model.host import known_hosts

PACKAGE = Path(handrail.__file__).parent
EXCEPTIONS = {
    "cli/__init__.py": "examples in `--help`, which loads nothing that could tell another host",
    "model/commands.py": "what two commands are for, in the same `--help`",
    "config/judge.py": "the name of a model, which the API of the judge takes",
    "config/desktop.py": "the name of a model, which the watch asks about a screen",
    "desktop/analyse/model_table.py": "the models that can look at a picture, and what they cost",
    "tui/panes/run_words.py": "the names of models are shortened",
    "shell/tables/agents.py": "an example in what is said about other agents' programs",
    "shell/readers/git.py": "a list of what robots call their branches",
}
"""Files that may name one, and why; `testing/` plays a host, so it may, too."""


def test_only_hosts_name_hosts() -> None:
    words = {word.lower() for host in known_hosts() for word in (host.name, host.program)}
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.*")
        if path.suffix in {".py", ".sh"}
        and path.relative_to(PACKAGE).parts[0] not in {"hosts", "testing"}
        and any(word in path.read_text(encoding="utf-8").lower() for word in words)
    }
    assert found == set(EXCEPTIONS)
