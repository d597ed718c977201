"""Shows that every permission of the product is needed: `python -m tests.least_privilege`."""
