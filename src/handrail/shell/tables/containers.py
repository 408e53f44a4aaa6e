"""Containers on this machine: docker, podman, nerdctl and compose."""

from handrail.shell.tables.shorthand import (
    CHANGE,
    CRITICAL,
    DESTROY,
    ESCAPE,
    FETCH,
    HIGH,
    INSTALL,
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

RUN_VALUES = """
    -a --attach --add-host --annotation --arch --authfile --blkio-weight --blkio-weight-device
    --cap-add --cap-drop --cert-dir --cgroup-conf --cgroup-parent --cgroupns --cgroups
    --chrootdirs --cidfile --conmon-pidfile --cpu-count --cpu-percent --cpu-period --cpu-quota
    --cpu-rt-period --cpu-rt-runtime -c --cpu-shares --cpus --cpuset-cpus --cpuset-mems --creds
    --decryption-key --detach-keys --device --device-cgroup-rule --device-read-bps
    --device-read-iops --device-write-bps --device-write-iops --dns --dns-opt --dns-option
    --dns-search --domainname --entrypoint -e --env --env-file --env-from-file --env-merge
    --expose --gidmap --gpus --group-add --group-entry --health-cmd --health-interval
    --health-retries --health-start-interval --health-start-period --health-timeout -h
    --hostname --hosts-file --hostuser --image-volume --init-path --io-maxbandwidth
    --io-maxiops --ip --ip6 --ipc --isolation --kernel-memory -l --label --label-file --link
    --link-local-ip --log-driver --log-opt --mac-address -m --memory --memory-reservation
    --memory-swap --memory-swappiness --mount --name --net --net-alias --network
    --network-alias --oom-score-adj --os --passwd-entry --personality --pid --pidfile
    --pids-limit --platform --pod --pod-id-file -p --publish --pull --restart --rdt-class
    --requires --retry --retry-delay --runtime --sdnotify --seccomp-policy --secret
    --security-opt --shm-size --shm-size-systemd --stop-signal --stop-timeout --storage-opt
    --subgidname --subuidname --sysctl --systemd --timeout --tmpfs --tz --uidmap --ulimit
    --umask --unsetenv -u --user --userns --uts --variant -v --volume --volume-driver
    --volumes-from -w --workdir --use-api-socket --index
"""
_BUILD_VALUES = """
    -t --tag -f --file --add-host --allow --annotation --attest --authfile --build-arg
    --build-context --builder --cache-from --cache-to --call --cap-add --cap-drop
    --cgroup-parent --cpu-period --cpu-quota -c --cpu-shares --cpuset-cpus --cpuset-mems
    --creds --device --env --format --iidfile --ignorefile --isolation --jobs --label --layer-label
    --logfile -m --memory --memory-swap --metadata-file --network --no-cache-filter -o
    --output --platform --progress --provenance --sbom --secret --security-opt --set
    --shm-size --ssh --target --ulimit -v --volume --userns
"""

_NO_EXIT = (
    "Run it without the access to the host: mount only the project, `docker run --rm -v "
    '"$PWD":/app -w /app IMAGE CMD`.'
)
_LOOK_VOLUMES = "List them first: `docker volume ls`, and ask the user."
_LOOK_CONTAINERS = "Look first (`docker ps -a`), then remove the one you started by its name."
_LOOK_SWARM = "Look first: `docker service ls`; leave the removal to the user."

_DANGEROUS_CAPABILITIES = "|".join(
    f"--cap-add=*{name}"
    for name in (
        "ALL", "SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "SYS_RAWIO", "SYS_BOOT", "SYS_TIME",
        "DAC_READ_SEARCH", "BPF", "PERFMON", "MAC_ADMIN", "MAC_OVERRIDE", "SYSLOG",
    )
)  # fmt: skip
_DISKS = "|".join(
    f"--device=/dev/{name}*"
    for name in ("sd", "hd", "vd", "xvd", "nvme", "mmcblk", "dm-", "mapper", "disk", "loop",
                 "mem", "kmem", "port", "md")
)  # fmt: skip

ESCAPES = (
    Fact(ESCAPE, "--privileged",
         says="starts a container with full power over this machine", instead=_NO_EXIT),
    Fact(ESCAPE, "--pid=host", says="lets the container see and end every process of this machine",
         instead=_NO_EXIT),
    Fact(ESCAPE, "--ipc=host", says="shares this machine's memory segments with the container",
         instead=_NO_EXIT),
    Fact(ESCAPE, "--uts=host|--userns=host|--cgroupns=host|--cgroups=host",
         says="takes away the wall between the container and this machine", instead=_NO_EXIT),
    Fact(ESCAPE, "--network=host|--net=host", severity=MEDIUM,
         says="puts the container on this machine's own network"),
    Fact(ESCAPE, _DANGEROUS_CAPABILITIES, on="--cap-add",
         says="gives the container the right {target} over this machine's kernel",
         instead=_NO_EXIT),
    Fact(ESCAPE, "--cap-add=*NET_ADMIN|--cap-add=*NET_RAW|--cap-add=*MKNOD", severity=MEDIUM,
         says="gives the container more rights over this machine's network or devices"),
    Fact(ESCAPE, _DISKS, on="--device", says="gives the container the disk or memory {target}",
         instead=_NO_EXIT),
    Fact(ESCAPE, "--security-opt=*unconfined*", on="--security-opt",
         says="switches the container's confinement off ({target})", instead=_NO_EXIT),
    Fact(ESCAPE, "--security-opt=label*disable*", severity=MEDIUM,
         says="switches SELinux labels off for the container"),
    Fact(READ, on="--env-file|--label-file"),
)  # fmt: skip

_RUN = program(
    *ESCAPES,
    posix=True, values=RUN_VALUES, harmless="--help", reader="container_run",
    wraps=(Wrapper(where="elsewhere", skip=1),),
)  # fmt: skip
_EXEC = program(
    Fact(ESCAPE, "--privileged",
         says="runs a command in the container with full power over this machine",
         instead="Run it without `--privileged`: `docker exec NAME CMD`."),
    Fact(READ, on="--env-file"),
    posix=True,
    values="-e --env --env-file -u --user -w --workdir --detach-keys --preserve-fds --index "
    "--cidfile",
    harmless="--help", wraps=(Wrapper(where="elsewhere", skip=1),),
)  # fmt: skip
_REMOVE = program(
    Fact(DESTROY, "-a|--all", says="removes every container, also those of other projects",
         instead=_LOOK_CONTAINERS),
    Fact(DESTROY, "-v|--volumes", severity=MEDIUM,
         says="removes the container together with its anonymous volumes"),
    Fact(DESTROY, "-f|--force", severity=LOW, says="stops and removes a running container"),
    values="-t --time --filter --cidfile --depend --pod-id-file", harmless="--help",
    reader="container_mass",
)  # fmt: skip
_STOP = program(
    Fact(KILL, "-a|--all", severity=HIGH, says="stops every container on this machine",
         instead="Stop the one you mean by its name: `docker stop NAME`."),
    Fact(KILL, "", severity=LOW, says="stops a container"),
    values="-t --time --timeout -s --signal --filter --cidfile", harmless="--help",
    reader="container_mass",
)  # fmt: skip
_REMOVE_IMAGE = program(
    Fact(DESTROY, "-a|--all|--prune", says="removes every image",
         instead="Look first (`docker image ls`), then `docker rmi NAME:TAG`."),
    Fact(CHANGE, "", severity=LOW, says="removes an image"),
    harmless="--help", reader="container_mass",
)  # fmt: skip
_BUILD = program(
    Fact(READ, on="-f|--file|--ignorefile"),
    Fact(WRITE, on="--iidfile|--metadata-file|--logfile"),
    Fact(PUBLISH, "--push|-o=type=registry*|--output=type=registry*", severity=MEDIUM,
         on="-t|--tag", says="pushes the image {target} to its registry"),
    Fact(ESCAPE, "--allow=security.insecure", severity=MEDIUM,
         says="builds with full power over the build machine"),
    Fact(FETCH, "@http*://*|git://*|git@*|github.com/*", severity=MEDIUM, on="last",
         says="builds from {target}, which nobody has read here"),
    values=_BUILD_VALUES, harmless="--help",
)  # fmt: skip
_COPY = program(harmless="--help", reader="container_copy")
_PUSH = program(
    Fact(PUBLISH, severity=MEDIUM, on="1", says="pushes the image {target}"),
    values="--authfile --creds --cert-dir --format --digestfile --sign-by",
    harmless="--help|--dry-run",
)  # fmt: skip
_SAVE = program(
    Fact(WRITE, on="-o|--output"),
    values="-o --output --format --platform", harmless="--help",
)  # fmt: skip
_LOAD = program(
    Fact(READ, on="-i|--input"),
    values="-i --input --platform -c --change -m --message", harmless="--help",
)  # fmt: skip
_UPDATE = program(Fact(CHANGE, severity=LOW), values=RUN_VALUES, harmless="--help")
_LOGIN = program(
    Fact(SECRET, "-p|--password", severity=MEDIUM, on="registry password",
         says="shows a registry password in the command line"),
    values="-u --username -p --password --authfile --cert-dir", harmless="--help",
)  # fmt: skip

_CONTAINER = {
    "run|create": _RUN,
    "exec": _EXEC,
    "rm|remove": _REMOVE,
    "stop|kill": _STOP,
    "restart|pause|unpause": program(
        Fact(KILL, severity=LOW, says="stops a container for a moment"),
        values=_STOP.values, harmless="--help",
    ),
    "cp": _COPY,
    "export": _SAVE,
    "update": _UPDATE,
    "checkpoint": program(Fact(CHANGE, "rm|remove", severity=MEDIUM)),
}  # fmt: skip

_IMAGE_PRUNE = Fact(
    DESTROY,
    "prune -a|--all",
    severity=MEDIUM,
    says="removes every image that no container uses",
)

_SUBCOMMANDS = {
    **_CONTAINER,
    "container": program(
        Fact(DESTROY, "prune", severity=MEDIUM, says="removes every stopped container"),
        subcommands=_CONTAINER,
        harmless="--help", values="--filter",
    ),
    "rmi": _REMOVE_IMAGE,
    "build": _BUILD,
    "push": _PUSH,
    "save": _SAVE,
    "load|import": _LOAD,
    "login": _LOGIN,
    "image": program(
        _IMAGE_PRUNE,
        harmless="--help",
        subcommands={"rm|remove": _REMOVE_IMAGE, "build": _BUILD, "push": _PUSH, "save": _SAVE,
                     "load|import": _LOAD},
    ),
    "volume": program(
        Fact(DESTROY, "rm|remove|delete", on="each",
             says="deletes the volume {target} and the data in it",
             instead='Save it first: `docker run --rm -v {target}:/d:ro -v "$PWD":/b alpine tar '
             "czf /b/volume.tgz -C /d .`; the user can then remove it."),
        Fact(DESTROY, "rm|remove -a|--all", says="deletes every volume and the data in them",
             instead=_LOOK_VOLUMES),
        Fact(DESTROY, "prune", says="deletes every volume not in use right now",
             instead=_LOOK_VOLUMES),
        harmless="--help", values="--filter -d --driver -o --opt --label --name",
    ),
    "network": program(
        Fact(CHANGE, "rm|remove|prune", severity=LOW, says="removes networks"),
        Fact(CHANGE, "disconnect", severity=LOW),
        harmless="--help",
    ),
    "system": program(
        Fact(DESTROY, "prune",
             says="removes all stopped containers, unused networks and images of every project",
             instead="Look at the space: `docker system df`; then remove single things, such "
             "as `docker image prune`."),
        Fact(DESTROY, "prune --volumes", says="deletes all unused volumes with their data",
             instead=_LOOK_VOLUMES),
        Fact(DESTROY, "reset", severity=CRITICAL,
             says="deletes all containers, images, volumes and settings",
             instead="List it first: `podman system df`."),
        harmless="--help", values="--filter --format --since --until",
    ),
    "builder|buildx": program(
        Fact(CHANGE, "prune", severity=LOW, says="empties the build cache"),
        Fact(CHANGE, "rm", severity=LOW, says="removes a builder"),
        Fact(PUBLISH, "bake --push", severity=MEDIUM, says="builds and pushes images"),
        harmless="--help|--dry-run", values="--builder --driver --name --filter --keep-storage",
        subcommands={"build": _BUILD},
    ),
    "swarm": program(
        Fact(DESTROY, "leave -f|--force", says="takes this manager out of the swarm by force",
             instead="Look first: `docker node ls`."),
        Fact(CHANGE, "leave !-f|--force", severity=MEDIUM, says="takes this node out of the swarm"),
        Fact(SECRET, "unlock-key", on="swarm unlock key", says="shows the swarm's unlock key",
             instead="Look at the swarm without its keys: `docker info`."),
        Fact(SECRET, "join-token", severity=MEDIUM, on="swarm join token"),
        Fact(CHANGE, "ca --rotate", severity=MEDIUM, says="replaces the swarm's root certificate"),
        harmless="--help",
    ),
    "stack": program(
        Fact(DESTROY, "rm|remove|down", on="each",
             says="removes the stack {target} with all its services",
             instead="Look first: `docker stack services {target}`; the user can remove it."),
        Fact(CHANGE, "deploy|up", severity=MEDIUM, says="deploys a stack to the swarm"),
        Fact(READ, "deploy|up", on="-c|--compose-file"),
        harmless="--help", values="-c --compose-file --orchestrator --format --filter",
    ),
    "service": program(
        Fact(DESTROY, "rm|remove", on="each", says="removes the service {target}",
             instead=_LOOK_SWARM),
        Fact(DESTROY, "scale @*=0", says="stops every copy of a service", instead=_LOOK_SWARM),
        Fact(DESTROY, "update --replicas=0", says="stops every copy of a service",
             instead=_LOOK_SWARM),
        Fact(CHANGE, "update|rollback|scale|create", severity=MEDIUM, says="changes a service"),
        harmless="--help",
        values=f"{RUN_VALUES} --replicas --image --update-delay --args --constraint-add",
    ),
    "node": program(
        Fact(DESTROY, "rm|remove", on="each", says="removes the node {target} from the swarm",
             instead="Look first: `docker node ls`."),
        Fact(DESTROY, "update --availability=drain", says="moves all work off a node",
             instead="Look first: `docker node ps`."),
        Fact(CHANGE, "demote|promote|update", severity=MEDIUM),
        harmless="--help", values="--availability --role --label-add --label-rm --filter --format",
    ),
    "secret|config": program(
        Fact(DESTROY, "rm|remove", on="each", says="deletes {target}, which services may need",
             instead="Look first: `docker secret ls` and `docker service ls`."),
        Fact(SECRET, "inspect --showsecret", says="shows the value of a secret",
             instead="`docker secret inspect NAME` shows it without the value."),
        Fact(READ, "create", on="2"),
        harmless="--help", values="-d --driver -l --label --template-driver --format --filter",
    ),
    "context": program(
        Fact(CHANGE, "rm|remove", severity=MEDIUM, says="forgets how a docker host is reached"),
        Fact(CHANGE, "use", severity=LOW, says="makes docker talk to another host"),
        Fact(WRITE, "export", on="2"),
        harmless="--help", values="--docker --description --from --default-stack-orchestrator",
    ),
    "plugin": program(
        Fact(PRIVILEGE, "install --grant-all-permissions", on="1",
             says="installs the plugin {target} with all the rights it asks for",
             instead="Look at it first: `docker search {target}`."),
        Fact(INSTALL, "install|enable|upgrade", severity=MEDIUM),
        Fact(CHANGE, "rm|remove|disable", severity=MEDIUM),
        harmless="--help",
    ),
    "trust": program(
        Fact(DESTROY, "revoke", says="takes back the signatures of an image",
             instead="Look first: `docker trust inspect IMAGE`."),
        Fact(PUBLISH, "sign", severity=MEDIUM),
        harmless="--help",
    ),
    "manifest": program(Fact(PUBLISH, "push", severity=MEDIUM, on="1"), harmless="--help"),
    # podman
    "pod": program(
        Fact(DESTROY, "rm -a|--all", says="removes every pod with its containers",
             instead="Look first: `podman pod ls`."),
        Fact(DESTROY, "rm", severity=MEDIUM, says="removes a pod with its containers"),
        Fact(DESTROY, "prune", severity=MEDIUM, says="removes every stopped pod"),
        Fact(KILL, "stop|kill -a|--all", severity=HIGH, says="stops every pod",
             instead="Stop the one you mean: `podman pod stop NAME`."),
        values="-t --time --pod-id-file", harmless="--help",
    ),
    "machine": program(
        Fact(DESTROY, "rm|reset",
             says="deletes the virtual machine with every container, image and volume in it",
             instead="Look first: `podman machine list`."),
        Fact(KILL, "stop", severity=LOW),
        harmless="--help", values="--cpus --memory --disk-size --image --username",
        subcommands={
            "ssh": program(
                posix=True, values="--username",
                wraps=(Wrapper(form="words", where="elsewhere", skip=1),),
            ),
        },
    ),
    "unshare": program(posix=True, wraps=(Wrapper(),)),
    "kube": program(
        Fact(DESTROY, "down --force", says="removes the pods and their volumes",
             instead="Look first: `podman pod ls`."),
    ),
}  # fmt: skip

_COMPOSE_SUBCOMMANDS = {
    "exec": _EXEC,
    "run": _RUN,
    "down": program(
        Fact(DESTROY, "--rmi=all", says="removes every image of the services",
             instead="Keep the images: `docker compose down`."),
        Fact(KILL, severity=LOW, says="stops and removes the project's containers"),
        values="-t --timeout --rmi", harmless="--help|--dry-run",
    ),
    "rm": program(
        Fact(DESTROY, "-v|--volumes", says="removes containers with their anonymous volumes",
             instead="Keep the volumes: `docker compose rm -s SERVICE`."),
        harmless="--help|--dry-run",
    ),
    "stop|kill|restart": program(
        Fact(KILL, severity=LOW),
        values="-t --timeout -s --signal", harmless="--help|--dry-run",
    ),
    "up": program(
        Fact(DESTROY, "-V|--renew-anon-volumes", severity=MEDIUM,
             says="starts with new, empty anonymous volumes"),
        values="-t --timeout --scale --exit-code-from --abort-on-container-exit --attach "
        "--no-attach --pull --wait-timeout",
        harmless="--help|--dry-run",
    ),
    "volumes": program(),
    "cp": _COPY,
    "push": program(
        Fact(PUBLISH, severity=MEDIUM, says="pushes the images of the project"),
        harmless="--help|--dry-run",
    ),
    "publish": program(
        Fact(PUBLISH, severity=MEDIUM, says="publishes the compose project"),
        harmless="--help|--dry-run",
    ),
    "build": program(values="--build-arg --builder -m --memory --progress --ssh --push"),
}  # fmt: skip

_TEST_NAMES = ("*.test.*", "*[-_]test.*", "*/test.*", "test*", "*/tests/*", "*[-_]test", "*.ci.*")
_TEST_SERVICES = "|".join(
    f"{option}={name}"
    for option in ("-f", "--file", "-p", "--project-name", "--profile")
    for name in _TEST_NAMES
)
_COMPOSE = program(
    Fact(DESTROY, f"down -v|--volumes !{_TEST_SERVICES}", instead="Keep the data: `docker compose "
         "down`.", says="deletes the volumes of the project with their data"),
    Fact(DESTROY, f"down -v|--volumes {_TEST_SERVICES}", severity=LOW,
         says="deletes the volumes of the project's test services"),
    values="-f --file -p --project-name --profile --env-file --project-directory --parallel "
    "--progress --ansi -H --host -c --context --log-level --tlscacert --tlscert --tlskey "
    "--podman-path --podman-args --podman-run-args",
    harmless="--help|-h|--version|--dry-run", reader="compose",
    subcommands=_COMPOSE_SUBCOMMANDS,
)  # fmt: skip

_ENGINE = program(
    values="--config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey "
    "--address --namespace --snapshotter --storage-driver --storage-opt --data-root --cni-path "
    "--cni-netconfpath --cgroup-manager --hosts-dir --connection --conmon --events-backend "
    "--hooks-dir --identity --imagestore --module --network-cmd-path --network-config-dir --out "
    "--root --runroot --runtime --runtime-flag --ssh --tmpdir --url --volumepath",
    harmless="--help|--version", reader="container_engine",
    subcommands={**_SUBCOMMANDS, "compose": _COMPOSE},
)  # fmt: skip
_NERDCTL = program(
    values=f"{_ENGINE.values} -n -a", harmless="--help|--version", reader="container_engine",
    subcommands=_ENGINE.subcommands,
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "docker": _ENGINE,
    "podman": _ENGINE,
    "podman-remote": program(same_as="podman"),
    "com.docker.cli": program(same_as="docker"),
    "nerdctl": _NERDCTL,
    "finch": program(same_as="nerdctl"),
    "docker-compose": _COMPOSE,
    "podman-compose": program(same_as="docker-compose"),
    "docker-buildx": _SUBCOMMANDS["builder|buildx"],
}  # fmt: skip
