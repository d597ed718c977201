"""The steps of the build, each with how long it takes where nothing is cached."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from local import logs
from local.controlplane import toolchain, versions

_TICK_SECONDS = 0.5
_PLAIN = ("-buildvcs=false", "-trimpath")
_SMALL = "-s -w"
_VERSION = "k8s.io/component-base/version"
# Kueue reads the certificate of its metrics from one fixed folder
_KUEUE_FIXED = 'metricsCertPath := "/etc/kueue/metrics/certs"'
_KUEUE_TOLD = 'metricsCertPath := os.Getenv("KUEUE_METRICS_CERTS")'


class BuildFailed(Exception):
    """A step failed; the text has the end of what it said."""


@dataclass(frozen=True)
class Workshop:
    """Where a build takes place: sources in `work`, results in `out`, all that is said in `log`."""

    go: str
    work: Path
    out: Path
    log: Path
    tick: Callable[[], None]

    def run(self, *words: str, cwd: Path | None = None, **environment: str) -> None:
        """Run Go; raises BuildFailed."""
        with self.log.open("ab") as output:
            process = subprocess.Popen(
                [self.go, *words],
                cwd=cwd or self.work,
                env={**toolchain.environment(), **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
            try:
                while process.poll() is None:
                    self.tick()
                    time.sleep(_TICK_SECONDS)
            finally:
                process.kill()
                process.wait()
        if process.returncode:
            raise BuildFailed(f"go {' '.join(words)} failed:\n{logs.tail(self.log, 20)}")

    def module(self, path: str) -> Path:
        """The unpacked source of a module, such as `sigs.k8s.io/kwok@v0.8.0`."""
        self.run("mod", "download", path)
        answer = subprocess.run(
            [self.go, "mod", "download", "-json", path],
            cwd=self.work,
            env=toolchain.environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        return Path(json.loads(answer.stdout)["Dir"])


@dataclass(frozen=True)
class Step:
    """One step. `minutes`: on two cores, with nothing cached."""

    name: str
    minutes: str
    do: Callable[[Workshop], None]


def needed(with_kubectl: bool) -> Iterator[Step]:
    """The steps in order."""
    yield Step("fetch the sources of Kubernetes", "1 minute", _sources)
    yield Step("build etcd, API server, controllers, scheduler", "6 minutes", _control_plane)
    if with_kubectl:
        yield Step("build kubectl", "1 minute", kubectl)
    yield Step("build Kueue", "6 minutes", _kueue)
    yield Step("build KWOK", "2 minutes", _kwok)


def _sources(shop: Workshop) -> None:
    for file in versions.SOURCE.iterdir():
        shutil.copy(file, shop.work)
    shop.run("mod", "download")


def _control_plane(shop: Workshop) -> None:
    shop.run("build", *_PLAIN, f"-ldflags={_flags()}", "-o", str(shop.out / "cluster"), ".")


def kubectl(shop: Workshop) -> None:
    """Build the client, of the same version."""
    target = str(shop.out / "kubectl")
    shop.run(
        "build", *_PLAIN, f"-ldflags={_flags()}", "-o", target, "k8s.io/kubernetes/cmd/kubectl"
    )


def _kueue(shop: Workshop) -> None:
    source = shop.work / "kueue"
    _copy(shop.module(f"sigs.k8s.io/kueue@v{versions.KUEUE}"), source)
    main = source / "cmd" / "kueue" / "main.go"
    if main.read_text().count(_KUEUE_FIXED) != 1:
        raise BuildFailed(f"Kueue {versions.KUEUE} no longer has {_KUEUE_FIXED}")
    main.write_text(main.read_text().replace(_KUEUE_FIXED, _KUEUE_TOLD))
    target = str(shop.out / "kueue")
    shop.run("build", *_PLAIN, f"-ldflags={_SMALL}", "-o", target, "./cmd/kueue", cwd=source)
    for part in ("crd", "webhook"):
        shutil.copytree(source / "config/components" / part, shop.out / "kueue-config" / part)


def _kwok(shop: Workshop) -> None:
    package = f"sigs.k8s.io/kwok/cmd/kwok@v{versions.KWOK}"
    shop.run("install", *_PLAIN, f"-ldflags={_SMALL}", package, GOBIN=str(shop.out))
    stages = shop.module(f"sigs.k8s.io/kwok@v{versions.KWOK}") / "kustomize" / "stage"
    (shop.out / "stages").mkdir()
    for file in (*stages.glob("node/fast/node-*.yaml"), *stages.glob("pod/fast/pod-*.yaml")):
        (shop.out / "stages" / file.name).write_text(file.read_text())


def _flags() -> str:
    """The version that the server tells: Kueue refuses one that it cannot read."""
    version = versions.kubernetes()
    major, minor, _ = version.split(".")
    told = {"gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    told |= {"gitTreeState": "clean", "gitCommit": "0000000"}
    return " ".join([_SMALL, *(f"-X {_VERSION}.{name}={value}" for name, value in told.items())])


def _copy(source: Path, target: Path) -> None:
    """Modules are read-only in Go's cache; a copy is not."""
    shutil.copytree(source, target)
    for path in (target, *target.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)
