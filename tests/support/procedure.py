"""Commands of a page of docs/how-to, as a person types them."""

import re
import shlex
from pathlib import Path

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


def typed_commands(page: str) -> list[list[str]]:
    """The words of each ``twinwall`` command in the page's blocks of commands, in their order, without ``twinwall`` itself."""
    blocks = re.findall(r"```sh\n(.*?)```", (HOW_TO / page).read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    return [shlex.split(line)[1:] for line in lines if line.startswith("twinwall ")]
