"""The runs beside the story of the demo: what each agent of the panel's demo does."""

from typing import Literal

import msgspec

from handrail.testing.model_server import Json, ToolCall

Ending = Literal["done", "paused", "waits", "stays"]
"""Its session is over, you paused it, it waits for your approval, or it works on."""
WHY_PAUSED = "the fixture first"


class Neighbour(msgspec.Struct, frozen=True):
    """One run in a project of its own."""

    project: str
    goal: str
    files: dict[str, str]
    calls: tuple[ToolCall, ...]
    ending: Ending
    tells: str
    """What there is to see, for the person who watches."""
    last: ToolCall | None = None
    """The call that is held: by your pause, or until you approve it."""


def _bash(command: str) -> ToolCall:
    return ToolCall("Bash", {"command": command})


def _write(path: str, content: str) -> ToolCall:
    given: Json = {"file_path": path, "content": content}
    return ToolCall("Write", given)


_FIXTURE = '{"user": "ada", "orders": [3, 5]}\n'
_ASK_ME = "approvals: {hold_refused: true}\n"
_CHECKOUT = "# Checkout\n\n1. Fill the cart.\n2. Pay.\n"
NEIGHBOURS = (
    Neighbour(
        "docs",
        "describe the new checkout",
        {"README.md": "# docs\n"},
        (
            _bash("ls"),
            ToolCall("Read", {"file_path": "README.md"}),
            _write("checkout.md", _CHECKOUT),
            _bash("git add checkout.md && git commit -qm 'Describe the checkout'"),
        ),
        "done",
        "is done, and its records are there",
    ),
    Neighbour(
        "api",
        "clean up the fixtures",
        {"fixtures/user.json": _FIXTURE, "fixtures/old.json": "{}\n", "build/api.whl": "made\n"},
        (
            _bash("git status --short"),
            ToolCall("Read", {"file_path": "fixtures/user.json"}),
            _bash("rm -rf build"),
        ),
        "paused",
        "you have paused it; let it go on with Resume",
        _bash("git rm -q fixtures/old.json"),
    ),
    Neighbour(
        "release",
        "publish release 2.1",
        {"README.md": "# release\n", "version.txt": "2.0\n", "handrail.yaml": _ASK_ME},
        (
            _bash("git log --oneline"),
            _write("version.txt", "2.1\n"),
            _bash("git commit -qam 'Version 2.1' && git push -q origin main"),
        ),
        "waits",
        "wants to delete a tag on the remote, and waits for your approval",
        _bash("git push origin --delete v2.0"),
    ),
    Neighbour(
        "catalogue",
        "write a page for each shoe",
        {"pages/README.md": "# Our shoes\n"},
        (),
        "stays",
        "works on, page after page",
    ),
)
_SHOES = ("boot", "clog", "loafer", "pump", "sandal", "slipper", "sneaker", "wader")


def page_calls(number: int) -> tuple[ToolCall, ...]:
    """Return the calls for one more page of the catalogue."""
    shoe = _SHOES[number % len(_SHOES)]
    page = f"pages/{shoe}-{number + 1}.md"
    text = f"# The {shoe} no. {number + 1}\n\nIt comes in {number % 5 + 3} sizes.\n"
    return (
        _write(page, text),
        _bash(f"wc -w {page}"),
        _bash(f"git add {page} && git commit -qm 'Describe {shoe} {number + 1}'"),
    )
