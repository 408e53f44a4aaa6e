"""kubectl, oc and helm: what they do to a cluster."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    ESCAPE,
    HIGH,
    INSTALL,
    LOW,
    MEDIUM,
    PRIVILEGE,
    PUBLISH,
    READ,
    SECRET,
    UNSEEN,
    WRITE,
    Fact,
    Program,
    Wrapper,
    aliases,
    program,
)

_GLOBAL = """
    -n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group
    --as-uid --certificate-authority --client-certificate --client-key --cache-dir
    --request-timeout --tls-server-name --username --password -v --v --vmodule --profile
    --profile-output --field-manager --config
"""
_FILES = "-f --filename -k --kustomize -l --selector --field-selector --timeout -o --output "
_ACTUALLY = "!--dry-run=none|--dry-run=false"  # behind another `--dry-run`, it takes that back
_DRY = f"--help|--dry-run {_ACTUALLY}"
_HARMLESS = f"--help|--dry-run|--local {_ACTUALLY}"

_LOOK = "Look first: `kubectl get all`; show the user the list and let them delete it."
_PREVIEW = "Preview it: `kubectl diff -f FILE`."
_READ_FIRST = "Download it, read it, then apply the file: `curl -fsSL URL -o manifest.yaml`."

_UNSEEN_FILES = Fact(
    UNSEEN,
    "-f=http*://*|--filename=http*://*|-k=*://*|--kustomize=*://*|-k=github.com/*",
    on="-f|--filename|-k|--kustomize",
    says="puts {target} into the cluster, unread",
    instead=_READ_FIRST,
)
_FILES_READ = Fact(READ, "!-f=-|-f=http*|--filename=-|--filename=http*", on="-f|--filename")

_POWERFUL_POD = "|".join(
    f"{option}=*{mark}*"
    for option in ("--overrides", "-p", "--patch")
    for mark in ("privileged*true", "hostPID*true", "hostIPC*true", "hostNetwork*true", "hostPath")
)
_NO_FINALIZERS = "|".join(
    f"{option}=*{mark}*"
    for option in ("-p", "--patch")
    for mark in ("finalizers*null", "finalizers*[[]]", "remove*finalizers")
)

KUBECTL_SUBCOMMANDS: dict[str, Program] = {
    "delete": program(
        _FILES_READ,
        values=f"{_GLOBAL} {_FILES} --grace-period --raw --cascade", harmless=_HARMLESS,
        reader="kube_delete",
    ),
    "get": program(
        values=f"{_GLOBAL} {_FILES} --sort-by --template --raw -L --label-columns --chunk-size "
        "--subresource",
        harmless="--help", reader="kube_get",
    ),
    "exec|rsh": program(
        values=f"{_GLOBAL} -c --container -f --filename --pod-running-timeout --shell",
        harmless="--help", wraps=(Wrapper(where="elsewhere", skip=1),),
    ),
    "run": program(
        Fact(ESCAPE, "--privileged", says="starts a pod with full power over its node",
             instead="Start it without: `kubectl run NAME --image=IMAGE --dry-run=client -o "
             "yaml`."),
        Fact(ESCAPE, _POWERFUL_POD, says="starts a pod with full power over its node",
             instead="Start it without the overrides: `kubectl run NAME --image=IMAGE`."),
        Fact(CHANGE, severity=LOW, says="starts a pod"),
        values=f"{_GLOBAL} --image -e --env -l --labels --overrides --override-type --restart "
        "--port --image-pull-policy --annotations -o --output --pod-running-timeout "
        "--serviceaccount --requests --limits --replicas",
        harmless=_DRY, wraps=(Wrapper(where="elsewhere", skip=1),),
    ),
    "debug": program(
        Fact(ESCAPE, "@node/*|nodes/*|no/*", on="1",
             says="opens a shell on the machine {target} itself",
             instead="Look from outside: `kubectl describe node NAME`."),
        Fact(ESCAPE, "--profile=sysadmin", says="starts a pod with full power over its node",
             instead="Use the plain profile: `kubectl debug POD --image=busybox`."),
        values=f"{_GLOBAL} --image -c --container --target --copy-to --env --set-image "
        "--image-pull-policy --custom",
        harmless=_DRY, wraps=(Wrapper(where="elsewhere", skip=1),),
    ),
    "node-shell": program(
        Fact(ESCAPE, on="1", says="opens a shell on the machine {target} itself",
             instead="Look from outside: `kubectl describe node {target}`."),
    ),
    "cp|rsync": program(
        values=f"{_GLOBAL} -c --container --retries --strategy", harmless="--help",
        reader="kube_copy",
    ),
    "apply": program(
        Fact(DESTROY, "--force", says="deletes and recreates objects with fixed fields",
             instead=f"Apply without `--force`. {_PREVIEW}"),
        Fact(DESTROY, "--prune", says="deletes every object missing from these files",
             instead=f"Apply without `--prune`. {_PREVIEW}"),
        _UNSEEN_FILES,
        Fact(CHANGE, "!@view-last-applied|set-last-applied", severity=MEDIUM,
             says="changes the cluster as the files say"),
        _FILES_READ,
        values=f"{_GLOBAL} {_FILES} --prune-allowlist --prune-whitelist --grace-period --applyset",
        harmless=_HARMLESS,
    ),
    "create": program(
        Fact(PRIVILEGE, "clusterrolebinding|rolebinding --clusterrole=cluster-admin", on="1",
             says="makes someone master of the whole cluster ({target})",
             instead="Give only the needed rights: `kubectl create rolebinding NAME "
             "--clusterrole=view --serviceaccount=NS:NAME`."),
        Fact(PRIVILEGE, "clusterrole|role --verb=[*]|--resource=[*]",
             says="creates a role with every permission",
             instead="Name the needed verbs and resources: `kubectl create role NAME "
             "--verb=get,list --resource=pods`."),
        Fact(PRIVILEGE, "clusterrolebinding|clusterrole", severity=MEDIUM,
             says="gives rights in the whole cluster"),
        Fact(SECRET, "token", on="1", says="prints an access token for {target}",
             instead="Check rights without a token: `kubectl auth can-i --list`."),
        _UNSEEN_FILES,
        _FILES_READ,
        Fact(READ, "secret|configmap|cm", on="--from-file|--from-env-file|--key|--cert"),
        Fact(CHANGE, severity=LOW, says="creates objects in the cluster"),
        values=f"{_GLOBAL} {_FILES} --clusterrole --role --serviceaccount --group --verb "
        "--resource "
        "--image --from-literal --from-file --from-env-file --type --cert --key --replicas "
        "--port --schedule --from --raw --duration --audience --tcp --rule --hard --docker-server "
        "--docker-username --docker-password --docker-email",
        harmless=_HARMLESS,
        wraps=(Wrapper(when="job|cronjob|cj|deployment|deploy", where="elsewhere", skip=1),),
    ),
    "replace": program(
        Fact(DESTROY, "--force", says="deletes objects and creates them anew",
             instead=f"Use `kubectl apply -f FILE`. {_PREVIEW}"),
        _UNSEEN_FILES,
        _FILES_READ,
        Fact(CHANGE, severity=MEDIUM, says="replaces objects in the cluster"),
        values=f"{_GLOBAL} {_FILES} --grace-period --raw", harmless=_HARMLESS,
    ),
    "patch": program(
        Fact(DESTROY, _NO_FINALIZERS,
             says="takes away the finalizers, so it goes without cleaning up",
             instead="Look at it: `kubectl get OBJECT -o yaml`."),
        Fact(DESTROY,
             "-p=*replicas*:0*|--patch=*replicas*:0*|-p=*replicas*:?0*|--patch=*replicas*:?0*",
             says="scales a workload down to nothing", instead="Look first: `kubectl get deploy`."),
        Fact(ESCAPE, _POWERFUL_POD, says="gives pods full power over their node",
             instead="Preview it: `kubectl diff -f FILE`."),
        Fact(CHANGE, severity=MEDIUM, says="changes an object in the cluster"),
        values=f"{_GLOBAL} {_FILES} -p --patch --patch-file --type --subresource",
        harmless=_HARMLESS,
    ),
    "scale": program(
        Fact(DESTROY, "--replicas=0", on="each", says="stops every copy of {target}",
             instead="Restart it instead: `kubectl rollout restart {target}`."),
        Fact(CHANGE, severity=LOW, says="changes how many copies run"),
        values=f"{_GLOBAL} {_FILES} --replicas --current-replicas --resource-version",
        harmless=_DRY,
    ),
    "drain": program(
        Fact(DESTROY, on="1", says="throws all work off the node {target}",
             instead="List the pods there: `kubectl get pods -A --field-selector "
             "spec.nodeName={target}`."),
        values=f"{_GLOBAL} {_FILES} --grace-period --pod-selector --chunk-size "
        "--skip-wait-for-delete-timeout",
        harmless=_DRY,
    ),
    "cordon|uncordon|label|annotate|expose|autoscale|attach|port-forward|wait": program(
        Fact(CHANGE, severity=LOW),
        values=f"{_GLOBAL} {_FILES} --resource-version --address --port --name --for --type",
        harmless=_HARMLESS,
    ),
    "taint": program(
        Fact(DESTROY, "@*NoExecute", says="throws work off the nodes",
             instead="Look first: `kubectl describe node NAME`."),
        Fact(DESTROY, "--all", says="changes where work may run, on every node",
             instead="Look first: `kubectl get nodes`."),
        Fact(CHANGE, severity=MEDIUM, says="changes where work may run"),
        values=f"{_GLOBAL} {_FILES}", harmless=_DRY,
    ),
    "rollout": program(
        Fact(CHANGE, "undo", severity=MEDIUM, says="goes back to an older version"),
        Fact(CHANGE, "restart|pause|resume", severity=LOW),
        values=f"{_GLOBAL} {_FILES} --to-revision --revision", harmless=_DRY,
    ),
    "edit|set": program(
        Fact(CHANGE, severity=MEDIUM, says="changes an object in the cluster"),
        values=f"{_GLOBAL} {_FILES} -c --containers -e --env --from --limits --requests "
        "--serviceaccount --prefix --keys",
        harmless=_HARMLESS,
    ),
    "certificate": program(
        Fact(PRIVILEGE, "approve", on="each", says="signs the certificate request {target}",
             instead="Look at it first: `kubectl describe csr {target}`."),
        values=f"{_GLOBAL} {_FILES}", harmless="--help",
    ),
    "auth": program(
        Fact(PRIVILEGE, "reconcile", severity=MEDIUM, says="changes roles and bindings"),
        values=f"{_GLOBAL} {_FILES}", harmless=_DRY,
    ),
    "config": program(
        Fact(SECRET, "view --raw", on="kubeconfig", says="prints the keys of all clusters",
             instead="`kubectl config view` shows it without the keys."),
        Fact(CHANGE, "delete-*|unset|rename-context", severity=MEDIUM,
             says="changes which clusters are known"),
        Fact(CHANGE, "set-*|set|use-context|use", severity=LOW),
        values=f"{_GLOBAL} -o --output --template --current --embed-certs", harmless="--help",
    ),
    "proxy": program(
        Fact(ESCAPE, "--address=0.0.0.0|--accept-hosts=*[*]*",
             says="opens the cluster's interface to the network without a password",
             instead="Let it listen here only: `kubectl proxy`."),
        values=f"{_GLOBAL} --address --accept-hosts --accept-paths -p --port -u --unix-socket -w "
        "--www",
        harmless="--help",
    ),
    "krew": program(Fact(INSTALL, "install|upgrade", severity=MEDIUM, on="1")),
}  # fmt: skip

_OC_ADM = program(
    Fact(DESTROY, "drain", on="1", says="throws all work off the node {target}",
         instead="List the pods there: `oc describe node {target}`."),
    Fact(PRIVILEGE, "policy add-cluster-role-to-*|add-scc-to-*", on="1",
         says="gives someone the right {target} in the whole cluster",
         instead="Give a role in one project: `oc adm policy who-can get pods` shows who has it."),
    Fact(PRIVILEGE, "policy add-role-to-* @admin|cluster-admin", on="1",
         says="makes someone master of a project",
         instead="Look first: `oc adm policy who-can get pods`."),
    Fact(PRIVILEGE, "policy add-*|remove-*", severity=MEDIUM, says="changes permissions"),
    Fact(DESTROY, "prune --confirm", says="deletes old builds, deployments or images",
         instead="Run it without `--confirm` to preview it: `oc adm prune images`."),
    Fact(CHANGE, "cordon|uncordon|upgrade", severity=MEDIUM),
    values=f"{_GLOBAL} {_FILES} --role-namespace --rolebinding-name -z --serviceaccount",
    harmless=_DRY,
)  # fmt: skip

_OC_SUBCOMMANDS: dict[str, Program] = {
    **KUBECTL_SUBCOMMANDS,
    "adm": _OC_ADM,
    "login": program(
        Fact(SECRET, "-p|--password|--token", severity=MEDIUM, on="cluster password"),
        values=_GLOBAL + " -u -p",
    ),
    "whoami": program(
        Fact(SECRET, "-t|--show-token", on="access token", says="prints the access token",
             instead="`oc whoami` shows the login without it."),
    ),
    "extract": program(
        Fact(SECRET, "@secret/*|secrets/*", on="1", says="writes out the secret {target}",
             instead="Look at it: `oc describe {target}`."),
        Fact(WRITE, on="--to"),
        values=f"{_GLOBAL} {_FILES} --to --keys",
    ),
    "serviceaccounts|sa": program(
        Fact(SECRET, "get-token|create-kubeconfig|new-token", on="1",
             says="prints an access token for {target}",
             instead="Check rights without a token: `oc auth can-i --list`."),
    ),
    "rollback|idle|tag|import-image|policy|start-build|cancel-build": program(
        Fact(CHANGE, severity=MEDIUM),
        harmless=_DRY,
    ),
}  # fmt: skip

_HELM_GLOBAL = """
    -n --namespace --kube-context --kubeconfig --kube-apiserver --kube-as-user --kube-as-group
    --kube-ca-file --kube-tls-server-name --kube-token --registry-config --repository-cache
    --repository-config --burst-limit --qps
"""
_HELM_VALUES = f"""
    {_HELM_GLOBAL} -f --values --set --set-string --set-file --set-json --set-literal --version
    --repo --timeout --history-max --description -o --output --username --password --ca-file
    --cert-file --key-file --keyring --post-renderer --post-renderer-args --max --revision
    --name-template --labels -l --selector --filter --output-dir --api-versions --kube-version
    -s --show-only -d --destination --untardir --key --offset -m --template
"""

PROGRAMS: dict[str, Program] = {
    "kubectl": program(
        values=_GLOBAL, harmless="--help|--version",
        subcommands=KUBECTL_SUBCOMMANDS,
    ),
    **aliases("kubectl", "k", "kubecolor"),
    "oc": program(values=_GLOBAL, harmless="--help|--version", subcommands=_OC_SUBCOMMANDS),
    "helm": program(
        Fact(DESTROY, "uninstall|delete|del|un", on="each",
             says="removes the release {target} and everything installed by it",
             instead="Preview it: `helm uninstall {target} --dry-run`."),
        Fact(DESTROY, "upgrade --force", on="1",
             says="deletes and recreates objects with fixed fields of the release {target}",
             instead="Upgrade without `--force`; look first: `helm diff upgrade {target} CHART`."),
        Fact(CHANGE, "rollback", severity=MEDIUM, says="goes back to an older release"),
        Fact(CHANGE, "upgrade", severity=MEDIUM, says="changes a release"),
        Fact(CHANGE, "install", severity=LOW, says="installs a chart in the cluster"),
        Fact(SECRET, "get values|all", severity=MEDIUM, on="release values",
             says="shows the values of a release, which may hold passwords"),
        Fact(PUBLISH, "push", severity=HIGH, on="1", says="publishes the chart {target}",
             instead="Make the package and let the user publish it: `helm package ./chart`."),
        Fact(INSTALL, "plugin install|update", severity=MEDIUM, on="1"),
        Fact(SECRET, "registry login -p|--password", severity=MEDIUM, on="registry password"),
        Fact(READ, "install|upgrade|template|lint !-f=http*", on="-f|--values"),
        values=_HELM_VALUES, harmless=f"-h|{_DRY}",
    ),
    "helm3": program(same_as="helm"),
    "helmfile": program(
        Fact(DESTROY, "destroy|delete", says="removes every release of the helmfile",
             instead="Look first: `helmfile list`."),
        Fact(CHANGE, "apply|sync", severity=MEDIUM, says="changes the releases of the helmfile"),
        values="-f --file -e --environment -l --selector -n --namespace --state-values-set "
        "--state-values-file --kube-context -b --helm-binary --log-level --chart --args --set "
        "--values --concurrency",
        harmless="--help|-h",
    ),
}  # fmt: skip
