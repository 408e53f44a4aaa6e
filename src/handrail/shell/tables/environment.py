"""Variables that change what programs do: setting one can be as good as running code."""

import re

import msgspec

from handrail.model.effect import Kind
from handrail.model.host import known_hosts
from handrail.model.ordinal import Severity


class EnvironmentVariable(msgspec.Struct, frozen=True):
    """What setting a variable does."""

    does: Kind
    severity: Severity
    says: str
    value: str = ""
    """Only if the value matches this expression; empty: any value but the empty one."""

    def matches(self, text: str) -> bool:
        """Whether this value has the effect."""
        return bool(re.search(self.value, text)) if self.value else bool(text)


_LIBRARY = EnvironmentVariable(
    Kind.UNSEEN, Severity.HIGH, "loads foreign code into every program it starts"
)
_HOOK = EnvironmentVariable(
    Kind.UNSEEN, Severity.HIGH, "makes shells run a file or command by themselves"
)

FUNCTION = EnvironmentVariable(
    Kind.UNSEEN, Severity.HIGH, "puts a function into every shell that is started"
)
PREFIXES = (
    ("BASH_FUNC_", FUNCTION),
    (
        "HANDRAIL_",
        EnvironmentVariable(Kind.TAMPER, Severity.CRITICAL, "changes Handrail's own settings"),
    ),
)
_IS_ON = r"^(?!(?:0|false|no|off)$)(?s:.)+$"
_HOOKS_OFF = EnvironmentVariable(
    Kind.TAMPER,
    Severity.CRITICAL,
    "starts agents without their hooks, so nobody supervises them",
    _IS_ON,
)
_OTHER_FOLDER = EnvironmentVariable(
    Kind.TAMPER, Severity.CRITICAL, "gives agents other settings, without the hooks there are"
)
_OPTIONS = EnvironmentVariable(
    Kind.UNSEEN, Severity.HIGH, "makes an interpreter load foreign code",
    r"-r\b|--require|--import|--loader|-M|-I|--eval|-javaagent|-agentlib|-agentpath|-XX:OnError",
)  # fmt: skip

_ASKS_NOBODY = "lets agents that nobody supervises work without asking"

VARIABLES: dict[str, EnvironmentVariable] = {
    "LD_PRELOAD": _LIBRARY,
    "LD_AUDIT": _LIBRARY,
    "DYLD_INSERT_LIBRARIES": _LIBRARY,
    "BASH_ENV": _HOOK,
    "ENV": _HOOK,
    "PROMPT_COMMAND": _HOOK,
    "PS1": EnvironmentVariable(Kind.UNSEEN, Severity.HIGH, "makes the prompt run a command",
                               r"\$\(|`"),
    "PS4": EnvironmentVariable(Kind.UNSEEN, Severity.HIGH, "makes tracing run a command",
                               r"\$\(|`"),
    "PYTHONSTARTUP": _HOOK,
    **{name: _HOOKS_OFF for host in known_hosts() for name in host.off_variables},
    **{
        name: _OTHER_FOLDER
        for host in known_hosts()
        for name in (host.folder_variable, *host.settings_variables)
        if name
    },
    "GOOSE_MODE": EnvironmentVariable(Kind.DELEGATE, Severity.HIGH, _ASKS_NOBODY, r"^auto$"),
    "OPENCODE_PERMISSION": EnvironmentVariable(Kind.DELEGATE, Severity.HIGH, _ASKS_NOBODY, "allow"),
    "OPENCODE_YOLO": EnvironmentVariable(Kind.DELEGATE, Severity.HIGH, _ASKS_NOBODY, _IS_ON),
    "AIDER_YES_ALWAYS": EnvironmentVariable(Kind.DELEGATE, Severity.HIGH, _ASKS_NOBODY, _IS_ON),
    "COPILOT_ALLOW_ALL": EnvironmentVariable(Kind.DELEGATE, Severity.HIGH, _ASKS_NOBODY, _IS_ON),
    "LD_LIBRARY_PATH": EnvironmentVariable(Kind.UNSEEN, Severity.HIGH,
                                           "loads libraries from a world-writable folder",
                                           r"(?:^|:)(?:/tmp|/var/tmp|/dev/shm)(?:[/:]|$)"),
    "PYTHONPATH": EnvironmentVariable(Kind.UNSEEN, Severity.MEDIUM,
                                      "loads modules from a world-writable folder",
                                      r"(?:^|:)(?:/dev/shm)(?:[/:]|$)"),
    "GOFLAGS": EnvironmentVariable(Kind.TAMPER, Severity.HIGH,
                                   "switches off the checks of downloaded modules", r"-insecure"),
    "GOPROXY": EnvironmentVariable(Kind.UNSEEN, Severity.HIGH,
                                   "loads modules over an open connection", r"http://"),
    "GONOSUMDB": EnvironmentVariable(Kind.TAMPER, Severity.MEDIUM,
                                     "switches off the checks of downloaded modules"),
    "NODE_OPTIONS": _OPTIONS,
    "PERL5OPT": _OPTIONS,
    "RUBYOPT": _OPTIONS,
    "JAVA_TOOL_OPTIONS": _OPTIONS,
    "_JAVA_OPTIONS": _OPTIONS,
    "PATH": EnvironmentVariable(Kind.UNSEEN, Severity.HIGH,
                                "lets programs in a folder open to all replace others",
                                r"(?:^|:)(?:/tmp|/var/tmp|/dev/shm)(?:[/:]|$)"),
    "NODE_TLS_REJECT_UNAUTHORIZED": EnvironmentVariable(Kind.TAMPER, Severity.MEDIUM,
                                                        "switches off the check of server "
                                                        "certificates", r"^0$"),
    "GIT_SSL_NO_VERIFY": EnvironmentVariable(Kind.TAMPER, Severity.MEDIUM,
                                             "switches off the check of server certificates",
                                             r"^(?:1|true)$"),
    "PYTHONHTTPSVERIFY": EnvironmentVariable(Kind.TAMPER, Severity.MEDIUM,
                                             "switches off the check of server certificates",
                                             r"^0$"),
}  # fmt: skip

STEERING_NAMES = "|".join(
    (
        "@HANDRAIL_*",
        *(
            f"{name}*"
            for host in known_hosts()
            for name in (host.folder_variable, *host.settings_variables, *host.off_variables)
            if name
        ),
    )
)
"""Names that steer agents or their guard, for programs that take them as operands."""

COMMAND_VARIABLES = frozenset({
    "PAGER", "GIT_PAGER", "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR",
    "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "LESSOPEN", "LESSCLOSE",
    "MANPAGER", "BROWSER", "PROMPT_COMMAND", "PERL5DB", "RUSTC_WRAPPER", "GIT_ASKPASS",
    "SSH_ASKPASS", "SUDO_ASKPASS",
})  # fmt: skip
"""Variables whose value is itself a command line that some program will run."""
