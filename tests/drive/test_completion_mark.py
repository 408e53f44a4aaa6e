"""Markers count on a line of their own, decorated or not, outside of code blocks."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from handrail.drive.completion_mark import (
    BLOCKED,
    DONE,
    QUESTION,
    CompletionMark,
    find_completion_mark,
    what_is_missing,
)

IS_DONE = CompletionMark(done=True)


@pytest.mark.parametrize(
    "message",
    [
        DONE,
        f"{DONE}\n",
        f"{DONE}  \t",
        f"All tests pass.\n\n{DONE}",
        f"All tests pass.\r\n{DONE}\r\n",
        f"{DONE}\n" + "and some words after it\n" * 40,
        f"```sh\nmake\n```\n{DONE}",
        f"~~~\n```\n~~~\n{DONE}",
        f"````md\n```\n````\n{DONE}",
        f"```\nx\n``````  \n{DONE}",
        f"``` not a fence ```\n{DONE}",
        f"1. Run it:\n   ```sh\n   make\n   ```\n{DONE}",
        f"- ```sh\n  make\n  ```\n{DONE}",
        f"10. Run it:\n    ```sh\n    make\n    ```\n{DONE}",
        f"> ```\n> make\n> ```\n{DONE}",
        f"    ```\n{DONE}",
        f"\t```\n{DONE}",
        f"{BLOCKED}: no network\nNo, it works after all.\n{DONE}",
    ],
)
def test_a_marker_on_its_own_line_is_found(message: str) -> None:
    assert find_completion_mark(message) == IS_DONE


@pytest.mark.parametrize(
    "message",
    [
        "",
        f"I will say {DONE} when it is done.",
        f" {DONE}",
        f"\t{DONE}",
        f"> {DONE}",
        f"~~{DONE}~~",
        f"* {DONE}",
        f"#{DONE}",
        f"{DONE}: all tests pass",
        f"**{DONE} soon**",
        f"- {DONE}",
        DONE.lower(),
        f"NOT {DONE}",
        f"{BLOCKED} by nothing",
        f"{BLOCKED}S: 3",
        f"```\n{DONE}\n```",
        f"~~~\n{DONE}\n~~~",
        f"```\n{DONE}",
        f"   ```\n{DONE}\n",
        f"```sh\necho\n```sh\n{DONE}\n```",
        f"````\n```\n{DONE}\n```\n````",
        f"```\n~~~\n{DONE}\n```",
        f"~~~ a`b\n{DONE}\n~~~",
        f"```\n    ```\n{DONE}\n```",
        f"```\n- ```\n{DONE}\n```",
        f"line\u2028{DONE}",
        f"line\x0b{DONE}",
        f"line\x85{DONE}",
    ],
)
def test_what_only_looks_like_a_marker_is_none(message: str) -> None:
    assert find_completion_mark(message) is None


@pytest.mark.parametrize(
    "line",
    [
        f"**{DONE}**",
        f"__{DONE}__",
        f"*{DONE}*",
        f"***{DONE}***",
        f"`{DONE}`",
        f"**`{DONE}`**",
        f"{DONE}.",
        f"{DONE}!",
        f"**{DONE}.**",
        f"**{DONE}**.",
        f"# {DONE}",
        f"## **{DONE}**",
        f"### {DONE} ###",
        f"✅ {DONE}",
        f"**✅ {DONE}**",
        f"{DONE} 🎉",
        f"✔\ufe0f {DONE}",
    ],
)
def test_an_ordinary_decoration_changes_nothing(line: str) -> None:
    assert find_completion_mark(f"All tests pass.\n\n{line}\n") == IS_DONE
    assert what_is_missing(line) == ""


def test_an_agent_that_stops_without_a_marker_is_told_what_is_missing() -> None:
    assert f"no line of your last message says {DONE}" in what_is_missing("All tests pass.")
    assert what_is_missing(f"```\n{DONE}\n```") == (
        f"Your last message names {DONE}, but not on a line of its own outside of code."
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (f"**{BLOCKED}: no key**", "no key"),
        (f"**{BLOCKED}**: no key", "no key"),
        (f"**{BLOCKED}:** no key", "no key"),
        (f"## {BLOCKED}: `KEY` is not set, `make` needs it", "`KEY` is not set, `make` needs it"),
        (f"⛔ {BLOCKED}: no `KEY`", "no `KEY`"),
        (f"`{BLOCKED}`", ""),
        (f"{BLOCKED}.", ""),
        (f"{BLOCKED}: there is no key for the server ", "there is no key for the server"),
        (f"{BLOCKED}:key", "key"),
        (f"{BLOCKED}:", ""),
        (BLOCKED, ""),
    ],
)
def test_an_agent_that_cannot_go_on_says_why(line: str, why: str) -> None:
    assert find_completion_mark(f"Sorry.\n{line}\nThat is all.") == CompletionMark(
        done=False, why=why
    )


def test_the_last_marker_is_the_last_word() -> None:
    assert find_completion_mark(
        f"{DONE}\nBut then:\n{BLOCKED}: the disk is full"
    ) == CompletionMark(done=False, why="the disk is full")


LINES = st.sampled_from(
    [
        *(DONE, "text", "", f" {DONE}", "    text"),
        *("```", "````", "~~~", "```sh", "~~~~ a", "``` a`b", "``` ```", "``", "```` ", "~~~\t"),
        *("  ```", "   ~~~", "    ```", "\t```"),
    ]
)


def _in_code(message: str) -> set[int]:
    """Lines of code, as a full parser of CommonMark sees them."""
    tokens = MarkdownIt("commonmark").parse(message)
    maps = [token.map for token in tokens if token.type in ("fence", "code_block")]
    return {line for begin, end in filter(None, maps) for line in range(begin, end)}


@given(st.lists(LINES, max_size=12))
@example(["    ```", "```", "    ```", DONE])
@example(["```", "    ```", DONE])
def test_code_is_what_commonmark_says(lines: list[str]) -> None:
    code = _in_code("\n".join(lines))
    free = any(line == DONE and number not in code for number, line in enumerate(lines))
    assert (find_completion_mark("\n".join(lines)) is not None) == free


PROSE = st.lists(st.text(st.characters(exclude_characters="\r\n`~")), max_size=5).map("\n".join)


@given(st.sampled_from("`~"), st.integers(3, 9), PROSE, PROSE, PROSE)
def test_a_marker_is_found_after_any_fence_and_never_in_it(
    sign: str, length: int, before: str, code: str, after: str
) -> None:
    fence = sign * length
    block = f"{fence}\n{code}\n{sign * 2}\n{DONE}\n{fence[:-1]}x\n{fence}"
    quoted = find_completion_mark(f"{before}\n{block}\n{after}")
    assert quoted == find_completion_mark(f"{before}\n{after}")
    assert find_completion_mark(f"{before}\n{block}\n{after}\n{DONE}") == IS_DONE


@given(st.text())
def test_any_text_can_be_read(message: str) -> None:
    find_completion_mark(message)


@pytest.mark.parametrize(
    "line", [f"{QUESTION}: Which?", f"**{QUESTION}: Which?**", f"**{QUESTION}:** Which?"]
)
def test_a_question_is_told_from_an_agent_that_is_stuck(line: str) -> None:
    found = CompletionMark(done=False, why="Which?", asks=True)
    assert find_completion_mark(f"Two ways.\n{line}") == found
    assert what_is_missing(line) == ""


def test_a_question_without_words_asks_nothing() -> None:
    assert find_completion_mark(f"{QUESTION}:") == CompletionMark(done=False)
