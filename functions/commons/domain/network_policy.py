"""What a team's pods may reach: their own namespace, and what every task needs; nothing else."""

from typing import Any

NAME = "commons-isolation"
# where EKS Pod Identity hands out credentials; not the node's own at 169.254.169.254
_POD_IDENTITY = ("169.254.170.23/32", "fd00:ec2::23/128")
_EVERYWHERE = ("0.0.0.0/0", "::/0")
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7")
_OWN_NAMESPACE: dict[str, Any] = {"podSelector": {}}
_DNS = {
    "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}},
}


def spec() -> dict[str, Any]:
    """Denies by default, both ways, because it selects every pod and names both types."""
    return {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
        "ingress": [{"from": [_OWN_NAMESPACE]}],
        "egress": [
            {"to": [_OWN_NAMESPACE]},
            {"to": [_DNS], "ports": [_port("UDP", 53), _port("TCP", 53)]},
            # the Kubernetes API and the endpoints of AWS, whose addresses change
            {"to": _blocks(_EVERYWHERE), "ports": [_port("TCP", 443)]},
            {"to": _blocks(_POD_IDENTITY), "ports": [_port("TCP", 80)]},
            # FSx for Lustre, and NFS for OpenZFS and EFS
            {
                "to": _blocks(_PRIVATE),
                "ports": [_port("TCP", 988), _port("TCP", 1018, 1023), _port("TCP", 2049)],
            },
        ],
    }


def _blocks(ranges: tuple[str, ...]) -> list[dict[str, Any]]:
    return [{"ipBlock": {"cidr": cidr}} for cidr in ranges]


def _port(protocol: str, first: int, last: int | None = None) -> dict[str, Any]:
    port: dict[str, Any] = {"protocol": protocol, "port": first}
    return port if last is None else {**port, "endPort": last}
