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
    program,
)

_INSIDE = Wrapper(where="elsewhere", skip=1)
_NO_HOST = "Leave the container its walls: run it without these settings."
_ASK = "Look first with the tool's `list` or `ls`; leave the removal to the user."

_LXC_EXEC = program(
    posix=True, values="--cwd --env -e --group --user -u --mode",
    wraps=(Wrapper(where="elsewhere", skip=1),),
)  # fmt: skip
_LXC = program(
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
    Fact(CHANGE, "restore|rebuild", severity=MEDIUM, says="puts a container back to an old state"),
    Fact(KILL, "stop|restart --all", severity=HIGH, says="stops every container",
         instead="Stop the one you mean: `lxc stop NAME`."),
    Fact(ESCAPE,
         "launch|init|config|copy -c=security.privileged=true|--config=security.privileged=true",
         says="takes away the wall between the container and this machine", instead=_NO_HOST),
    Fact(ESCAPE, "config|profile set @security.privileged*",
         says="takes away the wall between the container and this machine", instead=_NO_HOST),
    Fact(ESCAPE, "config|profile device add @disk @source=/",
         says="opens this machine's whole disk to the container", instead=_NO_HOST),
    Fact(READ, "file push", on="-2"),
    Fact(WRITE, "file pull", on="last"),
    values="--project --remote -c --config -p --profile -n --network -s --storage -t --type "
    "--target -d --device --vm-type --format",
    harmless="--help|-h|--version",
    subcommands={"exec": _LXC_EXEC},
)  # fmt: skip

_CTR = program(
    Fact(DESTROY, "namespace|namespaces|ns rm|remove|del", on="each",
         says="deletes the namespace {target}", instead="Look first: `ctr namespaces ls`."),
    Fact(CHANGE, "container|containers|c|task|tasks|t|image|images|i|snapshot|snapshots rm|remove|"
         "del|delete|kill|prune", severity=MEDIUM, says="removes containers or images"),
    Fact(PUBLISH, "image|images|i push", severity=MEDIUM),
    values="-a --address -n --namespace --timeout --connect-timeout",
    harmless="--help|-h|--version",
    subcommands={
        "run": program(
            *ESCAPES,
            posix=True,
            values=f"{RUN_VALUES} --snapshotter --config --gpus --fifo-dir --log-uri --runc-binary "
            "--runc-root --cwd --rootfs-propagation --cgroup --pid-file --with-ns "
            "--seccomp-profile",
            harmless="--help", reader="container_run", wraps=(Wrapper(where="elsewhere", skip=2),),
        ),
    },
    wraps=(Wrapper(when="task|tasks|t exec", where="elsewhere", skip=1),), reader="container_mass",
)  # fmt: skip

_MASS = "removes every container or pod on this node"
_CRICTL = program(
    Fact(DESTROY, "rm|rmp|rmi -a|--all|-fa|-af", says=_MASS, instead="Look first: `crictl ps -a`."),
    Fact(DESTROY, "rmi --prune|-q", severity=MEDIUM, says="removes unused images"),
    Fact(DESTROY, "rm|rmp -f|--force", severity=MEDIUM),
    Fact(KILL, "stop|stopp", severity=MEDIUM, says="stops a container that the cluster runs"),
    values="-c --config -r --runtime-endpoint -i --image-endpoint -t --timeout --profile-cpu",
    harmless="--help|-h|--version",
    subcommands={
        "exec": program(posix=True, values="-r --transport --timeout", wraps=(_INSIDE,)),
    },
    reader="container_mass",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "ctr": _CTR,
    "crictl": _CRICTL,
    "lxc": _LXC,
    "incus": program(same_as="lxc"),
    "lxc-destroy": program(
        Fact(DESTROY, on="-n|--name", says="deletes the container {target} with everything in it",
             instead="Keep a copy: `lxc-snapshot -n {target}`."),
        values="-n --name -P --lxcpath -o -l", harmless="--help|-h|--version",
    ),
    "lxc-attach": program(
        posix=True,
        values="-n --name -u --uid -g --gid -v --set-var -s --namespaces -e -P --lxcpath",
        wraps=(Wrapper(where="elsewhere"),),
    ),
    "buildah": program(
        Fact(DESTROY, "rm|rmi|delete -a|--all", says="removes every working container or image",
             instead="Look first: `buildah containers`."),
        Fact(DESTROY, "prune -a|--all", severity=MEDIUM),
        Fact(PUBLISH, "push", severity=MEDIUM, on="1"),
        Fact(SECRET, "login -p|--password", severity=MEDIUM),
        values="--authfile --creds --cert-dir --root --runroot --file --tag --storage-driver",
        harmless="--help|-h|--version",
        subcommands={
            "run": program(
                *ESCAPES,
                posix=True, values=RUN_VALUES, wraps=(_INSIDE,), reader="container_run",
            ),
            "unshare": program(posix=True, wraps=(Wrapper(),)),
        },
    ),
    "skopeo": program(
        Fact(DESTROY, "delete", on="1", says="deletes the image {target} from its registry",
             instead="Look first: `skopeo inspect {target}`."),
        Fact(PUBLISH, "copy @docker://*", severity=MEDIUM, on="2"),
        Fact(PUBLISH, "sync", severity=MEDIUM, on="2"),
        values="--authfile --creds --src-creds --dest-creds --format -f --policy --src --dest -s "
        "-d",
        harmless="--help|-h|--version|--dry-run",
    ),
    "crane": program(
        Fact(DESTROY, "delete", on="1", says="deletes the image {target} from its registry",
             instead="Look first: `crane manifest {target}`."),
        Fact(PUBLISH, "push|copy|cp|tag|append|mutate|rebase", severity=MEDIUM),
        values="--platform -t --tag -f --new_layer --new_tag", harmless="--help|-h",
    ),
    "gcrane": program(same_as="crane"),
    "regctl": program(
        Fact(DESTROY, "tag|manifest|image|blob|repo|artifact delete|rm|remove|del|prune", on="1",
             says="deletes {target} from its registry",
             instead="Look first: `regctl tag ls REPOSITORY`."),
        Fact(PUBLISH, "image|artifact copy|cp|put|import", severity=MEDIUM),
        values="--host --logopt -v --verbosity --format --platform", harmless="--help|-h",
    ),
    "oras": program(
        Fact(DESTROY, "manifest|blob|repo delete", on="1",
             says="deletes {target} from its registry",
             instead="Look first: `oras repo tags REPOSITORY`."),
        Fact(PUBLISH, "push|attach|copy|cp|tag", severity=MEDIUM),
        Fact(READ, "push|attach", on="2+"),
        values="-u --username -p --password --registry-config --platform -a --annotation -o "
        "--output",
        harmless="--help|-h",
    ),
    "reg": program(
        Fact(DESTROY, "rm|delete", on="1", says="deletes the image {target} from its registry",
             instead="Look first: `reg tags REPOSITORY`."),
    ),
    "docker-machine": program(
        Fact(DESTROY, "rm", on="each", says="deletes the machine {target}", instead=_ASK),
        Fact(KILL, "kill|stop|restart", severity=MEDIUM),
        harmless="--help|-h", wraps=(Wrapper(when="ssh", form="words", where="elsewhere", skip=1),),
    ),
    "colima": program(
        Fact(DESTROY, "delete|prune",
             says="deletes the virtual machine with every container and volume in it",
             instead="Keep it and stop it: `colima stop`."),
        values="-p --profile -c --cpu -m --memory -d --disk --runtime --vm-type",
        harmless="--help|-h", wraps=(Wrapper(when="ssh", where="elsewhere"),),
    ),
    "limactl": program(
        Fact(DESTROY, "delete|remove|rm|factory-reset|prune", on="each",
             says="deletes the virtual machine {target}",
             instead="Keep it and stop it: `limactl stop {target}`."),
        harmless="--help|-h", wraps=(Wrapper(when="shell", where="elsewhere", skip=1),),
    ),
    "multipass": program(
        Fact(DESTROY, "purge", says="deletes removed virtual machines for good", instead=_ASK),
        Fact(DESTROY, "delete -p|--purge|--all", says="deletes virtual machines for good",
             instead="Keep it and stop it: `multipass stop NAME`."),
        Fact(DESTROY, "delete", severity=MEDIUM),
        harmless="--help|-h", wraps=(Wrapper(when="exec", where="elsewhere", skip=1),),
    ),
    "orb": program(
        Fact(DESTROY, "delete|reset", on="each", says="deletes the machine {target}",
             instead="Keep it and stop it: `orb stop {target}`."),
    ),
    "orbctl": program(same_as="orb"),
    "rdctl": program(
        Fact(DESTROY, "factory-reset|reset", says="deletes all containers, images and settings",
             instead="Look first: `rdctl list-settings`."),
    ),
    "distrobox": program(
        Fact(DESTROY, "rm -a|--all", says="deletes every container", instead=_ASK),
        Fact(DESTROY, "rm", severity=MEDIUM),
        values="-n --name -i --image", wraps=(Wrapper(when="enter", skip=1),),
    ),
    "toolbox": program(
        Fact(DESTROY, "rm|rmi -a|--all", says="deletes every container", instead=_ASK),
        Fact(DESTROY, "rm|rmi", severity=MEDIUM),
        values="-c --container -d --distro -r --release", wraps=(Wrapper(when="run"),),
    ),
    "apptainer": program(
        Fact(PUBLISH, "push", severity=MEDIUM),
        Fact(DESTROY, "delete", severity=MEDIUM),
        subcommands={
            "exec": program(
                posix=True,
                values="-B --bind --pwd -W --workdir -H --home --env --env-file -S --scratch "
                "--overlay -o --mount --app --network --dns --hostname",
                wraps=(Wrapper(skip=1),),
            ),
        },
    ),
    "singularity": program(same_as="apptainer"),
    "devcontainer": program(
        Fact(PUBLISH, "build --push", severity=MEDIUM),
        values="--workspace-folder --config --container-id --id-label --remote-env "
        "--override-config",
        wraps=(Wrapper(when="exec", where="elsewhere"),),
    ),
    "dockerd": program(
        Fact(ESCAPE, "-H=tcp://*|--host=tcp://*", says="opens this machine's docker to the network",
             instead="Let docker listen on its socket only: `docker info` shows where it does."),
        values="-H --host --data-root --config-file -G --group",
    ),
    **{
        f"docker-credential-{helper}": program(
            Fact(SECRET, "get", on="registry credentials", says="prints stored registry passwords",
                 instead="Pull or push with `docker` itself; it uses them unseen."),
            Fact(DESTROY, "erase", severity=MEDIUM),
        )
        for helper in ("osxkeychain", "secretservice", "pass", "wincred", "desktop", "ecr-login",
                       "gcloud", "gcr", "acr-env")
    },
}  # fmt: skip
