"""What commands find: attributes, dictionaries, tables and pictures, all from the command's own JSON and text."""

from __future__ import annotations

import html
import json
import typing

from . import _octet
from ._errors import Error

_NOT_IN_JSON = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_NAMES = frozenset({"name", "tensor", "node", "step", "counterpart", "model", "array"})


class Facts(dict[str, typing.Any]):
    """A part of a result: a dict whose keys are attributes, too."""

    def __getattr__(self, name: str) -> typing.Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name}; there is {', '.join(self)}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(key for key in self if key.isidentifier())]


def _with_numbers(pairs: list[tuple[str, typing.Any]]) -> Facts:
    return Facts(
        (key, _NOT_IN_JSON[value] if isinstance(value, str) and value in _NOT_IN_JSON and key not in _NAMES else value)
        for key, value in pairs
    )


def facts_of(text: str) -> Facts:
    """A JSON document; numbers that JSON does not have are numbers again."""
    facts = json.loads(text, object_pairs_hook=_with_numbers)
    assert isinstance(facts, Facts)
    return facts


def data_frame(rows: list[typing.Any]) -> typing.Any:
    try:
        import pandas
    except ImportError:
        raise Error("to_pandas needs pandas: pip install octet-onnx[pandas]", code="unsupported") from None
    return pandas.json_normalize([dict(row) for row in rows])


def page_of(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"


def _is_plain(value: typing.Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


def table_of(rows: list[Facts]) -> str:
    """Rows as an HTML table: the columns that are numbers and words."""
    columns = [key for key in rows[0] if all(_is_plain(row.get(key)) for row in rows)]

    def cell(value: typing.Any) -> str:
        if value is None:
            return "<td></td>"
        text = f"{value:.6g}" if isinstance(value, float) else str(value)
        align = "left" if isinstance(value, str) else "right"
        return f'<td style="text-align:{align}">{html.escape(text)}</td>'

    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join("<tr>" + "".join(cell(row.get(column)) for column in columns) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Result:
    """What a command found. Its facts are attributes, under the names that the command's JSON has.

    >>> import octet
    >>> found = octet.bounds("models/resnet8_int8.onnx")
    >>> found.steps[0].name, found.passed
    ('conv', True)
    """

    #: Where the rows of to_pandas() are: the first of these keys that the document has.
    _rows: typing.ClassVar[tuple[str, ...]] = ("steps", "rows", "tensors", "nodes")

    def __init__(self, report: _octet.Report) -> None:
        self._report = report
        self._document: Facts | None = None

    @property
    def _facts(self) -> Facts:
        if self._document is None:
            self._document = facts_of(self._report.json())
        return self._document

    @property
    def passed(self) -> bool:
        """Whether the verdict is good: the command's exit code is 0. True where there is no verdict."""
        return self._report.passed

    def __getattr__(self, name: str) -> typing.Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._facts:
            return self._facts[name]
        raise AttributeError(f"{type(self).__name__} has no {name}; there is {', '.join(self._facts)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._facts]

    def to_json(self) -> str:
        """The document that the command writes with --json."""
        return self._report.json()

    def to_dict(self) -> dict[str, typing.Any]:
        """The same as a dict."""
        document = json.loads(self._report.json())
        assert isinstance(document, dict)
        return document

    def to_text(self, width: int = 120) -> str:
        """What the command prints, no wider than `width` columns."""
        return self._report.text(width)

    def rows(self) -> list[Facts]:
        """The rows of to_pandas()."""
        for key in self._rows:
            facts: typing.Any = self._facts
            for part in key.split("."):
                facts = facts.get(part) if isinstance(facts, dict) else facts[0].get(part) if facts else None
            if facts:
                return list(facts)
        return []

    def to_pandas(self) -> typing.Any:
        """A table of what was found, as a pandas.DataFrame."""
        return data_frame(self.rows())

    def __repr__(self) -> str:
        return self._report.text(80).rstrip("\n")

    def _repr_svg_(self) -> str | None:
        return self._report.picture()

    def _repr_html_(self) -> str:
        rows = self.rows()
        table = table_of(rows) if rows else page_of(self._report.text(120))
        return (self._repr_svg_() or "") + table


class Inspection(Result):
    """What is in a model: `nodes`, `model`, `summary`, `notes`."""


class Run(Result):
    """A run: `arrays` by name."""

    _rows = ("outputs",)

    @property
    def arrays(self) -> dict[str, typing.Any]:
        """The outputs, or with all=True every value, as NumPy arrays."""
        arrays = self._report.extras["arrays"]
        assert isinstance(arrays, dict)
        return arrays

    def __getitem__(self, name: str) -> typing.Any:
        return self.arrays[name]


class _WithModel(Result):
    @property
    def model(self) -> typing.Any:
        """The quantized model."""
        from ._models import wrap

        return wrap(self._report.extras["model"])


class Quantized(_WithModel):
    """What quantization made: the `model`, and of each of `nodes` whether it is quantized and why."""

    _rows = ("nodes",)

    @property
    def simplified(self) -> typing.Any:
        """The float model as it was before quantization: folded."""
        from ._models import wrap

        return wrap(self._report.extras["simplified"])


class Evaluation(Result):
    """How often a classifier is right: `model.top1`, `baseline`."""

    _rows = ("model.per_class",)

    @property
    def top1(self) -> float:
        """Of the samples, the share that it gets right."""
        return float(self._facts["model"]["top1"] / self._facts["model"]["samples"])

    def rows(self) -> list[Facts]:
        keys = ("model", "baseline")
        return [
            Facts(network=key, **{name: value for name, value in self._facts[key].items() if _is_plain(value)})
            for key in keys
            if self._facts.get(key)
        ]


class Loss(Result):
    """What a network loses beside another, for each of `tensors` and `weights`."""

    _rows = ("tensors",)


class Sensitivity(Result):
    """Which `layers`, and which `kinds` of them, 8 bits hurt."""

    _rows = ("layers",)


class Tuned(_WithModel):
    """What a search `tried`, and the `model` that it chose."""

    _rows = ("tried", "schemes")


class Explanation(Result):
    """How an element came about."""

    _rows = ("terms", "products")

    @property
    def markdown(self) -> str:
        """The same as Markdown with formulas."""
        return str(self._report.extras["markdown"])

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        return page_of(self._report.text(120))


class Verification(Result):
    """The verdict on every tensor, end to end and step by step."""

    _rows = ("runs.steps", "runs.end_to_end")

    @property
    def equal(self) -> bool:
        """Whether the other side agrees: the verdict of the command."""
        return self.passed


class Comparison(Result):
    """The verdict on two dumps of tensors."""

    _rows = ("tensors", "steps", "end_to_end")

    @property
    def equal(self) -> bool:
        """Whether nothing differs that should not."""
        return self.passed


class Conformance(Result):
    """The verdict on an implementation of the operators, for each of `operations`."""

    _rows = ("operations",)


class Bounds(Result):
    """The proven widths of each of `steps`, and the constants of `combining` ones."""

    _rows = ("steps",)


class Simulation(Result):
    """What other hardware makes of a network: a row for each variant."""

    _rows = ("rows",)


class Sweep(Result):
    """A row for every combination of the settings."""

    _rows = ("rows",)


class Drawing(Result):
    """A picture."""

    _rows = ("files",)

    @property
    def pictures(self) -> list[bytes]:
        """The bytes of each file."""
        return list(self._report.extras["pictures"])

    def _repr_html_(self) -> str:
        return self._repr_svg_() or page_of(self._report.text(120))

    def _repr_png_(self) -> bytes | None:
        first = self.pictures[0]
        return first if first.startswith(b"\x89PNG") else None


class Bench(Result):
    """How fast a network runs, and how many results are exact: `measurements`."""

    _rows = ("measurements.contenders",)


class Export(Result):
    """The files that were written."""

    _rows = ("exports",)


class Compiled(Result):
    """The library that was written."""

    @property
    def model(self) -> typing.Any:
        """The library, for whatever takes a model."""
        from ._models import Model

        return Model(self._facts["output"])


class Catalog(Result):
    """What this Octet has."""

    _rows = ("operators", "engines")
