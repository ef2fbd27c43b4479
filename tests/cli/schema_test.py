"""Holds the JSON of `octet inspect` and `octet lower` to their schemas, and those to the pages that explain them.

Usage: schema_test.py OCTET MODEL_WRITER
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KEYWORDS = {"$schema", "$defs", "$ref", "title", "type", "const", "enum", "required", "properties", "items",
            "additionalProperties"}


def has_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def violations(value, schema, root, where="$"):
    """What is wrong with a value, by the part of JSON Schema that ours uses."""
    assert set(schema) <= KEYWORDS, set(schema) - KEYWORDS
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    if "const" in schema and value != schema["const"]:
        yield f"{where} is {value!r}, not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}, not one of {schema['enum']}"
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(has_type(value, name) for name in names):
            yield f"{where} is {value!r}, not of type {names}"
            return
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        yield from (f"{where} lacks {name}" for name in schema.get("required", []) if name not in value)
        for name, item in value.items():
            if name in known:
                yield from violations(item, known[name], root, f"{where}.{name}")
            elif others is False:
                yield f"{where} has an unknown field {name}"
            elif others is not True:
                yield from violations(item, others, root, f"{where}.{name}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from violations(item, schema["items"], root, f"{where}[{i}]")


def fields(schema):
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from fields(part)


# Command, schema, the page that explains its fields.
FORMATS = [("inspect", "inspect.schema.json", "inspect-schema.md"), ("lower", "program.schema.json", "lowering.md")]


def main(octet, model_writer):
    schemas, wrong = {}, []
    for command, schema, page in FORMATS:
        schemas[command] = json.loads((ROOT / "docs" / schema).read_text())
        text = (ROOT / "docs" / page).read_text()
        wrong += [f"docs/{page} does not explain {field}" for field in sorted(set(fields(schemas[command])))
                  if f"`{field}`" not in text]
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([model_writer, folder], check=True)
        shared = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT / "../shared")) / "models"
        models = sorted(pathlib.Path(folder).glob("*.onnx")) + sorted(shared.glob("*.onnx"))
        for model in models:
            for command, schema in schemas.items():
                for options in ([], ["--dim", "N=2"] if model.name == "qdq.onnx" else []):
                    done = subprocess.run([octet, command, model, "--json", "-", *options], text=True, capture_output=True)
                    if command == "lower" and done.returncode == 2:
                        continue  # inspect shows what can't be run too
                    wrong += [f"{command} {model.name}: {v}" for v in violations(json.loads(done.stdout), schema, schema)]
                    count += 1
    print("\n".join(wrong) or f"{count} reports of {len(models)} models keep to their schemas")
    if not shared.is_dir():
        print(f"SKIPPED: there are no models in {shared}")
    return 1 if wrong else 77 if not shared.is_dir() else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
