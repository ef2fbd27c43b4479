"""The help texts of docs/cli/commands.md, for every command that the tool lists."""

import re

from resnet8 import fenced, octet


def subcommands():
    listed = octet("--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\S+)", listed, re.M)


def commands():
    sections = [("octet", octet("--help")), *((f"octet {name}", octet(name, "--help")) for name in subcommands())]
    return "\n\n".join(f"## {name}\n\n{fenced('text', text)}" for name, text in sections)
