"""The control protocol: what people and programs may ask of a run, and what they are told."""
