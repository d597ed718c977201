"""The embedded Kubernetes API of the local cloud: in memory, signed in to as EKS does."""
