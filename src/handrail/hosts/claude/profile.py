"""The profile of Claude Code."""

from handrail.model.host import HostProfile, LaunchOptions

PROFILE = HostProfile(
    name="claude",
    title="Claude Code",
    program="claude",
    folder=".claude",
    folder_variable="CLAUDE_CONFIG_DIR",
    settings_files=("settings.json", "settings.local.json"),
    settings_glob="settings*.json",
    hook_folders=("plugins", "hooks"),
    files_beside=(".claude.json",),
    system_folders=("/etc/claude-code", "/Library/Application Support/ClaudeCode"),
    private=(
        "~/.config/claude", "~/.config/Claude", "~/.config/claude-code",
        "~/Library/Application Support/Claude", "**/.claude/hooks",
    ),
    notes=("~/.claude/plans", "~/.claude/projects/*/memory"),
    credentials=("~/.claude/.credentials.json",),
    instruction_folders=(".claude", ".claude-plugin"),
    off_variables=("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"),
    path_variables=("CLAUDE_ENV_FILE", "CLAUDE_CONFIG_DIR"),
    settings_variables=("CLAUDE_CODE_MANAGED_SETTINGS_PATH",),
    agent_variables=("CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"),
    session_variable="CLAUDE_CODE_SESSION_ID",
    program_path=r"/claude/versions/[^/]+$",  # its own installer names the file by the version
    program_files=(
        "~/.local/bin/claude", "~/.claude/local/claude", "~/.local/share/claude/versions/*",
        "/usr/local/bin/claude", "/opt/homebrew/bin/claude",
    ),
    program_script=(
        r"(?:^|[/:])claude-code(?:@[^/]*)?(?:/(?:bin/)?(?:cli|claude|cli-wrapper)(?:\.[cm]?js)?)?$"
    ),
    launch=LaunchOptions(
        off=("--bare", "--safe-mode"),
        settings="--settings",
        tools="--mcp-config",
        settings_keys=frozenset({
            "disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization", "hooks",
            "env",
        }),
        sources="--setting-sources",
        all_sources=frozenset({"user", "project", "local"}),
        texts=("--append-system-prompt", "--system-prompt"),
        instead="Start it with the settings there are: `claude --permission-mode plan -p 'look'`.",
    ),
    client="handrail-hook",
    resume="claude --resume {run}",
    # It goes back only without a terminal; the command in this call asks no model.
    resume_at="claude -p --resume {session} --resume-session-at {message} --fork-session"
    " --session-id {copy} '/rename back-at-{checkpoint}' && claude --resume {copy}",
    recordings="~/.claude",
    pipeline_step="claude_code",
)  # fmt: skip
