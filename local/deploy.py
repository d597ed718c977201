"""Builds and deploys a template to the local cloud with the SAM CLI, as one would to AWS."""

import fcntl
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from local.clients import client
from local.settings import CHECKOUT, REGION, STACK, Ports, client_environment
from local.state import State

_TAIL = 20
_NOISE = "skipping upload"
_DEPLOY = [
    "--no-progressbar",
    "--no-fail-on-empty-changeset",
    "--capabilities",
    "CAPABILITY_IAM",
    "CAPABILITY_NAMED_IAM",
]
_ARTIFACTS = "gpu-commons-artifacts"


class DeployFailed(Exception):
    """The SAM CLI ended with an error; the text is the end of what it said."""


def parameters(running: State) -> dict[str, str]:
    """The product's template parameters, as the local cloud needs them."""
    return {
        "IdentityStoreId": running.fixtures["identity_store_id"],
        "InstanceArn": running.fixtures["instance_arn"],
        "CostReportBucket": running.fixtures["cost_report_bucket"],
        "MapMode": "INLINE",  # the gateway has no Items in a distributed map
        "RetryAfterSeconds": "2",  # nobody here waits three minutes for a second attempt
    }


def deploy(running: State, folder: Path) -> None:
    """Deploy the product; raises DeployFailed."""
    deploy_template(
        running.ports, CHECKOUT / "template.yaml", STACK, parameters(running), folder / "build"
    )


def deploy_template(
    ports: Ports, template: Path, stack: str, values: Mapping[str, str], build: Path
) -> None:
    """Build `template` into `build` and deploy it as `stack`; raises DeployFailed."""
    overrides = [f"{name}={value}" for name, value in values.items()]
    overrides.append(f"Architecture={_architecture()}")
    environment = _environment(ports)
    options: dict[str, str] = {"--template-file": str(template), "--build-dir": str(build)}
    with _one_build_at_a_time() as cache:
        options["--cache-dir"] = str(cache)
        _sam("build", options, ["--cached", "--parameter-overrides", *overrides], environment)
    options = {
        "--template-file": str(build / "template.yaml"),
        "--stack-name": stack,
        "--s3-bucket": _artifacts(ports),
    }
    _sam("deploy", options, [*_DEPLOY, "--parameter-overrides", *overrides], environment)


def _sam(
    command: str, options: Mapping[str, str], rest: list[str], environment: Mapping[str, str]
) -> None:
    ended = subprocess.run(
        [_sam_cli(), command, *chain.from_iterable(options.items()), *rest],
        env=dict(environment),
        cwd=CHECKOUT,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if ended.returncode:
        said = [line for line in ended.stdout.splitlines() if line.strip() and _NOISE not in line]
        end = "\n".join(said[-_TAIL:])
        raise DeployFailed(f"sam {command} ended with {ended.returncode}:\n{end}")


def _artifacts(ports: Ports) -> str:
    """The bucket the SAM CLI uploads to; making it ourselves saves it a stack of its own."""
    s3 = client("s3", ports)
    try:
        s3.create_bucket(
            Bucket=_ARTIFACTS, CreateBucketConfiguration={"LocationConstraint": REGION}
        )
    except s3.exceptions.BucketAlreadyOwnedByYou:
        return _ARTIFACTS
    return _ARTIFACTS


def _sam_cli() -> str:
    own = CHECKOUT / ".venv-sam" / "bin" / "sam"
    found = str(own) if own.exists() else shutil.which("sam")
    if not found:
        raise DeployFailed("the SAM CLI is not installed: make install")
    return found


def _environment(ports: Ports) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    tools = str(CHECKOUT / ".venv" / "bin")  # the interpreter the build looks for
    return {
        **plain,
        **client_environment(ports),
        "PATH": os.pathsep.join([tools, plain.get("PATH", "")]),
        "SAM_CLI_TELEMETRY": "0",
        "SAM_CLI_POLL_DELAY": "0.3",  # seconds; it is five by default
    }


def _architecture() -> str:
    return "arm64" if platform.machine() in {"arm64", "aarch64"} else "x86_64"


@contextmanager
def _one_build_at_a_time() -> Iterator[Path]:
    """The cache of built layers, which two builds must not write at once."""
    cache = CHECKOUT / ".aws-sam" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield cache
