"""CSV of cost reports: checked before it is read, and read as text by the names of its header.

A file is written by whoever may write to the report's bucket. How far it may unpack, and how long
a row may be, is limited, so that no file takes the memory, disk or time of a function.
"""

import csv
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from commons.adapters.cost_expressions import literal
from commons.domain.cost_columns import is_read
from commons.domain.errors import RefusedInput

# cost reports unpack to 10 to 40 times their size; the most that gzip can do is 1,032 times
LARGEST_RATIO = 100
# below this nobody is harmed, and small files of equal rows unpack to more
ALWAYS_UNPACKED = 256 * 1024 * 1024
# no row of a report comes near it, with every tag and description filled
LARGEST_ROW = 1024 * 1024
_CHUNK = 1024 * 1024
_ENDS = (".csv", ".csv.gz", ".gz")
# what DuckDB says of a line, after the line itself
_FAULT = re.compile(
    r"^(Expected Number|Value with unterminated|Invalid unicode|Maximum line size).*", re.MULTILINE
)
_LINE = re.compile(r"CSV Error on Line: (\d+)")


def is_csv(path: Path) -> bool:
    return path.name.endswith(_ENDS)


def has_content(path: Path) -> bool:
    """Overwriting leaves empty files behind. Raises RefusedInput if it unpacks too far."""
    size = path.stat().st_size
    limit = max(ALWAYS_UNPACKED, size * LARGEST_RATIO)
    total, content = 0, False
    for chunk in _unpacked(path):
        total += len(chunk)
        content = content or bool(chunk.strip())
        if total > limit:
            reason = f"its {size} bytes unpack to more than {limit}"
            raise RefusedInput("the file", [reason])
    return content


def header(path: Path) -> list[str]:
    """Raises RefusedInput if there is none, or a column that is read is there twice."""
    start = b""
    for chunk in _unpacked(path):
        start += chunk
        if b"\n" in chunk or len(start) > LARGEST_ROW:
            break
    text = start[:LARGEST_ROW].decode("utf-8-sig", errors="replace")
    names = next(csv.reader(text.splitlines()), [])
    read = [name.lower() for name in names if is_read(name)]
    if twice := sorted({name for name in read if read.count(name) > 1}):
        raise RefusedInput("the file", [f"column {name} is there twice" for name in twice])
    return names


def reader(path: Path) -> str:
    """SQL that reads the file, every cell as text; what is not read has a number for a name.

    A number read by a guess would lose zeros and digits, and a guess could skip rows.
    """
    names = [name if is_read(name) else f"unread {n}" for n, name in enumerate(header(path))]
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    shape = "header = true, skip = 0, comment = '', delim = ',', quote = '\"', escape = '\"'"
    limits = f"auto_detect = false, max_line_size = {LARGEST_ROW}"
    return f"read_csv([{literal(str(path))}], columns = {{{columns}}}, {shape}, {limits})"


def fault(text: str) -> str | None:
    """What DuckDB says of a line, without the line and its advice; None if it is of no line."""
    line, sentence = _LINE.search(text), _FAULT.search(text)
    if not line:
        return None
    return f"line {line[1]}: {sentence[0][:200] if sentence else 'it is no CSV'}"


def _unpacked(path: Path) -> Iterator[bytes]:
    """What is in the file, in pieces. Raises RefusedInput if a gzip file ends too early."""
    with path.open("rb") as source:
        if not path.name.endswith(".gz"):
            yield from iter(lambda: source.read(_CHUNK), b"")
            return
        member = zlib.decompressobj(wbits=31)
        while packed := member.unconsumed_tail or member.unused_data or source.read(_CHUNK):
            if member.eof:
                member = zlib.decompressobj(wbits=31)
            yield member.decompress(packed, _CHUNK)
        while rest := member.decompress(b"", _CHUNK):
            yield rest
        if not member.eof:
            raise RefusedInput("the file", ["it ends in the middle: its upload was cut short"])
