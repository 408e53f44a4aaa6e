"""Archives: what is packed is read, where it is unpacked is written, commands are followed."""

from collections.abc import Callable

import pytest

TOUCHED = [
    ("tar czf a.tgz src", ["write /w/a.tgz", "read /w/src*"]),
    ("tar -czf a.tgz src", ["write /w/a.tgz", "read /w/src*"]),
    ("tar -c -f a.tar -C /etc hosts", ["write /w/a.tar", "read /etc/hosts*"]),
    ("tar cf - ~/.ssh", ["read /home/me/.ssh*"]),
    ("tar xzf a.tgz", ["read /w/a.tgz", "write /w"]),
    ("tar -xpf a.tar -C /etc", ["read /w/a.tar", "write /etc"]),
    ("tar xf a.tar --directory=/etc", ["read /w/a.tar", "write /etc"]),
    ("tar xPf a.tar", ["read /w/a.tar", "write /"]),
    ("tar xOf a.tar README", ["read /w/a.tar"]),
    ("tar tf a.tar", ["read /w/a.tar"]),
    ("tar --remove-files -cf a.tar d", ["write /w/a.tar", "read /w/d*", "delete /w/d*"]),
    ("tar --delete -f a.tar m", ["delete /w/a.tar"]),
    ("zip -r a.zip src", ["write /w/a.zip", "read /w/src*"]),
    ("zip -rm a.zip src", ["write /w/a.zip", "read /w/src*", "delete /w/src*"]),
    ("zip -d a.zip x", ["delete /w/a.zip"]),
    ("unzip a.zip -d /etc", ["read /w/a.zip", "write /etc"]),
    ("unzip a.zip", ["read /w/a.zip", "write /w"]),
    ("unzip -l a.zip", ["read /w/a.zip"]),
    ("7z x a.7z -o/etc", ["read /w/a.7z", "write /etc"]),
    ("7z a -sdel a.7z d", ["write /w/a.7z", "read /w/d*", "delete /w/d*"]),
    ("7z l a.7z", ["read /w/a.7z"]),
    ("gzip a", ["write /w/a"]),
    ("gzip -dc a.gz", ["read /w/a.gz"]),
    ("zstd --rm a", ["read /w/a", "delete /w/a"]),
    ("cpio -id -D /etc", ["write /etc"]),
    ("ar rcs lib.a x.o", ["write /w/lib.a"]),
    ("python3 -m zipfile -e a.zip /etc", ["read /w/a.zip", "write /etc"]),
]


@pytest.mark.parametrize(("command", "expected"), TOUCHED)
def test_paths(touched: Callable[[str], list[str]], command: str, expected: list[str]) -> None:
    assert touched(command) == expected


CARRIERS = [
    "tar xf a.tar --to-command='rm -rf /x'",
    "tar -I 'rm -rf /x' -cf a.tar d",
    "tar cf a.tar d --checkpoint=1 --checkpoint-action=exec='rm -rf /x'",
    "zip a.zip d -T -TT 'rm -rf /x'",
]


@pytest.mark.parametrize("command", CARRIERS)
def test_commands_they_start_are_followed(
    touched: Callable[[str], list[str]], command: str
) -> None:
    assert "delete /x*" in touched(command)


@pytest.mark.parametrize("command", ["tar xf a --to-command=sh", "zip a.zip d -T -TT 'sh #'"])
def test_a_bare_shell_is_code_nobody_sees(
    touched: Callable[[str], list[str]], command: str
) -> None:
    assert any(line.startswith("unseen") for line in touched(command))
