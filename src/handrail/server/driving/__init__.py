"""The driver's side of a driven agent: what `handrail run`, pipelines and the fleet share."""
