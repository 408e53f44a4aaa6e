"""The editors that can replay a session: one row for each."""

from collections.abc import Mapping

import msgspec

_GEANY_SETTINGS = """\
[geany]
pref_editor_new_line=false
pref_editor_strip_trailing_spaces=false
pref_editor_replace_tabs=false
pref_editor_disk_check_timeout=0
pref_main_load_session=false
pref_main_project_session=false
pref_main_save_winpos=false
pref_main_confirm_exit=false
msgwindow_visible=false
load_vte=false
"""
_MOUSEPAD_SETTINGS = """\
[org/xfce/mousepad/preferences/file]
add-last-end-of-line=false
auto-reload=false
make-backup=false
session-restore='never'

[org/xfce/mousepad/preferences/view]
auto-indent=false
insert-spaces=false
word-wrap=false
"""


class ReplayEditorRow(msgspec.Struct, frozen=True):
    """An editor: how it starts, and which keys it knows."""

    name: str
    command: tuple[str, ...]
    """With {settings}, a private folder, and {path}. The process is that of the window."""
    window_class: frozenset[str]
    """The second word of WM_CLASS, in small letters."""
    package: str
    """What has to be installed."""
    settings: Mapping[str, str] = {}
    """Files in the private folder: the user's own settings may change texts when they are saved."""
    environment: Mapping[str, str] = {}
    """With {settings}, too."""
    line_breaks: str = "\r"
    """Characters that it takes for the end of a line beside \\n and CRLF, or asks about."""
    top: str = "ctrl+Home"
    down: str = "Down"
    up: str = "Up"
    select_down: str = "shift+Down"
    select_to_end: str = "ctrl+shift+End"
    delete: str = "Delete"
    save: str = "ctrl+s"


REPLAY_EDITORS = {
    row.name: row
    for row in (
        ReplayEditorRow(
            name="mousepad",
            command=("mousepad", "--disable-server", "{path}"),
            window_class=frozenset({"mousepad", "org.xfce.mousepad"}),
            package="mousepad",
            settings={"glib-2.0/settings/keyfile": _MOUSEPAD_SETTINGS},
            environment={"GSETTINGS_BACKEND": "keyfile", "XDG_CONFIG_HOME": "{settings}"},
            line_breaks="\r\u2029",
        ),
        ReplayEditorRow(
            name="geany",
            command=("geany", "--new-instance", "--no-msgwin", "--no-plugins", "--no-session",
                     "--config={settings}", "{path}"),
            window_class=frozenset({"geany"}),
            package="geany",
            settings={"geany.conf": _GEANY_SETTINGS},
        ),
    )
}  # fmt: skip
