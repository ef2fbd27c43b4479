"""Numbers of docs/conformance.md."""

import suite
from resnet8 import *

files = suite.files


def operations():
    def form(name):
        _, _, operands, results, _ = suite.OPERATIONS[name]
        def shown(text, counted):
            return " ".join(("count " if column["list"] and counted else "") + column["column"] + ("..." if column["list"] else "")
                            for column in suite.columns(text))
        return f"`{name} {shown(operands, True)}`", f"`{shown(results, False)}`"
    return table(["question", "answer", "rows:", "what", "operators"],
                 [(*form(name), whole(len(suite.rows(name))), what, ", ".join(operators)) for name, (operators, what, *_) in suite.OPERATIONS.items()])


def mistakes():
    """Names, each once, with the rows of all tables that show it."""
    found = {}
    for name in suite.OPERATIONS:
        for mistake in suite.operation(name)["mistakes"]:
            found.setdefault((mistake["name"], mistake["meaning"]), []).append(f"{name} {whole(mistake['rows'])}")
    return table(["mistake", "what it is", "rows that show it"], [(f"`{name}`", meaning, ", ".join(where)) for (name, meaning), where in found.items()])


def rows():
    return whole(sum(len(suite.rows(name)) for name in suite.OPERATIONS))


def longest():
    """The elements of the longest list."""
    return max(len(row[column["column"]].split()) for name, (_, _, operands, *_) in suite.OPERATIONS.items() for column in suite.columns(operands) if column["list"] for row in suite.rows(name))
