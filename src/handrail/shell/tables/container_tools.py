"""Around containers: runtimes, system containers, registries, machines that hold containers."""

from handrail.shell.tables.containers import ESCAPES, RUN_VALUES
from handrail.shell.tables.shorthand import (
    CHANGE,
    DESTROY,
    ESCAPE,
    HIGH,
    KILL,
    MEDIUM,
    PUBLISH,
    READ,
    SECRET,
    WRITE,
    Fact,
    Program,
    Wrapper,
)

_INSIDE = Wrapper(where="elsewhere", skip=1)
_NO_HOST = "Leave the container its walls: run it without these settings."
_ASK = "Look first with the tool's `list` or `ls`; leave the removal to the user."

_LXC_EXEC = Program(
    posix=True,
    values="--cwd --env -e --group --user -u --mode",
    wraps=(Wrapper(where="elsewhere", skip=1),),
)
_LXC = Program(
    values="--project --remote -c --config -p --profile -n --network -s --storage -t --type "
    "--target -d --device --vm-type --format",
    harmless="--help|-h|--version",
    subcommands={"exec": _LXC_EXEC},
    facts=(
        Fact(DESTROY, "delete|rm", on="each",
             says="deletes the container {target} with everything in it",
             instead="Keep a copy: `lxc snapshot {target} before`; the user can delete it."),
        Fact(DESTROY, "storage delete|rm", on="1", says="deletes the storage pool {target}",
             instead="Look first: `lxc storage list`."),
        Fact(DESTROY, "storage|storage volume delete|rm", on="each", says="deletes {target}",
             instead="Look first: `lxc storage list`."),
        Fact(DESTROY, "project|cluster delete|remove|rm", on="1", says="removes {target}",
             instead="Look first: `lxc project list`."),
        Fact(DESTROY, "image|network|profile|snapshot|alias delete|rm", severity=MEDIUM),
        Fact(CHANGE, "restore|rebuild", severity=MEDIUM,
             says="puts a container back to an old state"),
        Fact(KILL, "stop|restart --all", severity=HIGH, says="stops every container",
             instead="Stop the one you mean: `lxc stop NAME`."),
        Fact(ESCAPE,
             "launch|init|config|copy "
             "-c=security.privileged=true|--config=security.privileged=true",
             says="takes away the wall between the container and this machine", instead=_NO_HOST),
        Fact(ESCAPE, "config|profile set @security.privileged*",
             says="takes away the wall between the container and this machine", instead=_NO_HOST),
        Fact(ESCAPE, "config|profile device add @disk @source=/",
             says="opens this machine's whole disk to the container", instead=_NO_HOST),
        Fact(READ, "file push", on="-2"),
        Fact(WRITE, "file pull", on="last"),
    ),
)  # fmt: skip

_CTR = Program(
    values="-a --address -n --namespace --timeout --connect-timeout",
    harmless="--help|-h|--version",
    subcommands={
        "run": Program(
            posix=True,
            values=f"{RUN_VALUES} --snapshotter --config --gpus --fifo-dir --log-uri --runc-binary "
            "--runc-root --cwd --rootfs-propagation --cgroup --pid-file --with-ns "
            "--seccomp-profile",
            harmless="--help",
            reader="container_run",
            wraps=(Wrapper(where="elsewhere", skip=2),),
            facts=ESCAPES,
        ),
    },
    wraps=(
        Wrapper(when="task|tasks|t exec", where="elsewhere", skip=1),
    ),
    facts=(
        Fact(DESTROY, "namespace|namespaces|ns rm|remove|del", on="each",
             says="deletes the namespace {target}", instead="Look first: `ctr namespaces ls`."),
        Fact(CHANGE, "container|containers|c|task|tasks|t|image|images|i|snapshot|snapshots "
             "rm|remove|del|delete|kill|prune", severity=MEDIUM,
             says="removes containers or images"),
        Fact(PUBLISH, "image|images|i push", severity=MEDIUM),
    ),
    reader="container_mass",
)  # fmt: skip

_MASS = "removes every container or pod on this node"
_CRICTL = Program(
    values="-c --config -r --runtime-endpoint -i --image-endpoint -t --timeout --profile-cpu",
    harmless="--help|-h|--version",
    subcommands={
        "exec": Program(posix=True, values="-r --transport --timeout", wraps=(_INSIDE,)),
    },
    facts=(
        Fact(DESTROY, "rm|rmp|rmi -a|--all|-fa|-af", says=_MASS,
             instead="Look first: `crictl ps -a`."),
        Fact(DESTROY, "rmi --prune|-q", severity=MEDIUM, says="removes unused images"),
        Fact(DESTROY, "rm|rmp -f|--force", severity=MEDIUM),
        Fact(KILL, "stop|stopp", severity=MEDIUM, says="stops a container that the cluster runs"),
    ),
    reader="container_mass",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "ctr": _CTR,
    "crictl": _CRICTL,
    "lxc": _LXC,
    "incus": Program(same_as="lxc"),
    "lxc-destroy": Program(
        values="-n --name -P --lxcpath -o -l",
        facts=(
            Fact(DESTROY, on="-n|--name",
                 says="deletes the container {target} with everything in it",
                 instead="Keep a copy: `lxc-snapshot -n {target}`."),
        ),
        harmless="--help|-h|--version",
    ),
    "lxc-attach": Program(
        posix=True,
        values="-n --name -u --uid -g --gid -v --set-var -s --namespaces -e -P --lxcpath",
        wraps=(Wrapper(where="elsewhere"),),
    ),
    "buildah": Program(
        values="--authfile --creds --cert-dir --root --runroot --file --tag --storage-driver",
        harmless="--help|-h|--version",
        subcommands={
            "run": Program(posix=True, values=RUN_VALUES, wraps=(_INSIDE,), facts=ESCAPES,
                           reader="container_run"),
            "unshare": Program(posix=True, wraps=(Wrapper(),)),
        },
        facts=(
            Fact(DESTROY, "rm|rmi|delete -a|--all", says="removes every working container or image",
                 instead="Look first: `buildah containers`."),
            Fact(DESTROY, "prune -a|--all", severity=MEDIUM),
            Fact(PUBLISH, "push", severity=MEDIUM, on="1"),
            Fact(SECRET, "login -p|--password", severity=MEDIUM),
        ),
    ),
    "skopeo": Program(
        values="--authfile --creds --src-creds --dest-creds --format -f --policy --src --dest -s "
        "-d",
        harmless="--help|-h|--version|--dry-run",
        facts=(
            Fact(DESTROY, "delete", on="1", says="deletes the image {target} from its registry",
                 instead="Look first: `skopeo inspect {target}`."),
            Fact(PUBLISH, "copy @docker://*", severity=MEDIUM, on="2"),
            Fact(PUBLISH, "sync", severity=MEDIUM, on="2"),
        ),
    ),
    "crane": Program(
        values="--platform -t --tag -f --new_layer --new_tag",
        harmless="--help|-h",
        facts=(
            Fact(DESTROY, "delete", on="1", says="deletes the image {target} from its registry",
                 instead="Look first: `crane manifest {target}`."),
            Fact(PUBLISH, "push|copy|cp|tag|append|mutate|rebase", severity=MEDIUM),
        ),
    ),
    "gcrane": Program(same_as="crane"),
    "regctl": Program(
        values="--host --logopt -v --verbosity --format --platform",
        harmless="--help|-h",
        facts=(
            Fact(DESTROY, "tag|manifest|image|blob|repo|artifact delete|rm|remove|del|prune",
                 on="1",
                 says="deletes {target} from its registry",
                 instead="Look first: `regctl tag ls REPOSITORY`."),
            Fact(PUBLISH, "image|artifact copy|cp|put|import", severity=MEDIUM),
        ),
    ),
    "oras": Program(
        values="-u --username -p --password --registry-config --platform -a --annotation -o "
        "--output",
        harmless="--help|-h",
        facts=(
            Fact(DESTROY, "manifest|blob|repo delete", on="1",
                 says="deletes {target} from its registry",
                 instead="Look first: `oras repo tags REPOSITORY`."),
            Fact(PUBLISH, "push|attach|copy|cp|tag", severity=MEDIUM),
            Fact(READ, "push|attach", on="2+"),
        ),
    ),
    "reg": Program(
        facts=(
            Fact(DESTROY, "rm|delete", on="1", says="deletes the image {target} from its registry",
                 instead="Look first: `reg tags REPOSITORY`."),
        ),
    ),
    "docker-machine": Program(
        harmless="--help|-h",
        wraps=(Wrapper(when="ssh", form="words", where="elsewhere", skip=1),),
        facts=(
            Fact(DESTROY, "rm", on="each", says="deletes the machine {target}", instead=_ASK),
            Fact(KILL, "kill|stop|restart", severity=MEDIUM),
        ),
    ),
    "colima": Program(
        values="-p --profile -c --cpu -m --memory -d --disk --runtime --vm-type",
        harmless="--help|-h",
        wraps=(Wrapper(when="ssh", where="elsewhere"),),
        facts=(
            Fact(DESTROY, "delete|prune",
                 says="deletes the virtual machine with every container and "
                 "volume in it", instead="Keep it and stop it: `colima stop`."),
        ),
    ),
    "limactl": Program(
        harmless="--help|-h",
        wraps=(Wrapper(when="shell", where="elsewhere", skip=1),),
        facts=(
            Fact(DESTROY, "delete|remove|rm|factory-reset|prune", on="each",
                 says="deletes the virtual machine {target}",
                 instead="Keep it and stop it: `limactl stop {target}`."),
        ),
    ),
    "multipass": Program(
        harmless="--help|-h",
        wraps=(Wrapper(when="exec", where="elsewhere", skip=1),),
        facts=(
            Fact(DESTROY, "purge", says="deletes removed virtual machines for good", instead=_ASK),
            Fact(DESTROY, "delete -p|--purge|--all", says="deletes virtual machines for good",
                 instead="Keep it and stop it: `multipass stop NAME`."),
            Fact(DESTROY, "delete", severity=MEDIUM),
        ),
    ),
    "orb": Program(
        facts=(
            Fact(DESTROY, "delete|reset", on="each", says="deletes the machine {target}",
                 instead="Keep it and stop it: `orb stop {target}`."),
        ),
    ),
    "orbctl": Program(same_as="orb"),
    "rdctl": Program(
        facts=(
            Fact(DESTROY, "factory-reset|reset", says="deletes all containers, images and settings",
                 instead="Look first: `rdctl list-settings`."),
        ),
    ),
    "distrobox": Program(
        values="-n --name -i --image",
        wraps=(Wrapper(when="enter", skip=1),),
        facts=(
            Fact(DESTROY, "rm -a|--all", says="deletes every container", instead=_ASK),
            Fact(DESTROY, "rm", severity=MEDIUM),
        ),
    ),
    "toolbox": Program(
        values="-c --container -d --distro -r --release",
        wraps=(Wrapper(when="run"),),
        facts=(
            Fact(DESTROY, "rm|rmi -a|--all", says="deletes every container", instead=_ASK),
            Fact(DESTROY, "rm|rmi", severity=MEDIUM),
        ),
    ),
    "apptainer": Program(
        subcommands={
            "exec": Program(
                posix=True,
                values="-B --bind --pwd -W --workdir -H --home --env --env-file -S --scratch "
                "--overlay -o --mount --app --network --dns --hostname",
                wraps=(Wrapper(skip=1),),
            ),
        },
        facts=(Fact(PUBLISH, "push", severity=MEDIUM), Fact(DESTROY, "delete", severity=MEDIUM)),
    ),
    "singularity": Program(same_as="apptainer"),
    "devcontainer": Program(
        values="--workspace-folder --config --container-id --id-label --remote-env "
        "--override-config",
        wraps=(Wrapper(when="exec", where="elsewhere"),),
        facts=(Fact(PUBLISH, "build --push", severity=MEDIUM),),
    ),
    "dockerd": Program(
        values="-H --host --data-root --config-file -G --group",
        facts=(
            Fact(ESCAPE, "-H=tcp://*|--host=tcp://*",
                 says="opens this machine's docker to the network",
                 instead="Let docker listen on its socket only: `docker info` shows where it "
                 "does."),
        ),
    ),
    **{
        f"docker-credential-{helper}": Program(
            facts=(
                Fact(SECRET, "get", on="registry credentials",
                     says="prints stored registry passwords",
                     instead="Pull or push with `docker` itself, which uses them unseen."),
                Fact(DESTROY, "erase", severity=MEDIUM),
            ),
        )
        for helper in ("osxkeychain", "secretservice", "pass", "wincred", "desktop", "ecr-login",
                       "gcloud", "gcr", "acr-env")
    },
}  # fmt: skip
