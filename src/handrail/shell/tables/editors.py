"""Editors: what they change, and what they run when they are given commands."""

from handrail.shell.tables.shorthand import (
    HIGH,
    INSTALL,
    MEDIUM,
    READ,
    SEND,
    SYSTEM,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    aliases,
    program,
)

_HELP = "--help|--version"
_VIM = (
    "-c --cmd -i -l -r -S -t -T -u -U -w -W --listen --server --remote-expr "
    "--remote-send --servername --startuptime --windowid"
)
_CODE = (
    "--install-extension --uninstall-extension --extensions-dir --user-data-dir --profile --locale "
    "--log --category --goto -g --add -a --folder-uri --file-uri --sync --remote"
)
_IN_PLACE = "-i|--in-place|-I"
_SCRIPT = "-e|--expression|-f|--file"

PROGRAMS: dict[str, Program] = {
    "sed": program(
        Fact(READ, f"!{_IN_PLACE} !{_SCRIPT}", on="2+"),
        Fact(READ, f"!{_IN_PLACE} {_SCRIPT}", on="each"),
        Fact(WRITE, f"?* {_IN_PLACE} !{_SCRIPT}", on="each"),
        Fact(WRITE, f"{_IN_PLACE} {_SCRIPT} !@|", on="each"),
        # macOS has the suffix of the backup as a word of its own: `sed -i '' s/a/b/ file`.
        Fact(WRITE, f"| * {_IN_PLACE} !{_SCRIPT}", on="each"),
        Fact(WRITE, f"| {_IN_PLACE} {_SCRIPT}", on="each"),
        Fact(READ, on="-f|--file"),
        reader="interpreter", values="-e --expression -f --file -l --line-length", harmless=_HELP,
    ),
    **aliases("sed", "gsed", "ssed"),
    "sd": program(
        Fact(WRITE, "!-p|--preview", on="3+"),
        values="-n -f --flags --max-replacements", harmless=_HELP,
    ),
    "dasel": program(
        Fact(READ, on="-f|--file"),
        Fact(WRITE, "put|delete", on="-f|--file"),
        Fact(WRITE, on="-o|--out"),
        values="-f --file -r --read -w --write -v --value -t --type -s --selector -o --out -p",
        harmless=_HELP,
    ),
    "augtool": program(
        Fact(SYSTEM, "set|setm|rm|ins|insert|mv|move|clear|clearm|touch|rename|store @/files/etc/*",
             says="changes configuration of the system",
             instead="Only look: `augtool print /files/etc/hosts`."),
        values="-r --root -I --include -f --file -t --transform -l --load-file",
        harmless=f"{_HELP}|-n|--new",
    ),
    "vim": program(reader="vim", values=_VIM, harmless=_HELP),
    **dict.fromkeys(
        ("vi", "nvim", "gvim", "mvim", "view", "gview", "rview", "rvim", "ex", "vim.basic",
         "vim.tiny", "vimdiff", "nvimdiff", "neovide", "lvim", "hx", "kak"),
        program(reader="vim", values=_VIM, harmless=_HELP),
    ),
    **dict.fromkeys(("ed", "red"), program(reader="vim", values="-p --prompt", harmless=_HELP)),
    "emacs": program(
        Fact(READ, on="-l|--load|--script|--insert"),
        reader="emacs",
        values="--eval -eval --execute -execute -l --load -f --funcall -u --user --insert "
        "--directory -L --chdir --script -T --title --init-directory",
        harmless=_HELP,
    ),
    "emacsclient": program(
        reader="emacs",
        values="--eval -e -a --alternate-editor -s --socket-name -f --server-file -T --tramp",
        harmless=_HELP,
    ),
    **dict.fromkeys(
        ("nano", "pico", "micro", "joe", "jed", "mg", "ne", "mcedit", "gedit", "kate",
         "gnome-text-editor",
         "mousepad", "leafpad", "xed"),
        program(
            Fact(WRITE, "!-v|--view", on="each"),
            values="-Y -T -o -r -C -s -Q", harmless=_HELP,
        ),
    ),
    **dict.fromkeys(
        ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf", "code-server",
         "positron"),
        program(
            Fact(UNSEEN, "--install-extension=*.vsix", on="--install-extension",
                 says="installs the unread extension {target}",
                 instead="Install it by its name: `code --install-extension ms-python.python`."),
            Fact(INSTALL, "--install-extension", on="--install-extension", severity=MEDIUM,
                 says="installs the extension {target}, which runs its own code"),
            Fact(SEND, "tunnel !@status|help|user|kill|unregister", severity=HIGH,
                 says="opens this machine to the editor on other machines",
                 instead="Work on the files here, or ask the user to open the tunnel."),
            values=_CODE, harmless=f"{_HELP}|-h|-v|--list-extensions|--status",
        ),
    ),
}  # fmt: skip
