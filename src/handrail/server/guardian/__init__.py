"""The guardian: a small process that keeps the daemon's sockets open and the daemon alive."""
