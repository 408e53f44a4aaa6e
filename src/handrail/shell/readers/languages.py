"""Find calls that start commands or delete files in languages without a reader of their own."""

import base64
import binascii
import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.readers.make_effects import effect

MAX_CODE = 64 * 1024
_STRING = r"""(?:"((?:[^"\\\n]|\\.){1,2000})"|'((?:[^'\\\n]|\\.){1,2000})'|`([^`]{1,2000})`)"""
_QUOTED = r"""(?:"(?:[^"\\\n]|\\.){1,2000}"|'(?:[^'\\\n]|\\.){1,2000}')"""
_STARTS = re.compile(
    r"(?<![A-Za-z_])(?:system\*?|shell(?:-command\S*)?|sh|exec\w*|run|run-program|spawn|popen|cmd|"
    r"unix|dos|execute|qx|QX|process-execute|readpipe|Process)[\s(.\[:]*(?:new\s*\()?\s*"
    rf"{_STRING}((?:\s*,?\s*\[?\s*{_QUOTED}){{0,12}})"
)
_STRING_METHODS = re.compile(_STRING + r"\s*(?:\.!+|\.execute\b|\.lines_!|\.\s*#!)")
_DELETES = re.compile(
    r"(?:rm_rf!?|rm_r|rmtree|rmdir\w*|rm|unlink|remove_all|RemoveAll|remove_dir_all|removeItem\s*\(\s*atPath|deleteDir|delete-file|"
    r"delete-directory\S*|deleteRecursively|rmSync|delete_tree|removeDirectory)\s*[:(\s]+" + _STRING
)
_FILE_METHODS = re.compile(
    r"File\s*\(\s*" + _STRING + r"\s*\)\s*\.\s*(?:deleteDir|deleteRecursively|delete)\b"
)
_WORDS = re.compile(_STRING)


def _first(groups: Iterable[str | None]) -> str:
    return next((group for group in groups if group), "")


def _code(command: Command, call: ParsedArguments) -> Iterator[str]:
    for word in call.values("-e", "--eval", "-c", "-eval", "-E", "--expression", "-x"):
        yield word.text[:MAX_CODE]
    if call.operands and call.operands[0].text == "eval":
        yield from (word.text[:MAX_CODE] for word in call.operands[1:])
    if command.input is not None:
        yield command.input[:MAX_CODE]


def _scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find command lines in such code."""
    for code in _code(command, call):
        yield from started_commands(code)


def started_commands(code: str) -> Iterator[str]:
    """Yield the command lines in code of any language; show a deletion as the equal `rm`."""
    for match in _STARTS.finditer(code):
        rest = [_first(found) for found in _WORDS.findall(match[4] or "")]
        first = _first(match.groups()[:3])
        yield first if not rest else " ".join([first, *map(shlex.quote, rest)])
    for match in _STRING_METHODS.finditer(code):
        yield _first(match.groups())
    for match in (*_DELETES.finditer(code), *_FILE_METHODS.finditer(code)):
        yield f"rm -rf {shlex.quote(_first(match.groups()))}"


# PowerShell and cmd

_CMDLETS: tuple[tuple[re.Pattern[str], Kind, Severity, str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), kind, severity, says)
    for pattern, kind, severity, says in (
        (r"\b(?:Stop|Restart)-Computer\b", Kind.SYSTEM, Severity.HIGH, "turns the machine off"),
        (r"\b(?:Format-Volume|Clear-Disk|Initialize-Disk|Remove-Partition)\b", Kind.DEVICE,
         Severity.CRITICAL, "erases a disk"),
        ((r"(?:\biex\b|Invoke-Expression).*(?:\biwr\b|\birm\b|\bcurl\b|\bwget\b|Invoke-WebRequest|"
         r"Invoke-RestMethod|DownloadString)|(?:\biwr\b|\birm\b|Invoke-WebRequest|Invoke-RestMethod|"
         r"DownloadString).*\|\s*(?:iex\b|Invoke-Expression)"), Kind.UNSEEN, Severity.CRITICAL,
         "runs code from the network that nobody has seen"),
        ((r"Set-ExecutionPolicy\b.*(?:Bypass|Unrestricted)|Set-MpPreference\b.*Disable|"
         r"netsh\s+advfirewall\s+set\s+\w+\s+state\s+off"), Kind.TAMPER, Severity.HIGH,
         "switches off a protection of the machine"),
        (r"\b(?:Stop|Remove)-Service\b|Remove-LocalUser|New-LocalUser|Add-LocalGroupMember",
         Kind.SYSTEM, Severity.HIGH, "changes services or accounts of the machine"),
        (r"Register-ScheduledTask|New-ScheduledTask\b|schtasks\s+/create|\\CurrentVersion\\Run\b",
         Kind.PERSIST, Severity.HIGH, "makes code run later by itself"),
        (r"\bformat\s+[A-Z]:|\bdiskpart\b", Kind.DEVICE, Severity.CRITICAL, "erases a disk"),
        (r"\bvssadmin\s+delete\b|\bwbadmin\s+delete\b|\bbcdedit\b|\breg\s+delete\b", Kind.SYSTEM,
         Severity.HIGH, "deletes backups or settings of the system"),
        (r"Get-Clipboard|Get-Credential|ConvertFrom-SecureString|Get-StoredCredential", Kind.SECRET,
         Severity.MEDIUM, "reads what may be secret"),
    )
)  # fmt: skip
_REMOVES = re.compile(
    r"(?:^|[;|&{(]\s*)(?:Remove-Item|rmdir|rd|ri|rm|del|erase)\s+([^;|&})]+)", re.IGNORECASE
)
_ENCODED = ("-EncodedCommand", "-encodedcommand", "-enc", "-ec", "-e", "-EC")
_ASK = "Write it as a plain shell command, e.g. `ls -la`."


def _windows_code(command: Command, call: ParsedArguments) -> str:
    """Return the command text of `pwsh -c …` or `cmd /c …`."""
    words = [word.text for word in command.argv[1:]]
    for index, text in enumerate(words):
        if re.fullmatch(r"-c(?:ommand)?|//?[ck]", text, re.IGNORECASE):
            return " ".join(words[index + 1 :])[:MAX_CODE]
    if command.input is not None:
        return command.input[:MAX_CODE]
    if words and not words[0].startswith("-"):
        return "" if words[0].endswith(".ps1") else " ".join(words)
    return ""


def _decoded(command: Command) -> str:
    words = [word.text for word in command.argv[1:]]
    for index, text in enumerate(words[:-1]):
        if text in _ENCODED:
            try:
                return base64.b64decode(words[index + 1] + "==").decode("utf-16-le", "replace")
            except (binascii.Error, ValueError):
                return " "
    return ""


def _powershell(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    hidden = _decoded(command)
    if hidden:
        yield effect(Kind.UNSEEN, "an encoded command", severity=Severity.HIGH,
                     says="runs code that was hidden by an encoding", instead=_ASK)  # fmt: skip
    code = f"{_windows_code(command, call)} {hidden}"
    for pattern, kind, severity, says in _CMDLETS:
        if match := pattern.search(code):
            yield effect(kind, match.group()[:60], severity=severity, says=says, instead=_ASK)


def _powershell_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find deletions, shown as the equal `rm`, and other commands that a shell reads alike."""
    code = f"{_windows_code(command, call)} {_decoded(command)}"
    for match in _REMOVES.finditer(code.strip()):
        words = match[1].split()
        paths = [word.strip("\"'").replace("\\", "/") for word in words]
        paths = [path for path in paths if not re.match(r"-|/[a-z]$", path, re.IGNORECASE)]
        recursive = any(re.match(r"-r|/s$", word, re.IGNORECASE) for word in words)
        yield " ".join(["rm", "-rf" if recursive else "-f", *map(_path, paths)])


def _path(text: str) -> str:
    drive = re.match(r"[A-Za-z]:(/.*)?", text)
    if drive:
        return shlex.quote(drive[1] or "/")
    return text if text.startswith("~") else shlex.quote(text)


def _nothing(command: Command, call: ParsedArguments) -> Iterable[Effect]:
    return ()


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "calls": _nothing,
    "powershell": _powershell,
}
SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    "calls": _scripts,
    "powershell": _powershell_scripts,
}
