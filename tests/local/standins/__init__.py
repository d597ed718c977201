"""Parts that are small enough to start in no time."""
