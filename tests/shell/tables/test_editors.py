"""Editors: what they change, and the commands they are told to run."""

from collections.abc import Callable

import pytest

TOUCHED = [
    ("sed -n 1,5p a", ["read /w/a"]),
    ("sed -e s/a/b/ a", ["read /w/a"]),
    ("sed -i /etc/d a", ["write /w/a"]),
    ("sed -i.bak s/a/b/ a", ["write /w/a"]),
    ("sed -i '' /etc/d a", ["write /w/a"]),
    ("sed -i '' -e /etc/d a", ["write /w/a"]),
    ("sed --in-place -e s/a/b/ a c", ["write /w/a", "write /w/c"]),
    ("sed -f fix.sed a", ["read /w/a", "read /w/fix.sed"]),
    ("perl -pi -e s/a/b/ a", ["write /w/a"]),
    ("perl -ne print a", ["read /w/a"]),
    ("ruby -i -pe '$_.upcase!' a", ["write /w/a"]),
    ("awk '{print}' a", ["read /w/a"]),
    ("awk -F , -v n=1 '{print}' a", ["read /w/a"]),
    ("awk -i inplace '{print}' a", ["write /w/a"]),
    ("vim a", ["write /w/a"]),
    ("view a", ["read /w/a"]),
    ("vim +12 a", ["write /w/a"]),
    ("vim -c 'w /etc/x' a", ["write /w/a", "write /etc/x"]),
    ("vim -es -c 'r /etc/x' -c 'wq' a", ["write /w/a", "read /etc/x"]),
    ('vim -c \'call delete("/x", "rf")\'', ["delete /x*"]),
    ("emacs --batch --eval '(delete-directory \"/x\" t)'", ["delete /x*"]),
    ("nano a", ["write /w/a"]),
    ("nvim --headless '+Lazy! sync' +qa", []),
    ("code src/app.py", []),
]


@pytest.mark.parametrize(("command", "expected"), TOUCHED)
def test_paths(touched: Callable[[str], list[str]], command: str, expected: list[str]) -> None:
    assert touched(command) == expected


CARRIERS = [
    "vim -c ':!rm -rf /x'",
    "vim '+%!rm -rf /x' a",
    "vim -c 'silent! r !rm -rf /x'",
    "vim -c 'w | !rm -rf /x'",
    "vim -c 'call system(\"rm -rf /x\")'",
    "vim -c \"exe '!rm -rf /x'\"",
    "vim -c 'py3 import os; os.system(\"rm -rf /x\")'",
    "ex -sc '!rm -rf /x' -c q",
    "ed -s <<< '!rm -rf /x'",
    "emacs --batch --eval '(shell-command \"rm -rf /x\")'",
    'emacs --eval \'(call-process "rm" nil nil nil "-rf" "/x")\'',
    "emacsclient -e '(shell-command \"rm -rf /x\")'",
]


@pytest.mark.parametrize("command", CARRIERS)
def test_commands_they_start_are_followed(
    touched: Callable[[str], list[str]], command: str
) -> None:
    assert "delete /x*" in touched(command)


@pytest.mark.parametrize(
    "command",
    [
        "vim -c ':!sh'",
        "vi -c ':!/bin/sh' a",
        "vim -c ':shell'",
        "emacs --eval '(term \"/bin/sh\")'",
    ],
)
def test_a_bare_shell_is_code_nobody_sees(
    touched: Callable[[str], list[str]], command: str
) -> None:
    assert any(line.startswith("unseen") for line in touched(command))
