"""Which file a window's title names, and whether it may be the expected one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.desktop.sense.screen_facts import WindowFacts
from handrail.desktop.sense.titles import EDITORS, read_title, same_file

TITLES = [
    ("code", "cart.py - shop - Visual Studio Code", "cart.py"),
    ("code", "● cart.py - shop - Visual Studio Code", "cart.py"),
    ("code", "cart - old.py - shop - Visual Studio Code", "cart - old.py"),
    ("code-oss", "cart.py - Code - OSS", "cart.py"),
    ("vscodium", "cart.py - shop (Workspace) - VSCodium", "cart.py"),
    ("code", "● first words • Untitled-1 - Visual Studio Code", "Untitled-1"),
    ("code", "Visual Studio Code", ""),
    ("chromium", "cart.py - shop - code-server", "cart.py"),
    ("chromium", "● cart.py - shop - Visual Studio Code - Chromium", "cart.py"),
    ("mousepad", "/home/ada/shop/cart.py - Mousepad", "/home/ada/shop/cart.py"),
    ("mousepad", "*~/shop/cart.py - Mousepad", "~/shop/cart.py"),
    ("mousepad", "Untitled 1 - Mousepad", "Untitled 1"),
    ("mousepad", "a - b.py - Mousepad", "a - b.py"),
    ("geany", "cart.py - /home/ada/shop - Geany", "/home/ada/shop/cart.py"),
    ("geany", "*cart.py - ~/shop - Geany (new instance)", "~/shop/cart.py"),
    ("geany", "*untitled - Geany", "untitled"),
    ("geany", "Geany", ""),
    ("gedit", "cart.py (/home/ada/shop) - gedit", "/home/ada/shop/cart.py"),
    ("gedit", "*cart.py (~/shop) - gedit", "~/shop/cart.py"),
    ("gedit", "*Untitled Document 1 - gedit", "Untitled Document 1"),
    ("pluma", "cart.py (~/shop) [Read-Only] - Pluma", "~/shop/cart.py"),
    ("kate", "cart.py — Kate", "cart.py"),
    ("kate", "cart.py  — Kate", "cart.py"),
    ("kate", "~/shop/cart.py * — Kate", "~/shop/cart.py"),
    ("kate", "Work: cart.py — Kate", "cart.py"),
    ("featherpad", "*/home/ada/cart.py", "/home/ada/cart.py"),
    ("featherpad", "FeatherPad", ""),
    ("gvim", "cart.py + (~/shop) - GVIM", "~/shop/cart.py"),
    ("xterm", "cart.py (~/shop) - VIM", "~/shop/cart.py"),
    ("emacs", "cart.py - GNU Emacs at host", "cart.py"),
    ("sublime_text", "~/shop/cart.py • (shop) - Sublime Text (UNREGISTERED)", "~/shop/cart.py"),
    ("zed", "shop — cart.py", "cart.py"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "title", "path"), TITLES)
def test_a_title_names_the_open_file(program: str, title: str, path: str) -> None:
    opened = read_title(WindowFacts(1, title=title, program=program))
    assert opened is not None
    assert opened.path == path


@pytest.mark.parametrize(
    ("program", "title"),
    [
        ("xterm", "cart.py - Mousepad"),
        ("chromium", "Mail - Chromium"),
        ("zenity", "cart.py - shop - Visual Studio Code"),
        ("mousepad", "Save As"),
        ("xterm", "cart.py"),
    ],
)
def test_a_title_counts_only_for_the_program_that_writes_it(program: str, title: str) -> None:
    assert read_title(WindowFacts(1, title=title, program=program)) is None


@pytest.mark.parametrize(
    ("shown", "expected", "same"),
    [
        ("cart.py", "/home/ada/shop/cart.py", True),
        ("cart.py", "cart.py", True),
        ("~/shop/cart.py", "/home/ada/shop/cart.py", True),
        ("/home/ada/shop/cart.py", "shop/cart.py", True),
        ("/home/ada/shop/cart.py", "./cart.py", True),
        ("/home/ada/…/deep/cart.py", "/home/ada/very/deep/cart.py", True),
        ("/home/ada/…ep/cart.py", "/home/ada/very/deep/cart.py", True),
        ("/home/ada/…ep/cart.py", "/home/ada/very/flat/cart.py", False),
        ("…/cart.py", "cart.py", True),
        ("/b/cart.py", "/a/cart.py", False),
        ("/b/cart.py", "/a/b/cart.py", False),
        ("~/b/cart.py", "/home/ada/a/cart.py", False),
        ("other.py", "cart.py", False),
        ("cart.py.bak", "cart.py", False),
        ("Cart.py", "cart.py", False),
        ("my-cart.py", "cart.py", False),
        ("", "cart.py", False),
        ("cart.py", "", False),
    ],
)
def test_paths_are_compared_as_far_as_both_tell(shown: str, expected: str, same: bool) -> None:
    assert same_file(shown, expected) is same


_NAMES = st.text(st.characters(codec="utf-8", exclude_characters="/…~*●", categories=["L", "N"]),
                 min_size=1, max_size=12)  # fmt: skip


@given(st.lists(_NAMES, min_size=1, max_size=6), st.integers(1, 6))
def test_every_tail_of_a_path_may_be_that_path(parts: list[str], kept: int) -> None:
    whole = "/" + "/".join(parts)
    assert same_file(whole, whole)
    assert same_file("/".join(parts[-kept:]), whole)
    assert not same_file("/".join([*parts[:-1], parts[-1] + "x"]), whole)


@given(st.text(max_size=200), st.sampled_from([p for one in EDITORS for p in one.programs]))
def test_any_title_can_be_read(title: str, program: str) -> None:
    opened = read_title(WindowFacts(1, title=title, program=program))
    assert opened is None or isinstance(opened.path, str)
