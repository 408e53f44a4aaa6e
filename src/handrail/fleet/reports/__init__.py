"""What people see of a fleet: progress, and the report at the end."""
