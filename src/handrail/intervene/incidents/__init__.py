"""Records of emergency stops: the record, its report, and ways to go on."""
