"""Names that come in on the input are those that the feeding commands print, and no others."""

import pytest
from tests.shell.reading_calls import calls

from handrail.shell import OPAQUE

UNKNOWN = OPAQUE

READ = {
    "ls | while read v; do rm $v; done": [["/work/**/*"]],
    "{ cd a; ls; } | while read v; do rm $v; done": [["/work/a/**/*"]],
    "find a | head | xargs rm": [["/work/a"]],
    "read v < <(ls); rm $v": [["/work/**/*"]],
    # the words of a command are not its input
    "read v < a$(ls); rm $v": [[UNKNOWN]],
    'read -p "$(ls)" v < a; rm $v': [[UNKNOWN]],
    'read -p "$(ls)" v; rm $v': [[UNKNOWN]],
    'mapfile -t v < a$(find .); rm "${v[@]}"': [[UNKNOWN]],
    'while read -p "$(ls)" v; do rm $v; done < a': [[UNKNOWN]],
    "f() { read v; rm $v; }; f $(ls) < a": [[UNKNOWN]],
    "xargs rm < a$(ls)": [[UNKNOWN]],
    'find a | { read -p "$(ls)" v; rm $v; }': [["/work/a"]],
    # nor is everything that prints a list of names
    "{ ls; cat k; } | while read v; do rm $v; done": [["/work/**/*"], [UNKNOWN]],
    "{ find a; git log; } | xargs rm": [["/work/a", UNKNOWN]],
    "alias cat=ls; cat k | { read v; rm $v; }": [["/work/k/**/*"], [UNKNOWN]],
}


@pytest.mark.parametrize("text", READ)
def test_names_come_from_what_feeds_the_input(text: str) -> None:
    assert sorted(calls(text)) == READ[text]
