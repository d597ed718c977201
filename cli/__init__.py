"""The `commons` command."""
