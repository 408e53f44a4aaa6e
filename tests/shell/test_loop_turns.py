"""A later turn of a loop begins with what the one before left."""

import pytest
from tests.shell.reading_calls import calls

from handrail.shell import OPAQUE

UNKNOWN = OPAQUE
AGAIN = "for ((n=0; n<2; n++)); do"
"""A loop whose condition changes nothing that its body uses."""

LATER_TURNS = {
    f'a=(i); {AGAIN} if t; then a+=(z); fi; done; rm "${{a[@]}}"': [["i"], [UNKNOWN]],
    f"{AGAIN} f; f() {{ rm a; }}; done": [["a"]],
    f"f() {{ rm a; }}; {AGAIN} f; if t; then f() {{ rm b; }}; fi; done": [["a"], ["a"], ["b"]],
    f"{AGAIN} q; alias q='rm a'; done": [["a"]],
    f"{AGAIN} v=a; rm $v; declare -u v; done": [["A"], ["a"]],
    f"v=a w=b; declare -n r=v; {AGAIN} rm $r; declare -n r=w; done": [["a"], ["b"]],
    f"{AGAIN} v=a; bash -c 'rm ${{v-b}}'; export v; done": [["a"], ["b"]],
    f"{AGAIN} bash t; echo rm a > t; done": [["a"]],
    f"{AGAIN} bash < t; echo rm a > t; done": [["a"]],
    f"echo a > t; {AGAIN} rm $(< t); echo b > t; done": [["a"], ["b"]],
    f"{AGAIN} rm a; echo b > t; done": [["a"]],
}


@pytest.mark.parametrize("text", LATER_TURNS)
def test_a_later_turn_is_read_where_it_means_something_else(text: str) -> None:
    assert sorted(calls(text)) == LATER_TURNS[text]
