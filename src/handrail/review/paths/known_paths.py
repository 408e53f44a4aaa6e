"""Paths that mean something on most machines, as globs; `~` is anybody's home folder.

A glob that matches a folder covers everything in it; one without a slash is a name anywhere.
`secrets:`, `regenerable:` and `protected:` in handrail.yaml add to these tables.
"""

from enum import StrEnum

from handrail.model.host import HostProfile, known_hosts


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
    TOOLS = "tools"
    NOTES = "notes"
    PROFILE = "profile"
    HOOK = "hook"
    REPOSITORY = "repository"
    LOGS = "logs"
    VIRTUAL = "virtual"
    UNKNOWN = "unknown"


def _private(host: HostProfile) -> tuple[str, ...]:
    """What a host keeps for itself: its folders, its settings in every project, and the rest."""
    return (
        *(f"~/{name}" for name in (host.folder, *host.files_beside)),
        *(f"**/{host.folder}/{name}" for name in host.settings_files),
        *host.system_folders,
        *host.private,
    )


# The first place that matches counts.
PLACES: dict[Place, tuple[str, ...]] = {
    Place.VIRTUAL: (
        "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/full", "/dev/tty",
        "/dev/ptmx", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/dev/pts",
    ),
    Place.MEMORY: ("/dev/mem", "/dev/kmem", "/dev/port", "/proc/kcore", "/proc/*/mem"),
    Place.TEMP: (
        "/dev/shm", "~/.cache", "~/.npm/_cacache", "~/.npm/_npx", "~/.gradle/caches",
        "~/Library/Caches", "~/Library/Developer/Xcode/DerivedData",
    ),
    Place.DEVICE: ("/dev",),
    Place.KERNEL: ("/proc/sys", "/proc/sysrq-trigger", "/proc/bus", "/sys"),
    Place.HANDRAIL: (
        "~/.local/state/handrail", "~/.config/handrail", "handrail.yaml", "~/.local/bin/handrail",
        "~/bin/handrail", "/usr/bin/handrail", "/usr/local/bin/handrail",
        "/opt/homebrew/bin/handrail", "~/.local/pipx/venvs/handrail",
        "~/.local/share/pipx/venvs/handrail", "~/.local/share/uv/tools/handrail",
        "**/site-packages/handrail", "**/dist-packages/handrail", "/tmp/handrail-[0-9]*-*",
        "/run/user/*/handrail*", "**/systemd/user/handrail*", "**/systemd/user.control/handrail*",
        "**/systemd/user/sockets.target.wants/handrail*", "**/LaunchAgents/dev.handrail*",
    ),
    Place.NOTES: tuple(glob for host in known_hosts() for glob in host.notes),
    Place.AGENT: (
        *(glob for host in known_hosts() for glob in _private(host)),
        "~/.codex", "~/.gemini", "~/.cursor", "~/.windsurf",
        "~/.codeium", "~/.continue", "~/.openai-codex", "~/.copilot", "~/.qwen", "~/.pi",
        "~/.opencode", "~/.amp", "~/.goose", "~/.cline",
        "~/.config/codex", "~/.config/gemini", "~/.config/cursor", "~/.config/Cursor",
        "~/.config/windsurf", "~/.config/opencode", "~/.config/goose", "~/.config/amp",
        "~/.config/github-copilot", "~/Library/Application Support/Cursor",
        "~/Library/Application Support/Windsurf", "**/.vscode/mcp.json",
        "**/.cursor/mcp.json", "**/.cursor/hooks*", "**/.gemini/settings.json",
        "**/.codex/config.toml", "**/.codex/hooks*", "**/.windsurf/mcp*",
    ),
    Place.TOOLS: (".mcp.json",),
    Place.HOOK: ("**/.git/hooks", "**/.git/config", "**/.git/info/attributes"),
    Place.REPOSITORY: (
        "**/.git/HEAD", "**/.git/packed-refs", "**/.git/index", "**/.git/refs",
        "**/.git/objects", "**/.git/logs",
    ),
    Place.PROFILE: (
        "~/.bashrc", "~/.bash_profile", "~/.bash_login", "~/.bash_logout", "~/.bash_aliases",
        "~/.profile", "~/.zshrc", "~/.zshenv", "~/.zprofile", "~/.zlogin", "~/.zlogout",
        "~/.kshrc", "~/.cshrc", "~/.tcshrc", "~/.inputrc", "~/.xprofile", "~/.xinitrc",
        "~/.xsession", "~/.xsessionrc", "~/.pam_environment", "~/.gitconfig", "~/.vimrc",
        "~/.exrc", "~/.emacs", "~/.emacs.d", "~/.vim", "~/.tmux.conf", "~/.screenrc", "~/.npmrc",
        "~/.yarnrc", "~/.pypirc", "~/.curlrc", "~/.wgetrc", "~/.netrc", "~/.condarc",
        "~/.pythonrc*", "~/.irbrc", "~/.gdbinit", "~/.lldbinit", "~/.psqlrc", "~/.sqliterc",
        "~/.Rprofile", "~/.forward", "~/.rhosts", "~/.bash_history", "~/.zsh_history",
        "~/.cargo/config*", "~/.gradle/init.gradle", "~/.m2/settings.xml", "~/.config/fish",
        "~/.config/systemd", "~/.config/autostart", "~/.config/git", "~/.config/pip",
        "~/.config/nvim", "~/.config/environment.d", "~/.config/Code/User", "~/.ssh",
        "~/.oh-my-zsh", "~/.gnupg", "~/.docker", "~/.kube", "~/.aws", "~/.local/share/systemd",
        "~/.local/share/applications", "~/.local/share/autostart", "~/.local/bin", "~/bin",
        "~/Library/LaunchAgents", "~/Library/LaunchDaemons",
        "~/Library/Application Support/Code/User", "**/site-packages/*.pth",
        "sitecustomize.py", "usercustomize.py",
    ),
    Place.LOGS: ("/var/log", "/var/audit", "/private/var/log"),
    Place.SYSTEM: (
        "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/var",
        "/run", "/proc", "/System", "/Library", "/Applications", "/snap", "/nix", "/efi",
        "/private/etc", "/private/var",
    ),
}  # fmt: skip

TOP_FOLDERS = frozenset(
    "/ /opt /srv /root /home /Users /mnt /media /Volumes /data /private /cores".split()
)
"""Folders that are the system's as a whole, though parts of them may be somebody's."""

SECRETS = (
    # Keys
    "~/.ssh", "~/.gnupg", "~/.password-store", "~/.putty", "~/.age", "~/.config/sops/age",
    "~/.step/secrets", "~/.local/share/keyrings", "~/.local/share/kwalletd", "~/Library/Keychains",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "*.ppk",
    "*.pfx", "*.p12", "*.jks", "*.keystore", "*.keychain", "*.keychain-db", "*.kdb", "*.kdbx",
    # Clouds and clusters
    "~/.aws/credentials*", "~/.aws/sso", "~/.aws/cli/cache", "~/.azure/accessTokens.json",
    "~/.azure/msal_token_cache*", "~/.azure/service_principal*", "~/.config/gcloud/*credentials*",
    "~/.config/gcloud/*.db", "~/.config/gcloud/access_tokens*", "~/.kube/config*",
    "~/.kube/cache/oidc*", "~/.docker/config.json", "~/.dockercfg", "~/.oci", "~/.ibmcloud",
    "~/.bluemix", "~/.config/doctl/config.yaml", "~/.fly/config.yml", "~/.config/heroku",
    "~/.heroku", "~/.databrickscfg", "~/.snowsql/config", "~/.s3cfg", "~/.boto", "~/.passwd-s3fs",
    "~/.config/rclone/rclone.conf", "~/.terraform.d/credentials*", "~/.terraformrc",
    "/etc/kubernetes/admin.conf", "/etc/kubernetes/pki/*.key", "/etc/rancher/k3s/k3s.yaml",
    "/run/secrets", "/var/run/secrets", "/var/lib/docker/*", "/var/lib/kubelet/*",
    "*service_account*.json", "*service-account*.json", "*gcp_key*.json", "*gcp-key*.json",
    "client_secret*.json", "terraform.tfstate", "terraform.tfstate.backup",
    # Registries, forges, databases, tools
    "~/.netrc", "~/_netrc", "~/.pypirc", "~/.npmrc", "~/.yarnrc", "~/.gem/credentials",
    "~/.cargo/credentials*", "~/.gradle/gradle.properties", "~/.m2/settings.xml",
    "~/.m2/settings-security.xml", "~/.bundle/config", "~/.git-credentials",
    "~/.config/git/credentials", "~/.config/gh/hosts.yml", "~/.config/hub",
    "~/.config/glab-cli/config.yml", "~/.vault-token", ".vault_pass*", "/etc/vault.d",
    "~/.pgpass", "~/.my.cnf", "~/.mylogin.cnf", "/etc/mysql/debian.cnf", "~/.config/op",
    "~/.config/configstore", "~/.huggingface/token", "~/.cache/huggingface/token",
    "~/.kaggle/kaggle.json", "~/.wrangler", "~/.config/.wrangler", "~/.wakatime.cfg",
    "~/.config/openai", "~/.openai",
    "~/.config/anthropic", "~/.anthropic", "~/.codex/auth.json",
    *(glob for host in known_hosts() for glob in host.credentials),
    "~/.gemini/oauth_creds.json", "~/.qwen/oauth_creds.json", "~/.cursor/auth*",
    "~/.config/cursor/auth*", "~/.config/github-copilot", "~/.continue/.env",
    # Packages and registries
    "~/.config/pypoetry/auth.toml", "~/Library/Application Support/pypoetry/auth.toml",
    "~/.config/containers/auth.json", "/run/user/*/containers/auth.json",
    "/run/containers/*/auth.json", "~/.composer/auth.json", "~/.config/composer/auth.json",
    "~/.nuget/NuGet/NuGet.Config", "~/.config/NuGet/NuGet.Config", "~/.conan/.conan.db",
    "~/.conan2/credentials.json", "~/.hex/hex.config", "~/.pub-cache/credentials.json",
    "~/.config/dart/pub-credentials.json", "~/.sbt/.credentials", "~/.ivy2/.credentials",
    "~/.yarnrc.yml", "~/.local/share/uv/credentials", "~/.config/helm/repositories.yaml",
    "~/.config/helm/registry/config.json",
    # Hosts and clouds
    "~/.config/netlify/config.json", "~/.netlify/config.json",
    "~/Library/Preferences/netlify/config.json", "~/.local/share/com.vercel.cli/auth.json",
    "~/.config/com.vercel.cli/auth.json", "~/.now/auth.json",
    "~/Library/Application Support/com.vercel.cli/auth.json", "~/.config/fly/config.yml",
    "~/.railway/config.json", "~/.config/railway/config.json", "~/.supabase/access-token",
    "~/.config/supabase/access-token", "~/.render/cli.yaml", "~/.config/wrangler",
    "~/.cloudflared/*.json", "~/.cloudflared/cert.pem", "~/.config/hcloud/cli.toml",
    "~/.config/linode-cli", "~/.config/scw/config.yaml", "~/.vultr-cli.yaml", "~/.config/exoscale",
    "~/.civo.json", "~/.ovh.conf", "~/.config/openstack", "~/.aliyun/config.json",
    "~/.tccli/*.credential", "~/.config/yandex-cloud/config.yaml", "~/.mc/config.json",
    "~/.mcli/config.json", "~/.b2_account_info", "~/.config/b2/account_info", "~/.cf/config.json",
    "~/.config/mongodb/atlascli", "~/.config/atlascli", "~/.local/share/heroku",
    "~/.config/ngrok/ngrok.yml", "~/.ngrok2/ngrok.yml",
    "~/Library/Application Support/ngrok/ngrok.yml", "~/.config/configstore", "~/.config/firebase",
    # Clusters and machines
    "~/.config/argocd/config", "~/.argocd/config", "~/.pulumi/credentials.json",
    "~/.minikube/**/*.key", "~/.docker/contexts/tls", "~/.docker/trust/private",
    "~/.docker/machine", "~/.rancher/cli2.json", "~/.config/ocm/ocm.json", "~/.talos/config",
    "~/.nomad-token", "~/.consul-token", "~/.tsh", "~/.chef/*.pem", "~/.ansible/vault*",
    "~/.puppetlabs/**/private_keys", "/etc/puppetlabs/**/private_keys", "/etc/salt/pki",
    "/etc/chef/*.pem", "/etc/gitlab-runner/config.toml", "~/.gitlab-runner/config.toml",
    # Services
    "~/.gitcookies", "~/.config/tea/config.yml", "~/.circleci/cli.yml", "~/.travis/config.yml",
    "~/.sentryclirc", "~/.config/stripe/config.toml", "~/.twilio-cli/config.json", "~/.cdsapirc",
    "~/.ecmwfapirc", "~/.config/earthengine/credentials", "~/.jupyter/*_config.json",
    "~/.dbt/profiles.yml", "~/.snowflake/connections.toml", "~/.influxdbv2/configs",
    "~/.modal.toml", "~/.clearml.conf", "~/clearml.conf", "~/.comet.config",
    "~/.config/io.datasette.llm/keys.json", "~/.doppler/.doppler.yaml", "~/.infisical",
    "~/.newrelic", "~/.appstoreconnect", "~/.fastlane/spaceship", "~/.config/1Password",
    "~/.config/Bitwarden*", "~/.local/share/lpass", "~/.config/filezilla", "~/.vnc/passwd",
    "~/.remmina", "~/.local/share/remmina", "~/.lftprc", "~/.lftp/rc", "~/.msmtprc",
    "~/.config/msmtp/config", "~/.fetchmailrc", "~/.smbcredentials", "~/.davfs2/secrets",
    "/etc/davfs2/secrets", "~/.authinfo*",
    # Wallets, browsers, histories
    "~/.electrum", "~/.bitcoin/wallet.dat", "~/.ethereum/keystore*", "~/.config/solana/id.json",
    "Login Data*", "**/Default/Cookies", "**/Default/Network/Cookies", "**/Default/Web Data",
    "**/Profile 1/Cookies", "logins.json", "key3.db", "key4.db", "cookies.sqlite",
    "signons.sqlite", "~/.config/Signal", "~/.config/discord", "wallet.dat",
    "Cookies.binarycookies", "~/.bash_history", "~/.zsh_history", "~/.python_history",
    "~/.mysql_history", "~/.psql_history", "~/.node_repl_history", "~/.rediscli_history",
    "~/.sqlite_history", "~/.histfile", "~/.zhistory",
    # The system
    "/etc/shadow*", "/etc/gshadow*", "/etc/sudoers*", "/etc/krb5.keytab", "/tmp/krb5cc*",
    "/etc/security/opasswd",
    "/etc/master.passwd", "/etc/ssh/ssh_host_*_key", "/etc/ssl/private", "/etc/pki/tls/private",
    "/etc/wireguard", "/etc/openvpn/**/*.key", "/etc/ppp/chap-secrets",
    "/etc/letsencrypt/live/**/privkey*", "/etc/letsencrypt/archive/**/privkey*",
    "/etc/NetworkManager/system-connections", "/proc/*/environ", "/proc/*/mem", "/proc/kcore",
    "/dev/mem", "/dev/kmem", "/boot/System.map*", "/var/db/dslocal", "/private/var/db",
    # Handrail
    "~/.local/state/handrail/*token*",
)  # fmt: skip

NOT_SECRET = (
    "~/.ssh/*.pub", "~/.ssh/known_hosts*", "~/.ssh/config", "~/.ssh/authorized_keys",
    "~/.ssh/environment", "id_*.pub",
)  # fmt: skip

SECRET_FOLDERS = frozenset({
    "~/.aws", "~/.azure", "~/.config/gcloud", "~/.kube", "~/.config/BraveSoftware",
    "~/.config/google-chrome", "~/.config/chromium", "~/.mozilla", "~/.mozilla/firefox",
    "~/.docker", "~/.config/hcloud", "~/.config/stripe", "~/.config/ngrok", "~/.config/netlify",
    "~/.config/containers", "~/.config/composer", "~/.composer", "~/.config/pypoetry",
    "~/.config/argocd", "~/.minikube",
})  # fmt: skip
"""Folders that hold a secret besides other things: copying all of them copies it."""

WELL_KNOWN_SECRETS = (
    "~/.ssh/id_rsa", "~/.ssh/id_ed25519", "~/.aws/credentials", "~/.netrc", "~/.kube/config",
    "~/.docker/config.json", "~/.gnupg/secring.gpg", "~/.git-credentials", "~/.npmrc", "~/.pypirc",
    "~/.config/gcloud/application_default_credentials.json", "~/.config/gh/hosts.yml",
    "/etc/shadow", "/proc/1/environ",
)  # fmt: skip
"""Files that hold secrets on many machines, to see what wildcards could mean."""

ENV_FILES = (
    ".env", ".env.*", ".envrc", "secret.yml", "secret.yaml", "secret.json", "secret.toml",
    "secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.env", "credentials",
    "credentials.json", "credentials.yml", "credentials.yaml", "*.pem", "*.key", ".npmrc",
    ".pypirc", ".pgpass", "*.env",
)  # fmt: skip

NOT_ENV_FILES = (
    "*.example", "*.sample", "*.template", "*.dist", ".env.default*", ".env.test", ".env.ci",
    ".env.schema",
)  # fmt: skip

REGENERABLE = (
    # Dependencies
    "node_modules", "bower_components", ".venv", "venv", "virtualenv", "Pods", "wheelhouse",
    # Caches
    "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox", ".hypothesis",
    ".cache", ".parcel-cache", ".turbo", ".sass-cache", ".eslintcache", ".stylelintcache",
    ".ipynb_checkpoints", ".gradle", ".dart_tool", ".terraform", "*.tsbuildinfo",
    # Build output
    "dist", "build", "_build", "target", "out", ".next", ".nuxt", ".svelte-kit", ".angular",
    ".vite", ".webpack", ".docusaurus", ".eggs", "*.egg-info", "storybook-static", "DerivedData",
    "cmake-build-*", "CMakeFiles", "CMakeCache.txt", ".serverless", ".aws-sam", "bazel-*", "site",
    "*.pyc", "*.pyo", "*.o", "*.obj", "*.class", "*.dSYM",
    # Reports, logs, leftovers
    "coverage", "htmlcov", ".coverage", ".coverage.*", ".nyc_output", "junit.xml", "test-results",
    "playwright-report", "logs", "*.log", "*.tmp", "*.swp", "*.bak", "*~", "*.orig", "*.rej",
    "*.pid", "tmp", "temp", ".tmp", ".DS_Store", "Thumbs.db", "core", "core.*",
)  # fmt: skip
"""What a build, a test run or an editor makes again."""
