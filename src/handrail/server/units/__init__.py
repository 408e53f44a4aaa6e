"""The files that let systemd or launchd hold the sockets and keep the guardian running."""
