"""Around Kubernetes: delivery, meshes, backups, and the tools that make and end clusters."""

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
    WRITE,
    Fact,
    Program,
    Wrapper,
    program,
)

_HELP = "--help|-h|--dry-run"
_CLUSTER = "Look first: `kubectl get nodes`; leave the end of a cluster to the user."
_APPS = "Look first: `kubectl get all -A`; leave the removal to the user."
_LOCAL = "deletes a local test cluster"

_UNINSTALLER = program(
    Fact(DESTROY, says="removes Kubernetes from this machine with all its data", instead=_CLUSTER),
)  # fmt: skip

_KUBE_OPTIONS = "-n --namespace --context --kubeconfig --kube-context --timeout -o --output"


def _uninstalls(verbs: str, says: str, values: str = "") -> Program:
    """A tool that keeps something in a cluster and can take it all out again."""
    return program(
        Fact(DESTROY, verbs, says=says, instead=_APPS),
        values=f"{_KUBE_OPTIONS} {values}", harmless=_HELP,
    )  # fmt: skip


PROGRAMS: dict[str, Program] = {
    # delivery
    "argocd": program(
        Fact(DESTROY, "app|appset|proj|project delete|delete-resource|rm", on="1",
             says="deletes {target} and everything deployed by it",
             instead="Look first: `argocd app get {target}`."),
        Fact(DESTROY, "cluster|repo|repocreds rm|remove|delete", on="1",
             says="makes Argo CD forget {target}", instead="Look first: `argocd cluster list`."),
        Fact(DESTROY, "app sync --force|--replace", on="1",
             says="deletes and recreates objects of {target}",
             instead="Look first: `argocd app diff {target}`."),
        Fact(CHANGE, "app sync|rollback|terminate-op|set|unset|patch|patch-resource|actions",
             severity=MEDIUM, on="1"),
        Fact(SECRET, "admin initial-password", on="admin password",
             says="prints the first password of the administrator",
             instead="Look at your own rights: `argocd account can-i get applications '*'`."),
        Fact(SECRET, "account generate-token", on="access token", says="prints an access token",
             instead="Look at your own rights: `argocd account get-user-info`."),
        Fact(SECRET, "account update-password", severity=MEDIUM, on="account password"),
        Fact(SECRET, "login --password", severity=MEDIUM, on="account password"),
        values="--server --auth-token --grpc-web-root-path --config -H --header --core-namespace "
        "--kube-context --argocd-context -N --app-namespace --project -o --output -l --selector "
        "--revision --resource --name --cluster --dest-namespace --username --password",
        harmless=_HELP,
    ),
    "flux": program(
        Fact(DESTROY, "uninstall", says="removes Flux from the cluster", instead=_APPS),
        Fact(DESTROY, "delete", on="last", says="deletes {target} and everything deployed by it",
             instead="Look first: `flux get all`."),
        Fact(CHANGE, "suspend", severity=MEDIUM, says="stops deliveries"),
        Fact(CHANGE, "bootstrap", severity=MEDIUM),
        Fact(CHANGE, "reconcile|resume|create", severity=LOW),
        values=f"{_KUBE_OPTIONS} --source --path --url --branch --interval --export",
        harmless=f"{_HELP}|--export",
    ),
    "argo": program(
        Fact(DESTROY, "delete --all|--older|-l|--selector|--completed", says="deletes workflows",
             instead="Look first: `argo list`."),
        Fact(DESTROY, "delete|stop|terminate", severity=MEDIUM),
        Fact(CHANGE, "submit|retry|resubmit", severity=LOW),
        values=f"{_KUBE_OPTIONS} -l --selector --older --field-selector", harmless=_HELP,
    ),
    "kapp": program(
        Fact(DESTROY, "delete|app-group", on="-a|--app", says="deletes {target} from the cluster",
             instead="Look first: `kapp inspect -a {target}`."),
        Fact(CHANGE, "deploy", severity=MEDIUM),
        values=f"{_KUBE_OPTIONS} -a --app -f --file", harmless="--help|-h|--diff-run",
    ),
    "skaffold": program(
        Fact(DESTROY, "delete", severity=MEDIUM),
        Fact(CHANGE, "run|dev|apply|deploy"),
        harmless="--help|-h",
        values="-f --filename -p --profile -n --namespace --kube-context -d --default-repo",
    ),
    "tilt": program(Fact(DESTROY, "down", severity=MEDIUM), harmless="--help|-h"),
    "werf": program(
        Fact(DESTROY, "dismiss|purge", says="removes the release and its images",
             instead="Look first: `helm list`."),
        Fact(DESTROY, "cleanup", severity=MEDIUM),
        Fact(CHANGE, "converge", severity=MEDIUM),
        harmless=_HELP,
    ),
    "okteto": program(
        Fact(DESTROY, "destroy -v|--volumes", says="deletes the environment with its data",
             instead="Keep the data: `okteto down`."),
        Fact(DESTROY, "destroy", severity=MEDIUM),
        Fact(DESTROY, "namespace|preview delete|destroy", on="1", says="deletes {target}",
             instead="Look first: `okteto namespace list`."),
        harmless="--help|-h",
    ),
    "devspace": program(Fact(DESTROY, "purge|reset", severity=MEDIUM)),
    "kn": program(
        Fact(DESTROY, "service|revision|route|broker|trigger|source|* delete", on="each",
             says="deletes {target}", instead="Look first: `kn service list`."),
        values=_KUBE_OPTIONS, harmless=_HELP,
    ),
    "tkn": program(
        Fact(DESTROY, "* delete --all|--keep|--keep-since|-f|--force",
             says="deletes records of runs", instead="Look first: `tkn pipelinerun list`."),
        Fact(DESTROY, "* delete|cancel", severity=MEDIUM),
        values=_KUBE_OPTIONS, harmless="--help|-h",
    ),
    # what lives in a cluster
    "istioctl": _uninstalls("uninstall", "removes the service mesh from the cluster",
                            "-f --filename --set --revision -r"),
    "linkerd": program(values=_KUBE_OPTIONS),
    "cilium": _uninstalls("uninstall", "removes the cluster's network"),
    "consul-k8s": _uninstalls("uninstall", "removes Consul from the cluster with its data"),
    "operator-sdk": _uninstalls("cleanup", "removes an operator with its objects"),
    "crossplane": _uninstalls("uninstall", "removes Crossplane from the cluster"),
    "velero": program(
        Fact(DESTROY, "backup|restore|schedule|backup-location|snapshot-location delete",
             says="deletes backups", instead="Look first: `velero backup get`."),
        Fact(DESTROY, "delete", says="deletes backups", instead="Look first: `velero backup get`."),
        Fact(DESTROY, "uninstall", says="removes the backups' keeper from the cluster",
             instead="Look first: `velero backup get`."),
        Fact(CHANGE, "restore create", severity=MEDIUM),
        Fact(CHANGE, "schedule pause", severity=MEDIUM),
        values=_KUBE_OPTIONS + " --from-backup --include-namespaces --selector -l", harmless=_HELP,
    ),
    "etcdctl": program(
        Fact(DESTROY, "del", on="1", says="deletes {target} from the cluster's database",
             instead="Look first: `etcdctl get {target} --prefix --keys-only`."),
        Fact(DESTROY, "rm|rmdir", on="1", says="deletes {target} from the database",
             instead="Look first: `etcdctl get {target} --keys-only`."),
        Fact(DESTROY, "member remove", on="1", says="takes the member {target} out of the cluster",
             instead="Look first: `etcdctl member list`."),
        Fact(DESTROY, "user|role delete", on="1", says="deletes {target}",
             instead="Look first: `etcdctl user list`."),
        Fact(PRIVILEGE, "auth disable", says="switches the login off",
             instead="Look first: `etcdctl auth status`."),
        Fact(SECRET, "get @/registry/secrets*", says="reads the cluster's secrets",
             instead="See the names: `kubectl get secrets`."),
        Fact(CHANGE, "defrag|compaction|compact|snapshot restore|move-leader|put", severity=MEDIUM),
        Fact(WRITE, "snapshot save", on="1"),
        values="--endpoints --cacert --cert --key --user --password --command-timeout "
        "--dial-timeout -w --write-out --data-dir --name --initial-cluster",
        harmless="--help|-h|--version",
    ),
    # making and ending clusters
    "kubeadm": program(
        Fact(DESTROY, "reset", says="takes this machine out of its cluster and deletes its data",
             instead=_CLUSTER),
        Fact(SECRET, "token create|generate", severity=MEDIUM, on="join token"),
        Fact(CHANGE, "init|join|upgrade", severity=MEDIUM),
        values="--config --kubeconfig --token --cri-socket --cert-dir --v -v", harmless=_HELP,
    ),
    "kind": program(
        Fact(DESTROY, "delete", severity=MEDIUM, says=_LOCAL),
        values="--name --kubeconfig --config --image", harmless="--help|-h",
    ),
    "k3d": program(
        Fact(DESTROY, "* delete|del|rm", severity=MEDIUM, says=_LOCAL),
        harmless="--help|-h",
    ),
    "minikube": program(
        Fact(DESTROY, "delete", severity=MEDIUM, says=_LOCAL),
        posix=True, values="-p --profile -v --v --alsologtostderr", harmless="--help|-h",
        wraps=(Wrapper(when="ssh", form="words", where="elsewhere"), Wrapper(when="@kubectl")),
    ),
    "k3s": program(
        Fact(DESTROY, "secrets-encrypt rotate-keys|disable", severity=MEDIUM),
        Fact(DESTROY, "etcd-snapshot delete|prune", says="deletes snapshots of the cluster",
             instead="Look first: `k3s etcd-snapshot ls`."),
        posix=True, wraps=(Wrapper(when="@kubectl|crictl|ctr"),),
    ),
    "microk8s": program(
        Fact(DESTROY, "reset|uninstall", says="deletes everything in the local cluster",
             instead="Look first: `microk8s status`."),
        Fact(DESTROY, "remove-node|leave", says="takes a machine out of the cluster",
             instead="Look first: `microk8s kubectl get nodes`."),
        Fact(KILL, "stop", severity=MEDIUM),
        Fact(CHANGE, "disable", severity=MEDIUM),
        posix=True, wraps=(Wrapper(when="@kubectl|helm|helm3|istioctl|linkerd|ctr"),),
    ),
    "k3s-uninstall.sh": _UNINSTALLER,
    "k3s-agent-uninstall.sh": _UNINSTALLER,
    "rke2-uninstall.sh": _UNINSTALLER,
    "k3s-killall.sh": program(
        Fact(KILL, severity=HIGH, says="ends every container and service of the cluster here",
             instead=_CLUSTER),
    ),
    "rke2-killall.sh": program(same_as="k3s-killall.sh"),
    "k0s": _uninstalls("reset", "removes Kubernetes from this machine with all its data"),
    "rke": program(
        Fact(DESTROY, "remove", says="deletes the cluster", instead=_CLUSTER),
        Fact(CHANGE, "up|etcd", severity=MEDIUM),
        values="--config --ssh-agent-auth", harmless="--help|-h",
    ),
    "eksctl": program(
        Fact(DESTROY, "delete|drain", on="1", says="deletes or empties a {target}",
             instead="Look first: `eksctl get cluster`."),
        Fact(DESTROY, "scale --nodes=0", says="takes away every node", instead=_CLUSTER),
        Fact(CHANGE, "create|upgrade|update|scale|set|unset|enable|disable", severity=MEDIUM),
        values="-r --region -p --profile -n --name --cluster -f --config-file --timeout -v "
        "--verbose --nodegroup-name",
        harmless="--help|-h",
    ),
    "kops": program(
        Fact(DESTROY, "delete -y|--yes", says="deletes the cluster or a part of it",
             instead="Without `--yes` it shows a preview: `kops delete cluster NAME`."),
        Fact(DESTROY, "delete !-y|--yes @secret|instancegroup|instance", severity=MEDIUM),
        Fact(CHANGE, "rolling-update|update|replace|edit", severity=MEDIUM),
        Fact(SECRET, "get secrets", severity=MEDIUM),
        Fact(SECRET, "export kubeconfig|kubecfg --admin", severity=MEDIUM),
        values="--name --state --config --kubeconfig -v", harmless="--help|-h",
    ),
    "talosctl": program(
        Fact(DESTROY, "reset|wipe", says="erases machines of the cluster", instead=_CLUSTER),
        Fact(KILL, "reboot|shutdown", severity=HIGH, says="takes machines of the cluster down",
             instead="Look first: `talosctl health`."),
        Fact(DESTROY, "cluster destroy", severity=MEDIUM, says=_LOCAL),
        Fact(DESTROY, "etcd leave|remove-member|forfeit-leadership",
             says="takes a member out of the cluster's database",
             instead="Look first: `talosctl etcd members`."),
        Fact(CHANGE, "upgrade|upgrade-k8s|apply-config|apply|patch|edit|rollback", severity=MEDIUM),
        values="-n --nodes -e --endpoints --context --talosconfig --system-labels-to-wipe "
        "--user-disks-to-wipe --wipe-mode -f --file -i --image",
        harmless="--help|-h|--dry-run",
    ),
    "clusterctl": program(
        Fact(DESTROY, "delete", says="removes the manager of the clusters", instead=_CLUSTER),
        Fact(CHANGE, "init|move|upgrade", severity=MEDIUM),
        Fact(SECRET, "get kubeconfig", severity=MEDIUM),
        values=_KUBE_OPTIONS, harmless=_HELP,
    ),
    "vcluster": program(
        Fact(DESTROY, "delete|rm", on="1", says="deletes the cluster {target}",
             instead="Look first: `vcluster list`."),
        values=_KUBE_OPTIONS, harmless="--help|-h", wraps=(Wrapper(when="connect", skip=1),),
    ),
    "rancher": program(
        Fact(DESTROY, "delete|rm", on="each", says="deletes {target}",
             instead="Look first: `rancher clusters ls`."),
        Fact(DESTROY, "* delete|rm", on="each", says="deletes {target}",
             instead="Look first: `rancher clusters ls`."),
        harmless="--help|-h", wraps=(Wrapper(when="@kubectl"),),
    ),
    "kubectx": program(
        Fact(CHANGE, "-d", severity=MEDIUM, says="forgets a cluster"),
        Fact(CHANGE, "@*", severity=LOW, says="makes kubectl talk to another cluster"),
    ),
    "kubie": program(posix=True, wraps=(Wrapper(when="exec", skip=2),)),
    "kustomize": program(
        Fact(WRITE, "edit", on="kustomization.yaml"),
        Fact(READ, "build", on="1"),
        harmless="--help|-h",
    ),
    "kubeseal": program(
        Fact(SECRET, "--recovery-unseal", says="opens sealed secrets",
             instead="Seal a new value instead: `kubeseal --format yaml`."),
        Fact(READ, on="-f|--secret-file"),
        Fact(WRITE, on="-w"),
        values="--controller-namespace --controller-name --cert -f --secret-file -w -o --format",
    ),
    "ko": program(
        Fact(PUBLISH, "build|publish|resolve", severity=MEDIUM),
        Fact(CHANGE, "apply|create", severity=MEDIUM),
        Fact(DESTROY, "delete", says="deletes the objects in the files", instead=_APPS),
        harmless="--help|-h|--local|-L",
    ),
}  # fmt: skip
