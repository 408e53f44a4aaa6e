"""Infrastructure as code: Terraform and its kin, Pulumi, CDK, and configuration management."""

from handrail.shell.tables.deep import deep
from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    KILL,
    LOW,
    MEDIUM,
    PRIVILEGE,
    PUBLISH,
    READ,
    SECRET,
    SYSTEM,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    aliases,
    program,
)

_TF_VALUES = " ".join(
    f"-{name} --{name}"
    for name in (
        "var", "var-file", "target", "replace", "out", "state", "state-out", "backup",
        "lock-timeout", "parallelism", "backend-config", "from-module", "plugin-dir", "chdir",
        "generate-config-out", "exclude", "platform", "test-directory", "filter", "provider",
    )
)  # fmt: skip
_TF_PLAN = "Show the plan and let the user apply it: `terraform plan`."
_APPROVED = "-auto-approve|--auto-approve"

_TF_FACTS = (
    Fact(DESTROY, "destroy", says="deletes all infrastructure of this configuration",
         instead="Preview it: `terraform plan -destroy`."),
    Fact(DESTROY, "apply -destroy|--destroy",
         says="deletes all infrastructure of this configuration",
         instead="Preview it: `terraform plan -destroy`."),
    Fact(CHANGE, f"apply {_APPROVED}", severity=HIGH,
         says="changes infrastructure without anyone having seen the plan", instead=_TF_PLAN),
    Fact(CHANGE, "apply", severity=MEDIUM, says="changes infrastructure"),
    Fact(DESTROY, "state rm", on="each", says="makes Terraform forget {target}",
         instead="Look first: `terraform state show {target}`."),
    Fact(DESTROY, "state push", on="1", says="overwrites the shared state with {target}",
         instead="Look first: `terraform state list`."),
    Fact(CHANGE, "state mv|replace-provider", severity=MEDIUM, says="rewrites the state"),
    Fact(SECRET, "state pull", severity=MEDIUM, on="state",
         says="prints the whole state, which may hold passwords"),
    Fact(DESTROY, "taint", on="1", says="marks {target} to be destroyed and made anew",
         instead="Preview it: `terraform plan -replace={target}`."),
    Fact(DESTROY, "force-unlock", says="breaks the lock of a run, perhaps an active one",
         instead="Wait for it with a time limit: `terraform plan -lock-timeout=5m`."),
    Fact(DESTROY, "workspace delete", on="1", says="deletes the workspace {target} with its state",
         instead="Look first: `terraform workspace list`."),
    Fact(CHANGE, "import|refresh|untaint", severity=MEDIUM, says="changes the state"),
    Fact(CHANGE, "init -force-copy|-migrate-state|--migrate-state|--force-copy", severity=MEDIUM,
         says="moves the state to another place"),
    Fact(SECRET, "output -raw|--raw|-json|--json", severity=LOW, on="outputs"),
    Fact(WRITE, "plan", on="-out|--out"),
    Fact(READ, on="-var-file|--var-file"),
)  # fmt: skip

_TERRAFORM = program(
    *_TF_FACTS,
    values=_TF_VALUES, single_dash=True, harmless="-help|--help|-h|-version|--version|-v",
    chdir="-chdir|--chdir", reader="terraform",
)  # fmt: skip

_UNASKED = "--terragrunt-non-interactive|--non-interactive|-auto-approve|--auto-approve"
_TERRAGRUNT = program(
    *_TF_FACTS,
    Fact(DESTROY, "run-all|run|stack destroy", says="deletes the infrastructure of every module",
         instead="Preview it: `terragrunt run-all plan -destroy`."),
    Fact(DESTROY, "destroy-all|stack-destroy", says="deletes the infrastructure of every module",
         instead="Preview it: `terragrunt run-all plan -destroy`."),
    Fact(DESTROY, "stack run destroy", says="deletes the infrastructure of every module",
         instead="Preview it: `terragrunt run-all plan -destroy`."),
    Fact(CHANGE, f"run-all|run|stack apply {_UNASKED}", severity=HIGH,
         says="changes the infrastructure of every module unseen",
         instead="Show the plan: `terragrunt run-all plan`."),
    Fact(CHANGE, f"apply|apply-all {_UNASKED}", severity=HIGH, says="changes infrastructure unseen",
         instead="Show the plan: `terragrunt plan`."),
    Fact(CHANGE, "run-all|run|stack apply", severity=MEDIUM),
    values=f"{_TF_VALUES} --terragrunt-working-dir --working-dir --terragrunt-config --config "
    "--terragrunt-log-level --log-level --terragrunt-source --queue-include-dir "
    "--terragrunt-include-dir --terragrunt-parallelism",
    single_dash=True, harmless="-help|--help|-h|--version|-v",
    chdir="--terragrunt-working-dir|--working-dir", reader="terraform",
)  # fmt: skip

_PULUMI_DESTROY = "deletes all infrastructure of the stack"
_ABSENT = "Preview it: add `--check --diff`."
_COMMANDS = "|".join(
    f"{option}={module}"
    for option in ("-m", "--module-name")
    for module in ("shell", "command", "raw", "*.shell", "*.command", "*.raw", "win_shell")
)
_ADHOC_VALUES = """
    -m --module-name -a --args -i --inventory --inventory-file -u --user -l --limit -f --forks
    -c --connection -e --extra-vars -T --timeout --private-key --key-file -B --background -P
    --poll -t --tree -M --module-path --become-method --become-user --vault-password-file
    --vault-id --playbook-dir --ssh-common-args --ssh-extra-args --scp-extra-args
"""
_PLAY_VALUES = """
    -i --inventory --inventory-file -u --user -l --limit -f --forks -c --connection -e
    --extra-vars -T --timeout --private-key --key-file -t --tags --skip-tags --start-at-task -M
    --module-path --become-method --become-user --vault-password-file --vault-id
    --ssh-common-args --ssh-extra-args --mode -m --pp -U --url -C --checkout -d --directory
"""
_UNDOING_PLAYS = "|".join(
    f"*{word}*.y*ml"
    for word in ("destroy", "teardown", "tear-down", "tear_down", "delete", "wipe", "purge",
                 "uninstall", "decommission", "nuke", "reset")
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "terraform": _TERRAFORM,
    **aliases("terraform", "tofu", "opentofu", "tf"),
    "terragrunt": _TERRAGRUNT,
    "tg": program(same_as="terragrunt"),
    "atmos": program(
        Fact(DESTROY, "terraform|helmfile destroy|clean", on="1",
             says="deletes the infrastructure of {target}",
             instead="Preview it: `atmos terraform plan {target}`."),
        Fact(CHANGE, "terraform deploy", severity=HIGH, on="1",
             says="changes the infrastructure of {target} unseen",
             instead="Show the plan: `atmos terraform plan {target}`."),
        Fact(CHANGE, f"terraform apply {_APPROVED}", severity=HIGH, on="1",
             says="changes the infrastructure of {target} unseen",
             instead="Show the plan: `atmos terraform plan {target}`."),
        Fact(CHANGE, "terraform|helmfile apply|sync", severity=MEDIUM),
        values="-s --stack --base-path --config", harmless="--help|-h|--dry-run",
    ),
    "terramate": program(wraps=(Wrapper(when="run"), Wrapper(when="script run"))),
    "terraspace": program(
        Fact(DESTROY, "down", says="deletes infrastructure", instead=_TF_PLAN),
        Fact(DESTROY, "all down", says="deletes all infrastructure", instead=_TF_PLAN),
        Fact(CHANGE, "up -y|--yes|--auto", severity=HIGH, says="changes infrastructure unseen",
             instead=_TF_PLAN),
        harmless="--help|-h",
    ),
    "cdktf": program(
        Fact(DESTROY, "destroy", says="deletes all infrastructure of the stack",
             instead="List it first: `cdktf diff`."),
        Fact(CHANGE, f"deploy {_APPROVED}", severity=HIGH, says="changes infrastructure unseen",
             instead="Show the plan: `cdktf diff`."),
        Fact(CHANGE, "deploy", severity=MEDIUM),
        values="-o --output -a --app -l --language", harmless="--help|-h",
    ),
    "pulumi": program(
        Fact(DESTROY, "destroy|down|dn", says=_PULUMI_DESTROY,
             instead="List it first: `pulumi stack`."),
        Fact(CHANGE, "up|update -y|--yes|-f|--skip-preview", severity=HIGH,
             says="changes infrastructure without anyone having seen the plan",
             instead="Show the plan: `pulumi preview --diff`."),
        Fact(CHANGE, "up|update|watch", severity=MEDIUM, says="changes infrastructure"),
        Fact(DESTROY, "stack rm", on="1", says="deletes the stack {target} with its history",
             instead="Look first: `pulumi stack ls`."),
        Fact(DESTROY, "state delete", on="1", says="makes Pulumi forget {target}",
             instead="Look first: `pulumi stack`."),
        Fact(DESTROY, "state unprotect", says="takes the protection from deletion away",
             instead="Look first: `pulumi stack`."),
        Fact(DESTROY, "stack import", says="overwrites the state of the stack",
             instead="Look first: `pulumi stack`."),
        Fact(DESTROY, "env|policy rm|remove|delete", on="1", says="deletes {target}",
             instead="Look first: `pulumi env ls`."),
        Fact(CHANGE, "state|refresh|cancel|import|stack", severity=LOW),
        Fact(CHANGE, "refresh|cancel|import", severity=MEDIUM),
        Fact(SECRET, "config|stack|up|preview --show-secrets", on="stack secrets",
             says="prints the secrets of the stack", instead="See the names: `pulumi config`."),
        Fact(SECRET, "config get", severity=LOW, on="1"),
        Fact(SECRET, "env open|get", on="1", says="prints the secrets of {target}",
             instead="List the names only: `pulumi env ls`."),
        values="-s --stack -C --cwd -m --message -p --parallel -t --target -r --replace -c "
        "--config --config-file --color -v --verbose --plan --save-plan --policy-pack --exclude "
        "--file",
        harmless="--help|-h|--preview-only", chdir="-C|--cwd",
        wraps=(Wrapper(when="env run", skip=1),),
    ),
    "esc": program(
        Fact(SECRET, "open|env", on="1", says="prints the secrets of {target}",
             instead="List the names only: `pulumi env ls`."),
        wraps=(Wrapper(when="run", skip=1),), harmless="--help|-h",
    ),
    "cdk": program(
        Fact(DESTROY, "destroy", on="each", says="deletes the stack {target}",
             instead="List it first: `cdk ls`."),
        Fact(CHANGE, "deploy|watch --require-approval=never", severity=HIGH,
             says="changes rights and infrastructure without asking",
             instead="Show the plan: `cdk diff`."),
        Fact(CHANGE, "deploy|bootstrap|rollback|import|gc|watch|refactor", severity=MEDIUM,
             says="changes infrastructure"),
        values="-a --app -c --context -p --plugin --profile -o --output --require-approval "
        "--outputs-file -t --tags --parameters -r --role-arn --toolkit-stack-name --build "
        "--change-set-name --concurrency -m --method",
        harmless="--help|-h|--version",
    ),
    "aws-cdk": program(same_as="cdk"),
    "cdktf-cli": program(same_as="cdktf"),
    "sst": program(
        Fact(DESTROY, "remove", says="deletes the application from the cloud",
             instead="Preview it: `sst diff`."),
        Fact(DESTROY, "secret|state remove|repair", severity=MEDIUM),
        Fact(CHANGE, "deploy|unlock|refresh", severity=MEDIUM),
        Fact(SECRET, "secret list", severity=MEDIUM),
        values="--stage --target --print-logs", harmless="--help|-h|--version",
        wraps=(Wrapper(when="shell"),),
    ),
    "alchemy": program(Fact(DESTROY, "destroy", instead="Look at `alchemy.run.ts` first.")),
    "packer": program(
        Fact(DESTROY, "build -force|--force", severity=MEDIUM, says="replaces older images"),
        Fact(CHANGE, "build", severity=LOW, says="builds a machine image"),
        values=_TF_VALUES, single_dash=True, harmless="-help|--help|-h|-version|--version",
    ),
    # configuration management
    "ansible": program(
        values=_ADHOC_VALUES, harmless="--help|-h|--version|--list-hosts|-C|--check",
        reader="ansible",
        wraps=(Wrapper(when=f"!@localhost|127.0.0.1 {_COMMANDS}", options="-a|--args",
                       where="elsewhere"),
               Wrapper(when=f"@localhost|127.0.0.1 {_COMMANDS}", options="-a|--args"),
               Wrapper(when="!@localhost|127.0.0.1 !-m|--module-name", options="-a|--args",
                       where="elsewhere"),
               Wrapper(when="@localhost|127.0.0.1 !-m|--module-name", options="-a|--args")),
    ),
    "ansible-playbook": program(
        Fact(CHANGE, severity=MEDIUM, says="changes all machines of the inventory"),
        Fact(DESTROY, "-e=*state=absent*|--extra-vars=*state=absent*|-e=*absent*",
             says="runs the playbook in its removing mode", instead=_ABSENT),
        Fact(DESTROY, f"@{_UNDOING_PLAYS}", on="each",
             says="runs {target}, which by its name takes things away", instead=_ABSENT),
        Fact(READ, on="each"),
        values=_PLAY_VALUES,
        harmless="--help|-h|--version|--check|-C|--syntax-check|--list-tasks|--list-hosts|"
        "--list-tags",
    ),
    "ansible-navigator": program(
        Fact(CHANGE, "run", severity=MEDIUM, says="changes all machines of the inventory"),
        values=_PLAY_VALUES, harmless="--help|-h|--check",
    ),
    "ansible-pull": program(
        Fact(UNSEEN, on="-U|--url", says="runs a playbook from {target} on this machine",
             instead="Get it and read it first: `git clone {target}`."),
        values=_PLAY_VALUES, harmless="--help|-h|--check|-C",
    ),
    "ansible-vault": program(
        Fact(SECRET, "view|decrypt", on="each", says="opens the secrets in {target}",
             instead="List the names only: `ansible-inventory "
             "--graph`."),
        Fact(WRITE, "decrypt|encrypt|rekey|edit|create", on="each"),
        Fact(SECRET, "edit|rekey", severity=MEDIUM, on="1"),
        values="--vault-password-file --vault-id --new-vault-password-file --output --name "
        "--encrypt-vault-id",
        harmless="--help|-h|--version",
    ),
    "ansible-galaxy": program(
        Fact(PUBLISH, "collection|role publish|import", severity=MEDIUM, on="1"),
        values="-r --role-file -p --roles-path --api-key --token -s --server",
        harmless="--help|-h|--version",
    ),
    "salt": program(
        Fact(KILL, "* system.reboot|system.halt|system.shutdown|system.poweroff", severity=HIGH,
             says="takes many machines down", instead="Look first: `salt '*' test.ping`."),
        Fact(DESTROY, "* file.remove|file.rmdir|user.delete|group.delete|disk.format*|lvm.*remove|"
             "mysql.db_remove|postgres.db_remove|pkg.purge", says="deletes things on many machines",
             instead="Look first: `salt '*' test.ping`."),
        Fact(CHANGE, "* state.apply|state.highstate|state.sls|pkg.*|service.*|file.*|user.*",
             severity=MEDIUM, says="changes many machines"),
        values="--out --output -t --timeout -b --batch-size -c --config-dir -u --username -p "
        "--password --subset",
        harmless="--help|-h|--version",
        wraps=(Wrapper(when="* cmd.*", form="shell", where="elsewhere"),),
    ),
    "salt-ssh": program(same_as="salt"),
    "salt-call": program(
        Fact(SYSTEM, "system.reboot|system.halt|system.shutdown|system.poweroff",
             says="takes this machine down", instead="Look first: `salt-call --local test.ping`."),
        Fact(CHANGE, "state.*|pkg.*|service.*|file.*|user.*", severity=MEDIUM),
        values="--out --output --config-dir -c --file-root --pillar-root",
        harmless="--help|-h|--version", wraps=(Wrapper(when="cmd.*", form="shell"),),
    ),
    "salt-key": program(
        Fact(DESTROY, "-D|--delete-all|-d|--delete", says="cuts machines off",
             instead="Look first: `salt-key -L`."),
        Fact(PRIVILEGE, "-A|--accept-all", says="admits every machine on request",
             instead="Look first: `salt-key -L`."),
        Fact(PRIVILEGE, "-a|--accept", severity=MEDIUM),
        harmless="--help|-h",
    ),
    "puppet": program(
        Fact(DESTROY, "apply -e=*absent*|--execute=*absent*|-e=*purged*|--execute=*purged*",
             says="deletes things on this machine", instead="Try it first: `puppet apply --noop`."),
        Fact(SYSTEM, "apply|agent", severity=MEDIUM, says="changes this machine"),
        Fact(DESTROY, "node|cert|ca purge|clean|deactivate|destroy|revoke", on="each",
             says="removes {target} from the management",
             instead="Look: `puppet node status NAME`."),
        Fact(DESTROY, "resource @ensure=absent", says="deletes something on this machine",
             instead="Look first: `puppet resource user`."),
        Fact(READ, "apply", on="1"),
        values="-e --execute --modulepath --hiera_config --logdest --environment --server "
        "--certname",
        harmless="--help|-h|--version|--noop",
    ),
    "puppetserver": program(
        Fact(DESTROY, "ca clean|revoke|delete|purge", says="cuts machines off",
             instead="Look first: `puppetserver ca list --all`."),
    ),
    "knife": program(
        *deep(DESTROY, "delete|purge", (1, 2), on="each", says="deletes {target} from Chef",
              instead="Look first: `knife node list`."),
        *deep(DESTROY, "bulk delete", (1, 2), on="each", says="deletes all matches of {target}",
              instead="Look first: `knife node list`."),
        Fact(CHANGE, "bootstrap|upload|cookbook|role|environment|data", severity=LOW),
        Fact(CHANGE, "bootstrap|upload", severity=MEDIUM),
        Fact(SECRET, "vault show", on="1", says="prints the secrets of {target}",
             instead="List the names only: `knife vault list`."),
        values="-c --config -E --environment -u --user -k --key -s --server-url -x --ssh-user -i "
        "--ssh-identity-file -a --attribute -C --concurrency -F --format -P --ssh-password",
        harmless="--help|-h|--version",
        wraps=(Wrapper(when="ssh|winrm", form="shell", where="elsewhere", skip=1),),
    ),
    "chef-client": program(
        Fact(SYSTEM, severity=MEDIUM, says="changes this machine"),
        harmless="--help|-h|--why-run|-W",
    ),
    "chef-run": program(
        Fact(CHANGE, severity=MEDIUM, says="changes other machines"),
        harmless="--help|-h",
    ),
    "nixops": program(
        Fact(DESTROY, "destroy|delete|delete-resources", says="deletes machines",
             instead="Look first: `nixops info`."),
        Fact(CHANGE, "deploy|reboot", severity=MEDIUM),
        values="-d --deployment -s --state", harmless="--help|--dry-run",
        wraps=(Wrapper(when="ssh", form="words", where="elsewhere", skip=1),),
    ),
    "kamal": program(
        Fact(DESTROY, "remove",
             says="removes the application, its data containers and images from all servers",
             instead="Look first: `kamal details`."),
        Fact(DESTROY, "app|accessory|proxy|traefik|registry remove",
             says="removes a part from all servers", instead="Look first: `kamal details`."),
        Fact(CHANGE, "deploy|redeploy|rollback|setup", severity=MEDIUM, says="deploys"),
        Fact(SECRET, "secrets print|fetch", on="app secrets", says="prints the secrets",
             instead="Look at the settings: `kamal config`."),
        values="-d --destination -h --hosts -r --roles -c --config-file --version",
        harmless="--help",
        wraps=(Wrapper(when="app|server exec", form="words", where="elsewhere"),
               Wrapper(when="accessory exec", form="words", where="elsewhere", skip=1)),
    ),
    "dokku": program(
        Fact(DESTROY, "*:destroy|*:clear-all|*:purge*", on="1",
             says="deletes {target} with its data", instead="Look first: `dokku apps:list`."),
        Fact(DESTROY, "config:unset|config:clear", on="2+", says="removes the setting {target}",
             instead="Look first: `dokku config:keys APP`."),
        Fact(DESTROY, "ps:scale @*=0", says="stops every copy of a process",
             instead="Look first: `dokku ps:report`."),
        Fact(KILL, "ps:stop|ps:restart|*:unlink|*:remove|*:stop", severity=MEDIUM),
        harmless="--help|-h", wraps=(Wrapper(when="run|enter", where="elsewhere", skip=1),),
    ),
    "databricks": program(
        Fact(DESTROY, "bundle destroy", says="deletes everything deployed by the bundle",
             instead="List it first: `databricks bundle summary`."),
        *deep(DESTROY, "delete|permanent-delete|delete-*|purge", (1, 2), on="1",
              says="deletes {target}", instead="Look first: `databricks clusters list`."),
        Fact(DESTROY, "fs rm", on="1", says="deletes {target}",
             instead="Look first: `databricks fs ls {target}`."),
        Fact(SECRET, "secrets get-secret", on="2", says="prints the secret {target}",
             instead="List the names only: `databricks secrets list-scopes`."),
        Fact(SECRET, "tokens create", on="access token", severity=MEDIUM),
        Fact(CHANGE, "bundle deploy|run", severity=MEDIUM),
        values="-p --profile -t --target -o --output --json",
        harmless="--help|-h|--version|--dry-run",
    ),
}  # fmt: skip
