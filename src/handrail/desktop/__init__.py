"""An unattended graphical session is seen, unstuck and verified."""
