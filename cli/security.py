"""`make security`: writes the tables of docs/security.md from what the code enforces.

Whatever stands between `<!-- begin NAME -->` and `<!-- end NAME -->` is made by BLOCKS; a test
compares. The rest of the page is written by hand.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from cli import security_functions, security_isolation, security_rules

PAGE = Path(__file__).parents[1] / "docs" / "security.md"
_BLOCK = re.compile(
    r"(?P<begin><!-- begin (?P<name>[\w-]+) -->\n).*?(?P<end><!-- end (?P=name) -->)", re.S
)

BLOCKS: dict[str, Callable[[], str]] = {
    "roles": security_rules.roles,
    "policies": security_rules.policies,
    "functions": security_functions.functions,
    **security_isolation.BLOCKS,
}


def filled(text: str, blocks: Mapping[str, Callable[[], str]] = BLOCKS) -> str:
    """The page with every block made anew. Raises KeyError for a block that nothing makes."""
    return _BLOCK.sub(
        lambda found: f"{found['begin']}{blocks[found['name']]()}{found['end']}", text
    )


def names(text: str) -> list[str]:
    """The blocks of a page, in its order."""
    return [found["name"] for found in _BLOCK.finditer(text)]


def write(page: Path = PAGE) -> None:
    page.write_text(filled(page.read_text()))


if __name__ == "__main__":
    write()
