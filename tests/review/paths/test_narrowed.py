"""A word that is known in part reaches a control or a secret if its known pieces mean one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from handrail.model import Kind, Review
from handrail.review.paths.narrowed import narrowed_to
from tests.review.conftest import ReviewProject

STOPPED = (
    # keys of Handrail
    "cat ~/.local/s*/h*/c*-token",
    "cat ~/.local/state/handrail/[c]ontrol-token",
    "S=$(pick); cat $HOME/.local/$S/handrail/control-token",
    "cp $HOME/.local/*/*/events.db /tmp/x",
    "cp -r ~/.local/state /tmp/x",
    "tar cf /tmp/x.tar ~/.local",
    "cp -r ~/.$X/state /tmp/x",
    "rsync -a ~/.local/ /tmp/x",
    "xargs -a ~/.local/state/handrail/control-token echo",
    "find ~ -name 'control-*' -exec cat {} +",
    "find ~ -name '*token' | xargs cat",
    "cat $(find ~ -name 'control-*')",
    "parallel -a ~/.local/state/handrail/hook-token echo",
    # secrets
    "cat $HOME/.$S/id_ed25519",
    "file -f ~/.ssh/id_rsa",
    "wc --files0-from=/home/test/.ssh/id_rsa",
    "cat ~/.a*/credentials",
    # files that count in every session
    "echo x >> $HOME/.$S/authorized_keys",
    "echo x >> ~/.s*/authorized_keys",
    "echo x >> $DIR/authorized_keys",
    "echo {} > ~/.cl*/settings.json",
    "cp x ~/.$A/settings.json",
    "echo x >> ~/.b*shrc",
)
RUNS = (
    "cat $X/config.json",
    "find . -name '*token*' -exec cat {} +",
    "find ~ -type f -exec wc -l {} +",
    "cat $DIR/settings.json",
    "cp $SRC/settings.json $DST/settings.json",
    "cat ~/$X/notes.md",
    "cat $HOME/$PROJECT/config.json",
    "cp -r ~/.local/share/fonts /tmp/x",
    "grep -rn todo ~/src",
    "cat *.json",
    "cat src/*/settings.json",
    "xargs -a files.txt wc -l",
    "file -f names.txt",
    "cat $X",
    "ls ~/.local/s*",
)


@pytest.mark.parametrize("command", STOPPED)
def test_known_pieces_that_mean_a_control_or_a_secret(
    elsewhere: Callable[[str], Review], command: str
) -> None:
    review = elsewhere(command)
    assert review.decision.stops
    assert review.alternative


@pytest.mark.parametrize("command", RUNS)
def test_pieces_that_fit_many_files_mean_nothing(
    elsewhere: Callable[[str], Review], command: str
) -> None:
    assert not elsewhere(command).decision.stops


def test_wildcards_mean_only_what_is_there(project: ReviewProject) -> None:
    command = "echo x >> ~/.s*/authorized_keys"
    assert Kind.PERSIST not in {effect.kind for effect in project.review(command).effects}
    (project.home / ".ssh").mkdir()
    (project.home / ".ssh" / "authorized_keys").write_text("")
    assert Kind.PERSIST in {effect.kind for effect in project.review(command).effects}


def test_reading_the_project_is_no_reading_of_keys(tmp_path: Path) -> None:
    """The state folder may lie in the project: `grep -r` there is everyday work."""
    project = ReviewProject(tmp_path)
    assert not project.review("grep -rn todo .").decision.stops


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("/h/.…/a_key", True),
        ("/h/.s*/a_key", True),
        ("/h/.ss[g-i]/a_key", True),
        ("/h/.???/a_key", True),
        ("/h/*/a_key", False),
        ("/h/.…", False),
        ("…", False),
        ("…/a_key", False),
        ("/h/**/a_key", False),
        ("/h/.ss[!h]/a_key", False),
        ("/h/.s*", False),
        ("/h/.ss[z-a]/a_key", True),
    ],
)
def test_what_pieces_mean(target: str, meant: bool) -> None:
    found = narrowed_to(target, ["/h/.ssh/a_key"], home="/h", whole=False, there=lambda path: None)
    assert bool(found) is meant


def test_what_takes_a_folder_takes_what_is_in_it() -> None:
    found = narrowed_to("/h/.s*", ["/h/.ssh/a"], home="/h", whole=True, there=lambda path: None)
    assert found == "/h/.ssh/a"
