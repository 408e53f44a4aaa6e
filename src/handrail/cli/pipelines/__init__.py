"""What `handrail pipeline` shows while steps run, and afterwards."""
