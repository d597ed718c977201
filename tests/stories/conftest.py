"""The stories play on one deployed local cloud."""

from tests.clouds import Cloud

__all__ = ["Cloud"]
