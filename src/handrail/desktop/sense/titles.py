"""Editors and terminals, and which file a window's title names."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

import msgspec

from handrail.desktop.sense.screen_facts import WindowFacts

_BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "chrome", "firefox", "brave-browser",
    "microsoft-edge",
)  # fmt: skip
TERMINALS = frozenset((
    "xterm uxterm rxvt urxvt st st-256color gnome-terminal gnome-terminal-server konsole "
    "xfce4-terminal mate-terminal lxterminal qterminal terminator tilix alacritty kitty foot "
    "wezterm org.wezfurlong.wezterm ghostty com.mitchellh.ghostty terminology termite sakura "
    "guake yakuake tilda deepin-terminal ptyxis org.gnome.ptyxis kgx org.gnome.console hyper "
    "tabby warp dev.warp.warp cool-retro-term contour eterm aterm"
).split())  # fmt: skip
"""Programs by the second word of their WM_CLASS, in small letters."""


class EditorTitle(msgspec.Struct, frozen=True):
    """How an editor names the open file in the title of its window."""

    name: str
    programs: Sequence[str]
    """By the second word of WM_CLASS, in small letters."""
    titles: Sequence[str]
    """Patterns with the group `file`, and `folder` if the title names the file's folder; or with
    `parts`, where a workspace may stand behind the file."""
    drawn: bool = False
    """Whether it draws its dialogs itself, where no property of a window shows them."""
    focus_key: str = ""
    """The key that puts the focus from one of its panels into the text."""


class OpenedFile(msgspec.Struct, frozen=True):
    """The file that a title names."""

    editor: EditorTitle
    path: str
    """As far as the title tells: a name, or a path."""
    readings: tuple[str, ...] = ()
    """All that the title may mean: names and folders may contain ` - ` themselves."""

    @property
    def name(self) -> str:
        """The name without folders."""
        return PurePosixPath(self.path).name


_MARK = r"(?:[*●•○] ?)?"
_CODE = r"(?:Visual Studio Code(?: - Insiders)?|Code - OSS|VSCodium|Cursor|code-server|Windsurf)"
_CODE_TITLES = (
    rf"{_MARK}(?P<parts>.+?) - {_CODE}(?: \[.*\])?(?: - [^-]+)?",
    rf"{_CODE}(?: - [^-]+)?",
)
_GNOME_TITLES = (
    rf"{_MARK}(?P<file>.+?) \((?P<folder>[~/…].*?)\)(?: \[.*\])? [-—] .+",
    rf"{_MARK}(?P<file>.+?)(?: \[.*\])? [-—] .+",
)
_VIM_TITLES = (r"(?P<file>.+?)(?: [+=-]+)? \((?P<folder>.+?)\)(?: \(.*\))? - (?:N?VIM|G?VIM)\d*",)

EDITORS: Sequence[EditorTitle] = (
    EditorTitle(
        "VS Code",
        ("code", "code - oss", "code-oss", "code - insiders", "vscodium", "codium", "cursor",
         "windsurf"),
        _CODE_TITLES,
        drawn=True,
        focus_key="ctrl+1",
    ),
    EditorTitle("VS Code", _BROWSERS, _CODE_TITLES[:1], drawn=True, focus_key="ctrl+1"),
    EditorTitle(
        "Mousepad",
        ("mousepad", "org.xfce.mousepad"),
        (rf"{_MARK}(?P<file>.+?)(?: \[.*\])? - Mousepad", "Mousepad"),
    ),
    EditorTitle(
        "Geany",
        ("geany",),
        (
            rf"{_MARK}(?P<file>.+?) - (?:\[.*\] - )?(?P<folder>[~/].*?)(?: - \[.*\])? - Geany.*",
            rf"{_MARK}(?P<file>.+?) - (?:\[.*\] - )?Geany.*",
            "(?:.* - )?Geany.*",
        ),
        focus_key="F2",
    ),
    EditorTitle("gedit", ("gedit", "pluma", "xed", "gnome-text-editor", "org.gnome.texteditor"),
           _GNOME_TITLES),
    EditorTitle(
        "Kate",
        ("kate", "kwrite", "org.kde.kate", "org.kde.kwrite"),
        (r"(?:[^:/]+: )?(?P<file>.+?)(?: ?\*| \[.*\])* [—–-] K(?:ate|Write)",),
    ),
    EditorTitle("FeatherPad", ("featherpad",), ("FeatherPad", rf"{_MARK}(?P<file>.+?)(?: - .+)?")),
    EditorTitle(
        "L3afpad", ("l3afpad", "leafpad"), (rf"{_MARK}(?P<file>.+?)(?: - L(?:3|e)afpad)?",)
    ),
    EditorTitle("Vim", ("gvim", "nvim-qt", "neovide"), _VIM_TITLES),
    EditorTitle("Emacs", ("emacs",), (r"(?P<file>.+?) [-–] (?:GNU )?Emacs.*", r"emacs@.+")),
    EditorTitle(
        "Sublime Text",
        ("sublime_text",),
        (r"(?P<file>.+?)(?: •)?(?: \(.*\))? - Sublime Text.*",),
        drawn=True,
    ),
    EditorTitle("Zed", ("dev.zed.zed", "zed"), (r"(?:.+ — )?(?P<file>.+)",), drawn=True),
)  # fmt: skip
IN_TERMINAL = EditorTitle("Vim", tuple(sorted(TERMINALS)), _VIM_TITLES)
"""An editor in a terminal; whatever runs there can set this title."""

_PATTERNS = [
    (editor, [re.compile(pattern) for pattern in editor.titles])
    for editor in (*EDITORS, IN_TERMINAL)
]


def is_terminal(window: WindowFacts) -> bool:
    """Whether keys for this window reach a terminal."""
    return window.program in TERMINALS


def read_title(window: WindowFacts) -> OpenedFile | None:
    """Return the editor of a window with its open file, or None if it is no known editor's.

    The program counts, too: any program can write any title.
    """
    for editor, patterns in _PATTERNS:
        if window.program in editor.programs:
            for pattern in patterns:
                if found := pattern.fullmatch(window.title):
                    return _opened(editor, found.groupdict(default=""))
    return None


def _opened(editor: EditorTitle, groups: dict[str, str]) -> OpenedFile:
    if whole := groups.get("parts", ""):
        parts = whole.split(" - ")
        readings = [" - ".join(parts[: end + 1]) for end in range(len(parts))]
        path = readings[max(len(parts) - 2, 0)]
        # A file without a name is shown as `its first words • Untitled-1`.
        _, _, untitled = path.rpartition(" • ")
        return OpenedFile(editor, untitled, (*readings, untitled))
    file, folder = groups.get("file", "").strip(), groups.get("folder", "")
    path = f"{folder.rstrip('/')}/{file}" if folder else file
    return OpenedFile(editor, path, (path,))


def same_file(shown: str, expected: str) -> bool:
    """Whether a path as a title shows it may be the expected one: as far as both tell."""
    if shown.startswith("/") and expected.startswith("/") and "…" not in shown:
        return PurePosixPath(shown) == PurePosixPath(expected)
    ours, theirs = _parts(shown.rpartition("…")[2]), _parts(expected)
    if "…" in shown and ours:
        # The first part is cut off somewhere in its middle.
        cut = ours.pop(0)
        at = len(theirs) - len(ours) - 1
        return at >= 0 and theirs[at].endswith(cut) and theirs[at + 1 :] == ours
    common = min(len(ours), len(theirs))
    return bool(common) and ours[-common:] == theirs[-common:]


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".", "~")]
