"""A cluster that the user brings: people and functions sign in to it as they do to EKS."""
