"""What `handrail doctor` examines."""
