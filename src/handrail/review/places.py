"""What kind of place a path is: secrets, system, profiles, devices, build output …"""

import re
from enum import StrEnum
from functools import lru_cache

import msgspec

from handrail.config import compile_globs


class Place(StrEnum):
    """Where a path lies, as far as the danger of touching it goes."""

    SCOPE = "scope"
    TEMP = "temp"
    OUTSIDE = "outside"
    SYSTEM = "system"
    DEVICE = "device"
    MEMORY = "memory"
    KERNEL = "kernel"
    OTHER_HOME = "other_home"
    HANDRAIL = "handrail"
    TRASH = "trash"
    AGENT = "agent"
    PROFILE = "profile"
    HOOK = "hook"
    REPOSITORY = "repository"
    HISTORY = "history"
    LOGS = "logs"
    VIRTUAL = "virtual"
    UNKNOWN = "unknown"


_HOME = r"(?:/home/[^/]+|/root|/Users/[^/]+|/var/root|~)"

# The first line that matches says what a path is. Each is a regular expression over the
# whole normalised path; `~` stands for anybody's home folder.
_PLACES: tuple[tuple[Place, str], ...] = (
    (Place.VIRTUAL, r"/dev/(?:null|zero|u?random|full|tty|ptmx|std(?:in|out|err)|fd(?:/.*)?|pts/.*)"),
    (Place.MEMORY, r"/dev/k?mem|/proc/kcore|/proc/(?:\d+|self|\*)/mem|/dev/port"),
    (Place.DEVICE, r"/dev/(?!shm(?:/|$)).*"),
    (Place.KERNEL, r"/proc/(?:sys|sysrq-trigger|bus).*|/sys(?:/.*)?|/proc/\d+/oom.*"),
    (Place.HANDRAIL, r"~/\.(?:local/state|config)/handrail(?:/.*)?"),
    (Place.AGENT,
     r"~/\.(?:claude|codex|gemini|cursor|windsurf|codeium|continue|aider|openai-codex|copilot|qwen"
     r"|pi|opencode|amp|goose|cline)(?:\.json|/.*)?"
     r"|~/\.config/(?:claude|codex|gemini|cursor|windsurf|opencode|goose|amp|github-copilot"
     r"|claude-code|Claude|Cursor)(?:/.*)?"
     r"|~/Library/Application Support/(?:Claude|Cursor|Windsurf)(?:/.*)?"
     r"|.*/\.claude/(?:settings(?:\.local)?\.json|hooks(?:/.*)?)|.*/\.mcp\.json"
     r"|.*/\.vscode/mcp\.json|.*/\.(?:cursor|gemini|codex|windsurf)/(?:mcp\.json|settings\.json"
     r"|config\.toml|hooks.*)"),
    (Place.HOOK, r".*/\.git/(?:hooks(?:/.*)?|config|info/attributes)"),
    (Place.REPOSITORY, r".*/\.git(?:/(?:HEAD|packed-refs|index|refs(?:/.*)?|objects(?:/.*)?|logs(?:/.*)?))?"),
    (Place.PROFILE,
     r"~/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile"
     r"|zlogin|zlogout|kshrc|cshrc|tcshrc|inputrc|xprofile|xinitrc|xsessionrc|pam_environment"
     r"|gitconfig|vimrc|exrc|emacs|tmux\.conf|screenrc|npmrc|yarnrc|pypirc|curlrc|wgetrc|netrc|condarc"
     r"|pythonrc(?:\.py)?|irbrc|gdbinit|lldbinit|psqlrc|sqliterc|Rprofile|forward|rhosts|hushlogin|xsession|bash_history|zsh_history"
     r"|cargo/config(?:\.toml)?|gradle/init\.gradle|m2/settings\.xml)|~/(?:\.local/)?bin(?:/.*)?"
     r"|~/\.config/Code/User(?:/.*)?|~/Library/Application Support/Code/User(?:/.*)?"
     r"|~/\.config/(?:fish|systemd|autostart|git|pip|nvim|environment\.d|plasma-workspace)(?:/.*)?"
     r"|~/\.ssh(?:/.*)?|~/\.(?:emacs\.d|vim|oh-my-zsh|local/share/systemd|gnupg|docker|kube|aws)(?:/.*)?"
     r"|~/\.local/share/(?:applications|autostart)(?:/.*)?|~/Library/Launch(?:Agents|Daemons)(?:/.*)?"
     r"|.*/site-packages/[^/]+\.pth|.*/(?:sitecustomize|usercustomize)\.py"),
    (Place.LOGS, r"/var/log(?:/.*)?|/var/audit(?:/.*)?|/private/var/log(?:/.*)?"),
    (Place.SYSTEM,
     r"/|/\*+|/(?:etc|usr|bin|sbin|lib|lib32|lib64|libx32|boot|var|opt|srv|root|run|proc|System|Library"
     r"|Applications|private|cores|snap|nix|efi|vmlinuz|initrd\.img|home|Users|mnt|media|Volumes|dev"
     r"|data|bin\.usr-is-merged)(?:/\*+)?|/(?:etc|usr|bin|sbin|lib|lib32|lib64|libx32|boot|var|run|proc"
     r"|System|Library|Applications|snap|nix|efi|private/etc|private/var)/.*"),
)  # fmt: skip

_SECRETS = (
    r"~/\.ssh(?:/\*?|/(?!known_hosts|config$|authorized_keys$|environment$).*(?<!\.pub))?"
    r"|~/\.aws(?:/(?:\*|credentials.*|sso(?:/.*)?|cli/cache(?:/.*)?))?"
    r"|~/\.azure(?:/(?:\*|accessTokens\.json|msal_token_cache.*|azureProfile\.json|service_principal.*))?"
    r"|~/\.config/gcloud(?:/(?:\*|.*credentials.*|.*\.db|legacy_credentials.*|access_tokens.*))?"
    r"|~/\.kube(?:/(?:\*|config.*|cache/oidc.*))?|/etc/kubernetes/(?:admin\.conf|pki/.*\.key)"
    r"|~/\.docker/config\.json|~/\.(?:gnupg|password-store)(?:/.*)?|~/\.(?:netrc|_netrc|pypirc|npmrc|yarnrc)"
    r"|~/\.gem/credentials|~/\.cargo/credentials(?:\.toml)?|~/\.gradle/gradle\.properties"
    r"|~/\.m2/settings(?:-security)?\.xml|~/\.terraform\.d/credentials.*|~/\.terraformrc"
    r"|~/\.git-credentials|~/\.config/(?:gh/hosts\.yml|hub|glab-cli/config\.yml|git/credentials)"
    r"|~/\.(?:local/share/keyrings|local/share/kwalletd)(?:/.*)?|~/Library/Keychains(?:/.*)?"
    r"|~/\.(?:vault-token|pgpass|my\.cnf|mylogin\.cnf|s3cfg|boto|passwd-s3fs|dockercfg|fly/config\.yml"
    r"|config/doctl/config\.yaml|config/op/.*|config/rclone/rclone\.conf|config/heroku/.*|heroku/.*"
    r"|databrickscfg|snowsql/config|oci/.*|ibmcloud/.*|bluemix/.*|config/configstore/.*|huggingface/token"
    r"|cache/huggingface/token|config/openai/.*|openai/.*|anthropic/.*|config/anthropic/.*|wakatime\.cfg"
    r"|config/sops/age/.*|age/.*|putty/.*|step/secrets/.*|kaggle/kaggle\.json|bundle/config|electrum/.*"
    r"|bitcoin/wallet\.dat|ethereum/keystore.*|config/solana/id\.json)"
    r"|~/\.(?:claude/\.credentials\.json|codex/auth\.json|gemini/oauth_creds\.json|config/github-copilot/.*"
    r"|cursor/auth.*|config/cursor/auth.*|qwen/oauth_creds\.json|continue/\.env)"
    r"|~/\.(?:bash|zsh|python|mysql|psql|node_repl|rediscli|sqlite)_history|~/\.histfile|~/\.zhistory"
    r"|.*/(?:Google/Chrome|google-chrome|chromium|BraveSoftware|Microsoft Edge|microsoft-edge|Chromium)"
    r".*/(?:Login Data.*|Cookies.*|Web Data|Local State)"
    r"|.*/(?:\.mozilla|Firefox).*/(?:logins\.json|key[34]\.db|cookies\.sqlite|signons\.sqlite)"
    r"|.*/Cookies/Cookies\.binarycookies|.*\.keychain(?:-db)?|.*\.kdbx?|.*/1Password.*\.(?:sqlite|opvault).*"
    r"|/etc/(?:g?shadow-?|sudoers(?:\.d/.*)?|krb5\.keytab|security/opasswd|master\.passwd"
    r"|ssh/ssh_host_.*_key|ssl/private(?:/.*)?|pki/tls/private(?:/.*)?|wireguard/.*|openvpn/.*\.key"
    r"|ppp/chap-secrets|mysql/debian\.cnf|rancher/k3s/k3s\.yaml|letsencrypt/(?:live|archive)/.*privkey.*"
    r"|NetworkManager/system-connections(?:/.*)?|vault\.d/.*)"
    r"|/proc/(?:[^/]+)/(?:environ|mem|maps_secret)|/proc/kcore|/dev/k?mem"
    r"|/(?:var/)?run/secrets(?:/.*)?|/var/lib/(?:docker/.*|kubelet/.*|vault/.*)|/boot/System\.map.*"
    r"|/var/db/dslocal.*|/private/var/db/.*|.*/\.vault_pass(?:word)?(?:\.txt)?"
    r"|(?:.*/)?id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.*\.(?:ppk|pfx|p12|jks|keystore)"
    r"|.*/(?:service[-_]account|gcp[-_]key|client_secret)[^/]*\.json|.*/terraform\.tfstate(?:\.backup)?"
)  # fmt: skip

WELL_KNOWN_SECRETS = (
    "~/.ssh/id_rsa", "~/.ssh/id_ed25519", "~/.aws/credentials", "~/.netrc", "~/.kube/config",
    "~/.docker/config.json", "~/.gnupg/secring.gpg", "~/.git-credentials", "~/.npmrc", "~/.pypirc",
    "~/.config/gcloud/application_default_credentials.json", "~/.config/gh/hosts.yml", "/etc/shadow",
    "/proc/1/environ",
)  # fmt: skip
"""Files that hold secrets on many machines, to see what wildcards could mean."""

_ENV_FILES = (
    r"(?:.*/)?\.env(?:\.(?!example|sample|template|dist|defaults?|test|ci|schema)[\w.-]+)?"
    r"|.*/\.envrc|.*/secrets?\.(?:ya?ml|json|toml|env)|.*/credentials(?:\.json|\.ya?ml)?"
    r"|.*\.(?:pem|key)|.*/\.npmrc|.*/\.pypirc|.*/\*\.env"
)

_REGENERABLE = (
    "node_modules", "bower_components", ".venv", "venv", "env", "virtualenv", "__pycache__", ".pytest_cache",
    ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".hypothesis", ".cache", ".parcel-cache", ".turbo",
    ".next", ".nuxt", ".svelte-kit", ".angular", ".vite", ".webpack", ".gradle", ".eggs", "*.egg-info",
    "dist", "build", "_build", "target", "out", "coverage", "htmlcov", ".coverage", ".coverage.*",
    ".nyc_output", "storybook-static", "DerivedData", "Pods", ".dart_tool", "cmake-build-*", "CMakeFiles",
    "CMakeCache.txt", ".terraform", ".serverless", ".aws-sam", "bazel-*", "*.pyc", "*.pyo", "*.o", "*.obj",
    "*.class", "*.log", "*.tmp", "*.swp", "*.bak", "*~", ".DS_Store", "Thumbs.db", "tmp", "temp", ".tmp",
    "site", "public/build", ".docusaurus", ".sass-cache", ".eslintcache", ".stylelintcache",
    "*.tsbuildinfo", "junit.xml", "test-results", "playwright-report", "logs", "*.pid", "core", "core.*",
    ".ipynb_checkpoints", "*.so.dSYM", "*.dSYM", "__snapshots__.tmp", "wheelhouse", "*.orig", "*.rej",
)  # fmt: skip


class Places:
    """Tells what kind of place a path is, for one user and one set of settings."""

    def __init__(
        self,
        home: str,
        roots: tuple[str, ...],
        temps: tuple[str, ...],
        state: str,
        settings: "PlaceSettings",
    ) -> None:
        self.home = home
        self.roots = roots
        """The folders of the project, without the temp folders."""
        self._temps = temps
        self._state = state
        self._secrets = _pattern(_SECRETS, home)
        self._env_files = _pattern(_ENV_FILES, home)
        self._more_secrets = compile_globs(settings.secrets) if settings.secrets else None
        self._protected = compile_globs(settings.protected) if settings.protected else None
        self._regenerable = compile_globs(_REGENERABLE + settings.regenerable)
        self._places = _places(home)

    def secret(self, path: str) -> bool:
        """Whether a file or folder holds keys, passwords or tokens."""
        if self._more_secrets is not None and self._more_secrets.fullmatch(path):
            return True
        return self._secrets.fullmatch(path) is not None

    def env_file(self, path: str) -> bool:
        """Whether a file of the project holds its configuration secrets."""
        return self._env_files.fullmatch(path) is not None

    def protected(self, path: str) -> bool:
        """Whether the settings forbid any change."""
        return self._protected is not None and self._protected.fullmatch(path) is not None

    def regenerable(self, path: str) -> bool:
        """Whether a build makes it again."""
        relative = path
        for root in self.roots:
            if path.startswith(root + "/"):
                relative = path[len(root) :]
        return self._regenerable.fullmatch(relative) is not None

    def place(self, path: str, *, in_scope: bool) -> Place:
        """What kind of place a normalised absolute path is."""
        if not path.startswith("/"):
            return Place.UNKNOWN
        if self._state and (path == self._state or path.startswith(self._state + "/")):
            trash = self._state + "/trash"
            return Place.TRASH if path.startswith(trash) else Place.HANDRAIL
        if path.endswith("/handrail.yaml"):
            return Place.HANDRAIL
        match = self._places.fullmatch(path)
        special = Place(match.lastgroup) if match and match.lastgroup else None
        if special in _EVEN_IN_SCOPE:
            return special
        if in_scope:
            return Place.TEMP if self._is_temp(path) else Place.SCOPE
        if self._is_temp(path):
            return Place.TEMP
        if special is not None:
            return special
        if re.match(r"/(?:home|Users)/[^/]+|/root", path) and not self.in_home(path):
            return Place.OTHER_HOME
        return Place.OUTSIDE

    def _is_temp(self, path: str) -> bool:
        if self.in_project(path) or self.in_home(path):
            return False
        return any(path == temp or path.startswith(temp + "/") for temp in self._temps)

    def glob_of_secrets(self, path: str) -> bool:
        """Whether a path with wildcards could mean one of the well-known secrets."""
        pattern = compile_globs((path,))
        return any(
            pattern.fullmatch(name.replace("~", home))
            for name in WELL_KNOWN_SECRETS
            for home in (self.home, "/root")
        )

    def holds_home(self, path: str) -> bool:
        """Whether a path is the home folder, or something above it or the project."""
        return path != "/" and (path == self.home or self.home.startswith(path + "/")) and not (
            self.root_of(path) and path in self.roots
        )

    def is_temp_root(self, path: str) -> bool:
        """Whether a path is a whole temp folder, or everything in it."""
        return path.removesuffix("/*").removesuffix("/**") in self._temps

    def in_home(self, path: str) -> bool:
        """Whether a path lies in the user's home folder."""
        return bool(self.home) and (path == self.home or path.startswith(self.home + "/"))

    def in_project(self, path: str) -> bool:
        """Whether a path lies in one of the project's folders."""
        return any(path == root or path.startswith(root + "/") for root in self.roots)

    def root_of(self, path: str) -> bool:
        """Whether a path is a whole project folder or something that contains it."""
        bare = path.removesuffix("/**/*").removesuffix("/**").removesuffix("/*").removesuffix("/.*")
        return any(root == bare or root.startswith(bare.rstrip("/") + "/") for root in self.roots)


class PlaceSettings(msgspec.Struct, frozen=True):
    """The user's additions to the tables."""

    secrets: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    regenerable: tuple[str, ...] = ()


_EVEN_IN_SCOPE = frozenset(
    {Place.REPOSITORY, Place.AGENT, Place.HOOK, Place.DEVICE, Place.MEMORY, Place.KERNEL, Place.VIRTUAL, Place.HANDRAIL}
)


@lru_cache(maxsize=16)
def _places(home: str) -> re.Pattern[str]:
    return re.compile(
        "|".join(f"(?P<{place.value}>{_with_home(text, home)})" for place, text in _PLACES)
    )


@lru_cache(maxsize=32)
def _pattern(text: str, home: str) -> re.Pattern[str]:
    return re.compile(_with_home(text, home))


def _with_home(text: str, home: str) -> str:
    homes = _HOME[:-1] + (f"|{re.escape(home)}" if home else "") + ")"
    return re.sub(r"~/", lambda _: homes + "/", text)
