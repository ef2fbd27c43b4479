"""Numbers of docs/quantization/09-memory.md."""

import numpy as np

from resnet8 import *


def memory():
    program = facts("lower", OPERATORS)
    values = {value["name"]: value for value in program["values"] if not value["constant"]}
    order = list(steps().values())
    def row(name, value):
        size = int(np.prod([1 if dimension == "N" else dimension for dimension in value["shape"]])) * (4 if value["type"] == "float32" else 1)
        written = next((k for k, step in enumerate(order) if name in step["outputs"]), "before 0")
        read = [k for k, step in enumerate(order) if name in step["inputs"]]
        shares = f"is `{value['alias_of']}`" if value["alias_of"] else f"over `{value['overwrites']}`" if value["overwrites"] else ""
        return f"`{name}`", value["type"], "x".join(map(str, value["shape"][1:])), whole(value["offset"]), whole(value["offset"] + size - 1), \
            written, ", ".join(map(str, read)) or "after the last", shares
    return table(["value", "type", "C x H x W", "first byte:", "last byte:", "written by step:", "read by steps:", "shares"],
                 [row(*item) for item in values.items()])
