"""Figures of one node per family and size: what AWS publishes, as short as can be exact."""

# family -> size -> (accelerators, vCPU, memory in GiB)
GPU: dict[str, dict[str, tuple[int, int, int]]] = {
    "p3": {"2xlarge": (1, 8, 61), "8xlarge": (4, 32, 244), "16xlarge": (8, 64, 488)},
    "p3dn": {"24xlarge": (8, 96, 768)},
    "p4d": {"24xlarge": (8, 96, 1152)},
    "p4de": {"24xlarge": (8, 96, 1152)},
    "p5": {"4xlarge": (1, 16, 256), "48xlarge": (8, 192, 2048)},
    "p5e": {"48xlarge": (8, 192, 2048)},
    "p5en": {"48xlarge": (8, 192, 2048)},
    "p6-b200": {"48xlarge": (8, 192, 2048)},
    "p6-b300": {"48xlarge": (8, 192, 4096)},
    "p6e-gb200": {"36xlarge": (4, 144, 960)},
    "gr6": {"4xlarge": (1, 16, 128), "8xlarge": (1, 32, 256)},
    "g7e": {
        "2xlarge": (1, 8, 64),
        "4xlarge": (1, 16, 128),
        "8xlarge": (1, 32, 256),
        "12xlarge": (2, 48, 512),
        "24xlarge": (4, 96, 1024),
        "48xlarge": (8, 192, 2048),
    },
}
# family -> GiB of memory per vCPU, and size -> GPUs
_G_SIZES = {"xlarge": 1, "2xlarge": 1, "4xlarge": 1, "8xlarge": 1, "12xlarge": 4, "16xlarge": 1}
_G_LARGE = _G_SIZES | {"24xlarge": 4, "48xlarge": 8}
_G7 = {"2xlarge": 1, "4xlarge": 1, "8xlarge": 1, "12xlarge": 2, "24xlarge": 4, "48xlarge": 8}
G: dict[str, tuple[int, dict[str, int]]] = {
    "g4dn": (4, _G_SIZES),
    "g5": (4, _G_LARGE),
    "g6": (4, _G_LARGE),
    "g6e": (8, _G_LARGE),
    "g7": (4, _G7),
}
# family -> cores per device, size -> (devices, vCPU, memory in GiB)
NEURON: dict[str, tuple[int, dict[str, tuple[int, int, int]]]] = {
    "trn1": (2, {"2xlarge": (1, 8, 32), "32xlarge": (16, 128, 512)}),
    "trn1n": (2, {"32xlarge": (16, 128, 512)}),
    "trn2": (8, {"3xlarge": (1, 12, 128), "48xlarge": (16, 192, 2048)}),
    "trn2u": (8, {"48xlarge": (16, 192, 2048)}),
    "inf2": (
        2,
        {
            "xlarge": (1, 4, 16),
            "8xlarge": (1, 32, 128),
            "24xlarge": (6, 96, 384),
            "48xlarge": (12, 192, 768),
        },
    ),
}
_X86 = "large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge 24xlarge"
_ARM = "medium large xlarge 2xlarge 4xlarge 8xlarge 12xlarge 16xlarge"
# family -> GiB of memory per vCPU, sizes
CPU: dict[str, tuple[int, str]] = {
    "c5": (2, "large xlarge 2xlarge 4xlarge 9xlarge 12xlarge 18xlarge 24xlarge"),
    "c6a": (2, f"{_X86} 32xlarge 48xlarge"),
    "c6g": (2, _ARM),
    "c6i": (2, f"{_X86} 32xlarge"),
    "c7g": (2, _ARM),
    "c7i": (2, f"{_X86} 48xlarge"),
    "c8g": (2, f"{_ARM} 24xlarge 48xlarge"),
    "m5": (4, _X86),
    "m6a": (4, f"{_X86} 32xlarge 48xlarge"),
    "m6g": (4, _ARM),
    "m6i": (4, f"{_X86} 32xlarge"),
    "m7g": (4, _ARM),
    "m7i": (4, f"{_X86} 48xlarge"),
    "m8g": (4, f"{_ARM} 24xlarge 48xlarge"),
    "r5": (8, _X86),
    "r5d": (8, _X86),
    "r6i": (8, f"{_X86} 32xlarge"),
    "r7i": (8, f"{_X86} 48xlarge"),
    "i3en": (8, "large xlarge 2xlarge 3xlarge 6xlarge 12xlarge 24xlarge"),
}
# those that follow no rule: (vCPU, memory in GiB)
ODD = {
    "c5n.large": (2, "5.25"),
    "c5n.xlarge": (4, "10.5"),
    "c5n.2xlarge": (8, "21"),
    "c5n.4xlarge": (16, "42"),
    "c5n.9xlarge": (36, "96"),
    "c5n.18xlarge": (72, "192"),
    "t3.medium": (2, "4"),
    "t3.large": (2, "8"),
    "t3.xlarge": (4, "16"),
    "t3.2xlarge": (8, "32"),
}
