"""The one exception that Octet raises, and the warnings."""

from __future__ import annotations


class Error(Exception):
    """Whatever goes wrong in Octet.

    >>> import octet
    >>> try:
    ...     octet.load_model("missing.onnx")
    ... except octet.Error as error:
    ...     print(error.code)
    io
    """

    #: "usage", "io", "format", "model", "constraint", "unsupported", "limit" or "cancelled".
    code: str
    #: What happened, without the place.
    message: str
    #: The node and operator, or the file; may be empty.
    where: str
    #: The label of the operator's constraint that does not hold; may be empty.
    constraint: str

    def __init__(self, text: str, code: str = "usage", message: str = "", where: str = "", constraint: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.message = message or text
        self.where = where
        self.constraint = constraint

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, str, str, str]]:
        return Error, (str(self), self.code, self.message, self.where, self.constraint)


class OctetWarning(UserWarning):
    """What the command says after "warning:" or "note:"."""
