"""A part that cannot start."""

raise SystemExit("the disk is full")
