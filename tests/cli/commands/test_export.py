"""`handrail export`: a run becomes a file that anybody can open."""

from collections.abc import Iterator

import pytest
from tests.cli.conftest import HandrailShell
from tests.cli.logbook import Logbook, open_logbook

SHOP = "3f2a9c1e-77aa-4b1c-9d2e-1c7a3f6e0001"


@pytest.fixture
def book(shell: HandrailShell) -> Iterator[Logbook]:
    with open_logbook(shell) as book:
        book.start(SHOP, "fix the cart total").do("rm -rf /")
        yield book


def test_a_run_is_written_into_one_page_named_after_it(shell: HandrailShell, book: Logbook) -> None:
    ran = shell.run("export", "shop")
    assert (ran.code, ran.out.startswith(" shop-3f2a: ")) == (0, True)
    page = (shell.project / "shop-3f2a.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "fix the cart total" in page
    again = shell.run("export", "shop")
    assert (again.code, "is there already" in again.err) == (2, True)


def test_the_file_can_be_chosen(shell: HandrailShell, book: Logbook) -> None:
    for _ in range(2):
        assert shell.run("export", "last", "-o", "night.html").code == 0
    assert (shell.project / "night.html").read_text().startswith("<!doctype html>")
    assert shell.run("export", "last", "-o", "missing/night.html").code == 2


def test_an_unknown_run_is_named(shell: HandrailShell, book: Logbook) -> None:
    ran = shell.run("export", "nobody")
    assert (ran.code, "there is no run 'nobody'" in ran.err) == (2, True)
