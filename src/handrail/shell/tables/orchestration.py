"""Schedulers of machines and secrets (Nomad, Consul, Vault, Juju) and virtual machines."""

from handrail.shell.tables.deep import deep
from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    HIGH,
    KILL,
    LOW,
    MEDIUM,
    PRIVILEGE,
    SECRET,
    TAMPER,
    Fact,
    Program,
    Wrapper,
)

_HELP = "-h|-help|--help|-version|--version"
_HASHI = " ".join(
    f"-{name} --{name}"
    for name in ("address", "region", "namespace", "token", "ca-cert", "client-cert", "client-key",
                 "http-addr", "datacenter", "format", "field", "mount", "policy", "ttl", "id",
                 "versions", "version", "prefix-file", "stale-max", "task", "job", "deadline",
                 "scope-id", "addr", "cas", "output-curl-string-to")
)  # fmt: skip
_ASK = "Look first with `list` or `status`; leave it to the user."
_NO_VALUE = "See which there are, without the values: `vault kv list PATH`."
_KEEP_VM = "Keep it and stop it instead, or make a snapshot first; leave the deletion to the user."

PROGRAMS: dict[str, Program] = {
    "nomad": Program(
        values=_HASHI,
        single_dash=True,
        harmless=_HELP,
        wraps=(
            Wrapper(when="alloc exec", where="elsewhere", skip=1),
            Wrapper(when="exec", where="elsewhere", skip=1),
        ),
        facts=(
            Fact(DESTROY, "job stop -purge|--purge", on="1",
                 says="stops the job {target} and forgets it",
                 instead="Look first: `nomad job status {target}`."),
            Fact(DESTROY, "stop -purge|--purge", on="1",
                 says="stops the job {target} and forgets it",
                 instead="Look first: `nomad job status {target}`."),
            Fact(KILL, "job|alloc stop|restart|revert|scale", severity=MEDIUM),
            Fact(KILL, "stop", severity=MEDIUM),
            Fact(DESTROY, "node drain -enable|--enable", says="throws all work off a node",
                 instead="Look first: `nomad node status`."),
            Fact(DESTROY, "system gc|reconcile", severity=MEDIUM),
            Fact(DESTROY, "namespace|volume|quota|node-pool|sentinel delete|deregister", on="1",
                 says="deletes {target}", instead=_ASK),
            Fact(DESTROY, "acl * delete", on="1", says="deletes {target}", instead=_ASK),
            Fact(DESTROY, "var purge", on="1", says="deletes the variable {target}",
                 instead="Look first: `nomad var list`."),
            Fact(SECRET, "var get", on="1", says="prints the variable {target}",
                 instead="See which there are: `nomad var list`."),
            Fact(DESTROY, "operator raft|snapshot|root remove-peer|restore",
                 says="changes the cluster by force", instead="Look: `nomad server members`."),
            Fact(CHANGE, "job run|dispatch|promote", severity=MEDIUM),
            Fact(CHANGE, "run", severity=MEDIUM),
        ),
    ),
    "consul": Program(
        values=_HASHI,
        single_dash=True,
        harmless=_HELP,
        wraps=(
            Wrapper(when="exec", form="words", where="elsewhere"),
            Wrapper(when="lock", skip=1),
        ),
        facts=(
            Fact(DESTROY, "kv delete -recurse|--recurse", on="1",
                 says="deletes every key below {target}",
                 instead="Look first: `consul kv get -keys {target}`."),
            Fact(DESTROY, "kv delete !-recurse|--recurse", on="1", severity=MEDIUM),
            Fact(DESTROY, "leave|force-leave", says="takes a machine out of the cluster",
                 instead="Look first: `consul members`."),
            Fact(DESTROY, "snapshot restore", on="1", says="replaces the whole state with {target}",
                 instead="Look at it first: `consul snapshot inspect {target}`."),
            Fact(DESTROY, "config|namespace|partition|peering delete", says="deletes settings",
                 instead="Look first: `consul config list -kind service-defaults`."),
            Fact(DESTROY, "acl * delete", says="deletes rights",
                 instead="Look: `consul acl policy list`."),
            Fact(DESTROY, "services deregister", says="takes a service out of the catalogue",
                 instead="Look first: `consul catalog services`."),
            Fact(DESTROY, "operator raft remove-peer", says="takes a server out by force",
                 instead="Look first: `consul operator raft list-peers`."),
            Fact(CHANGE, "intention|maint|kv|reload delete|put|import|-enable", severity=LOW),
            Fact(SECRET, "acl bootstrap|token", severity=MEDIUM, on="access token"),
        ),
    ),
    "vault": Program(
        values=_HASHI,
        single_dash=True,
        harmless=_HELP,
        facts=(
            Fact(SECRET, "kv get", on="1", says="prints the secret {target}", instead=_NO_VALUE),
            Fact(SECRET, "read !@sys/*", on="1", says="prints the secret {target}",
                 instead=_NO_VALUE),
            Fact(SECRET, "unwrap", says="prints a wrapped secret", instead=_NO_VALUE),
            Fact(SECRET, "print token", on="access token", says="prints the access token",
                 instead="See what it may do: `vault token lookup`."),
            Fact(SECRET, "token create -policy=root|--policy=root", on="access token",
                 says="makes a key that may do anything",
                 instead="Make one with few rights: `vault token create -policy=NAME`."),
            Fact(SECRET, "token create", severity=MEDIUM, on="access token"),
            Fact(SECRET, "operator init|generate-root|rekey",
                 says="makes or prints the master keys",
                 instead="Look first: `vault status`."),
            Fact(DESTROY, "delete", on="1", says="deletes {target}",
                 instead="Look: `vault list PATH`."),
            Fact(DESTROY, "kv delete|destroy", on="1", says="deletes the secret {target}",
                 instead="Look first: `vault kv metadata get {target}`."),
            Fact(DESTROY, "kv metadata delete", on="1",
                 says="deletes {target} with all its versions",
                 instead="Look first: `vault kv metadata get {target}`."),
            Fact(DESTROY, "secrets|auth disable", on="1", says="deletes everything below {target}",
                 instead="Look first: `vault secrets list`."),
            Fact(DESTROY, "lease|token revoke !-self|--self",
                 says="takes access away from running programs",
                 instead="Look first: `vault token lookup`."),
            Fact(DESTROY, "policy|namespace delete", on="1", says="deletes {target}",
                 instead="Look first: `vault policy list`."),
            Fact(DESTROY, "operator seal", says="closes the vault for everyone",
                 instead="Look first: `vault status`."),
            Fact(DESTROY, "operator raft remove-peer", says="takes a server out of the cluster",
                 instead="Look first: `vault operator raft list-peers`."),
            Fact(DESTROY, "operator raft snapshot restore",
                 says="replaces everything with a snapshot",
                 instead="Look first: `vault status`."),
            Fact(TAMPER, "audit disable", on="1", says="stops the record {target} of who read what",
                 instead="Look first: `vault audit list`."),
            Fact(PRIVILEGE, "policy write", severity=MEDIUM, says="changes who may do what"),
            Fact(CHANGE, "write|kv|login|secrets|auth|operator", severity=LOW),
            Fact(CHANGE, "write", severity=MEDIUM),
            Fact(CHANGE, "operator step-down", severity=MEDIUM),
        ),
    ),
    "bao": Program(same_as="vault"),
    "boundary": Program(
        values=_HASHI,
        single_dash=True,
        harmless=_HELP,
        facts=(
            *deep(DESTROY, "delete", (1, 2), says="deletes something from Boundary",
                  instead="Look first: `boundary targets list`."),
            Fact(SECRET, "targets authorize-session", severity=MEDIUM),
        ),
    ),
    "waypoint": Program(
        single_dash=True,
        harmless=_HELP,
        facts=(
            Fact(DESTROY, "destroy", says="takes the application down", instead=_ASK),
            Fact(DESTROY, "project destroy", says="deletes the project", instead=_ASK),
            Fact(DESTROY, "server uninstall", says="removes the server", instead=_ASK),
            Fact(CHANGE, "up|deploy|release", severity=MEDIUM),
        ),
    ),
    "juju": Program(
        values="-m --model -c --controller --format -o --output --to --channel --config -n",
        harmless="--help|-h|--version|--dry-run",
        wraps=(
            Wrapper(when="ssh", form="words", where="elsewhere", skip=1),
            Wrapper(when="exec", form="words", where="elsewhere"),
        ),
        facts=(
            Fact(DESTROY, "destroy-*|kill-controller|remove-application|remove-machine|remove-unit|"
                 "remove-storage|remove-cloud|remove-user|unregister|detach-storage", on="each",
                 says="removes {target}", instead="Look first: `juju status`."),
            Fact(CHANGE, "deploy|refresh|upgrade-*|remove-relation|config|integrate",
                 severity=MEDIUM),
        ),
    ),
    # virtual machines
    "virsh": Program(
        values="-c --connect -l --log --pool --domain --snapshotname --network",
        harmless="--help|-h|--version|-v|-V",
        facts=(
            Fact(DESTROY, "undefine|vol-delete|vol-wipe|pool-delete|net-undefine|pool-undefine|"
                 "snapshot-delete|checkpoint-delete|secret-undefine", on="1",
                 says="deletes {target}",
                 instead=_KEEP_VM),
            Fact(KILL, "destroy|pool-destroy|reset", severity=HIGH, on="1",
                 says="cuts {target} off without letting it shut down",
                 instead="Let it shut down: `virsh shutdown {target}`."),
            Fact(KILL, "shutdown|reboot|suspend|managedsave*|net-destroy|snapshot-revert|save",
                 severity=MEDIUM),
            Fact(SECRET, "secret-get-value", on="1",
                 instead="See which there are: `virsh secret-list`."),
        ),
    ),
    "vboxmanage": Program(
        harmless="--help|-h|--version",
        facts=(
            Fact(DESTROY, "unregistervm --delete|--delete-all", on="1",
                 says="deletes the machine {target} with its disks", instead=_KEEP_VM),
            Fact(DESTROY, "closemedium --delete", says="deletes a disk", instead=_KEEP_VM),
            Fact(DESTROY, "closemedium disk|dvd --delete", says="deletes a disk", instead=_KEEP_VM),
            Fact(KILL, "controlvm * poweroff|reset|savestate", severity=MEDIUM),
            Fact(DESTROY, "snapshot * delete|restore", severity=MEDIUM),
        ),
    ),
    "vboxheadless": Program(),
    "vagrant": Program(
        values="-c --command --provider --name --box-version --provision-with",
        harmless="--help|-h|--version",
        wraps=(Wrapper(when="ssh|winrm", options="-c|--command", where="elsewhere"),),
        facts=(
            Fact(DESTROY, "destroy", says="deletes virtual machines with everything in them",
                 instead="Keep them and stop them: `vagrant halt`."),
            Fact(DESTROY, "box|snapshot remove|prune|delete|restore|pop", severity=MEDIUM),
            Fact(KILL, "halt|suspend|reload", severity=LOW),
        ),
    ),
    "qm": Program(
        harmless="--help|-h",
        wraps=(Wrapper(when="guest exec", where="elsewhere", skip=1),),
        facts=(
            Fact(DESTROY, "destroy|unlink", on="1",
                 says="deletes the machine {target} with its disks",
                 instead="Look first: `qm config {target}`."),
            Fact(KILL, "stop|reset|rollback|delsnapshot|shutdown|reboot|suspend", severity=MEDIUM),
        ),
    ),
    "pct": Program(
        harmless="--help|-h",
        wraps=(Wrapper(when="exec", where="elsewhere", skip=1),),
        facts=(
            Fact(DESTROY, "destroy", on="1", says="deletes the container {target} with its disks",
                 instead="Look first: `pct config {target}`."),
            Fact(KILL, "stop|rollback|delsnapshot|shutdown|reboot|suspend", severity=MEDIUM),
        ),
    ),
    "pvesm": Program(
        facts=(
            Fact(DESTROY, "free|remove|prune-backups", on="1", says="deletes {target}",
                 instead="Look first: `pvesm list local`."),
        ),
    ),
    "pvesh": Program(
        facts=(
            Fact(DESTROY, "delete", on="1", says="deletes {target}",
                 instead="Look first: `pvesh get {target}`."),
            Fact(CHANGE, "create|set", severity=MEDIUM),
        ),
    ),
    "pveum": Program(
        facts=(Fact(PRIVILEGE, severity=MEDIUM), Fact(DESTROY, "* delete", instead=_ASK)),
        harmless="--help",
    ),
    "proxmox-backup-client": Program(
        values="--repository --ns --backup-id --backup-type --keyfile",
        harmless="--help|-h|--dry-run",
        facts=(
            Fact(DESTROY, "forget|prune", on="1", says="deletes backups ({target})",
                 instead="Look first: `proxmox-backup-client list`."),
            Fact(DESTROY, "snapshot|namespace forget|delete", on="1",
                 says="deletes backups ({target})",
                 instead="Look first: `proxmox-backup-client list`."),
        ),
    ),
    "govc": Program(
        harmless="--help|-h|-help",
        single_dash=True,
        values="-u -dc -ds -host -vm -k -json-path -vm.ip -on-host",
        facts=(
            Fact(DESTROY, "*.destroy|*.rm|*.remove|*.delete|object.destroy|*.unregister", on="each",
                 says="deletes {target}", instead="Look first: `govc ls`."),
            Fact(KILL, "vm.power -off|-reset|-r", severity=HIGH, on="each",
                 says="cuts {target} off without letting it shut down",
                 instead="Let it shut down: `govc vm.power -s {target}`."),
            Fact(KILL, "vm.power|host.shutdown|host.maintenance.enter|snapshot.revert",
                 severity=MEDIUM),
        ),
    ),
    "esxcli": Program(
        facts=(
            Fact(KILL, "vm process kill", severity=HIGH, says="cuts a machine off",
                 instead="Look first: `esxcli vm process list`."),
            Fact(DESTROY, "storage * remove|delete|unmount", says="takes storage away",
                 instead="Look first: `esxcli storage filesystem list`."),
        ),
    ),
    "vim-cmd": Program(
        facts=(
            Fact(DESTROY, "vmsvc/destroy|vmsvc/unregister", on="1",
                 says="deletes the machine {target}",
                 instead="Look first: `vim-cmd vmsvc/getallvms`."),
            Fact(KILL, "vmsvc/power.off|vmsvc/power.reset", severity=MEDIUM),
        ),
    ),
    "xe": Program(
        facts=(
            Fact(DESTROY, "*-destroy|*-uninstall|*-forget", says="deletes a machine or a disk",
                 instead="Look first: `xe vm-list`."),
            Fact(KILL, "vm-shutdown|vm-reboot|host-*", severity=MEDIUM),
        ),
    ),
    "vmrun": Program(
        values="-T -h -u -p -gu -gp -vp",
        facts=(
            Fact(DESTROY, "deleteVM|deleteSnapshot", on="1", says="deletes {target}",
                 instead="Look first: `vmrun list`."),
            Fact(KILL, "stop|reset|revertToSnapshot", severity=MEDIUM),
        ),
    ),
    "prlctl": Program(
        facts=(
            Fact(DESTROY, "delete|destroy", on="1", says="deletes the machine {target}",
                 instead=_KEEP_VM),
            Fact(KILL, "stop|reset", severity=MEDIUM),
        ),
        wraps=(Wrapper(when="exec", where="elsewhere", skip=1),),
    ),
    "tart": Program(
        facts=(
            Fact(DESTROY, "delete|prune", on="each", says="deletes the machine {target}",
                 instead="Look first: `tart list`."),
        ),
    ),
    "utmctl": Program(
        facts=(
            Fact(DESTROY, "delete", on="1", says="deletes the machine {target}",
                 instead="Look first: `utmctl list`."),
        ),
    ),
    "openshift-install": Program(
        facts=(
            Fact(DESTROY, "destroy", says="deletes the cluster", instead="Look: `oc get nodes`."),
        ),
    ),
    "rosa": Program(
        harmless="--help|-h|--dry-run",
        facts=(
            Fact(DESTROY, "delete|uninstall", on="1", says="deletes a {target}",
                 instead="Look first: `rosa list clusters`."),
        ),
    ),
    "hammer": Program(
        harmless="--help|-h",
        facts=(
            *deep(DESTROY, "delete|destroy|purge", (1, 2), says="deletes something from Foreman",
                  instead="Look first: `hammer host list`."),
        ),
    ),
}  # fmt: skip
