"""The daemon: it answers hooks and control requests, saves files, and reports its health."""
