"""A real Kubernetes control plane with Kueue and nodes without machines, built from source."""
