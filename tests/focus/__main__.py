"""`make test-focus`: our FOCUS file before the public validator; its faults are waived by name."""

import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import yaml

from commons.adapters.export_files import write_focus
from tests.unit.test_focus import LINES, RUN

ROOT = Path(__file__).parents[2]
WAIVERS = Path(__file__).with_name("waivers.yaml")
_FEWEST = 150
# what our data has, so that the rules for it count
CRITERIA = (
    "ACCOUNT_NAMING_SUPPORTED",
    "BILLING_BASED_ON_PROVISIONED_RESOURCES_SUPPORTED",
    "MULTIPLE_PRICING_CATEGORIES_SUPPORTED",
    "REGION_SUPPORTED",
    "RESOURCE_TYPE_ASSIGNMENT_SUPPORTED",
    "SUB_ACCOUNT_SUPPORTED",
    "TAGGING_SUPPORTED",
    "USAGE_MEASUREMENT_SUPPORTED",
)


def broken(environment: Path, folder: Path) -> tuple[int, set[str]]:
    """How many rules the validator tried on our file, and the ids of those it finds broken."""
    parquet, _ = write_focus(RUN, LINES, folder)
    report = folder / "report.xml"
    purelib = sysconfig.get_path("purelib", vars={"base": str(environment)})
    subprocess.run(
        [
            environment / "bin" / "focus-validator",
            *("--data-file", parquet, "--validate-version", "1.2.0.1", "--block-download"),
            *("--applicability-criteria", ",".join(CRITERIA)),
            *("--output-type", "unittest", "--output-destination", report),
        ],
        cwd=purelib,  # it looks for its own files below the working directory
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=300,
    )
    cases = list(ElementTree.parse(report).iter("testcase"))  # noqa: S314 - made here
    tried = [case for case in cases if case.find("skipped") is None]
    failed = [
        case for case in tried if case.find("failure") is not None or case.find("error") is not None
    ]
    return len(tried), {case.attrib["name"].split(" :: ")[0] for case in failed}


def main() -> int:
    waivers = yaml.safe_load(WAIVERS.read_text())
    with TemporaryDirectory() as folder:
        tried, found = broken(ROOT / ".venv-focus", Path(folder))
    for rule in sorted(found - set(waivers)):
        print(f"broken: {rule}")  # noqa: T201
    for rule in sorted(set(waivers) - found):
        print(f"waived in {WAIVERS.name} without need: {rule}")  # noqa: T201
    print(f"{tried} rules tried, {len(found & set(waivers))} waived with reasons")  # noqa: T201
    # a validator that tries next to nothing finds nothing broken
    return 0 if found == set(waivers) and tried > _FEWEST else 1


if __name__ == "__main__":
    sys.exit(main())
