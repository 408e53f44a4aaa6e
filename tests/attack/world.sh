# Makes the mounts of a bed, then runs the rest of the line: sh world.sh COMMAND…
# Runs as root of a mount namespace of its own. PYTHON, CLAUDE, INSTALLATION and TESTS say what is
# shown in /mnt; everything else of the machine can be read at most.
set -eu
mount --make-rprivate /
cut -d ' ' -f 5 /proc/self/mountinfo | while read -r place; do
    case $place in
        /proc*) ;; # the world below gets its own
        *) mount -o remount,bind,ro "$place" 2>/dev/null || true ;; # looked at from inside
    esac
done
mount -t tmpfs -o mode=755 tmpfs /mnt
mkdir -p /mnt/python /mnt/installation /mnt/lib/tests
touch /mnt/claude
mount --bind "$PYTHON" /mnt/python
mount --bind "$CLAUDE" /mnt/claude
mount --bind "$INSTALLATION" /mnt/installation
mount --bind "$TESTS" /mnt/lib/tests
printf 'root:x:0:0::/root:/bin/sh\ndev:x:1000:1000::/home/dev:/bin/bash\n' >/mnt/passwd
mount --bind /mnt/passwd /etc/passwd
mount -o remount,bind,ro /mnt
for place in /home /root /tmp /var/tmp /run /dev/shm; do
    mount -t tmpfs -o mode=1777,size=1g tmpfs "$place"
done
case $PYTHON in
    /home/* | /root/* | /tmp/*) # its libraries are looked for where it was built
        mkdir -p "$PYTHON"
        mount --bind /mnt/python "$PYTHON"
        ;;
esac
cd /
exec "$@"
