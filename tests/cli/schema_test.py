"""Holds what every command writes with --json to its schema in docs/schemas, and the schemas to what is written.

Usage: schema_test.py OCTET MODEL_WRITER

valid      every document is JSON as the standard has it, alone on standard output or in its file, and keeps to its schema
complete   every field of every schema is in some document, and missing in some or required; every command has a schema
strict     a document that lacks a field, has one more, or has one of another type does not keep to its schema
explained  every field has a description, and is on the page about its command where that has them all; docs/json.md names
           every command, with its schema
one word   a definition that two schemas have is the same in both

The models of $OCTET_SHARED/models, ../shared/models unless set, add cases if they are there.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from json_documents import documents, failures
from jsonschema import Draft202012Validator

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs/schemas"
PAGES = {"program": "lowering.md", "bounds": "bounds.md"}  # that explain every field
# What a reader of the schemas must know of JSON Schema. An unknown word would be ignored by a validator, and mean nothing.
KEYWORDS = {"$schema", "$defs", "$ref", "title", "description", "type", "const", "enum", "required", "properties",
            "additionalProperties", "dependentRequired", "items", "minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf"}


def load():
    return {path.name.removesuffix(".schema.json"): json.loads(path.read_text()) for path in sorted(SCHEMAS.glob("*"))}


def parsed(text):
    def refuse(constant):
        raise ValueError(f"{constant} is no JSON")

    def unique(pairs):
        assert len(dict(pairs)) == len(pairs), f"a field twice among {[key for key, _ in pairs]}"
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def parts(schema):
    """A schema and all schemas in it."""
    yield schema
    inside = [schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", []), *schema.get("oneOf", []),
              *schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    for part in inside:
        if isinstance(part, dict):
            yield from parts(part)


class Schema:
    def __init__(self, name, schema):
        Draft202012Validator.check_schema(schema)
        self.name, self.root, self.validator = name, schema, Draft202012Validator(schema)
        self.lacking = set()  # (part of the schema, field) where some object lacks it
        self.smallest = {}  # by (part of the schema, field): the document, as short as there is one, and the object in it

    def resolved(self, part):
        return self.root["$defs"][part["$ref"].removeprefix("#/$defs/")] if "$ref" in part else part

    def fits(self, value, part):
        return self.validator.evolve(schema=part).is_valid(value)

    def objects(self, value, part):
        """Every object of a valid document, with the part of the schema that it keeps to."""
        part = self.resolved(part)
        for choice in part.get("anyOf", []):
            if self.fits(value, choice):
                yield from self.objects(value, choice)
                break
        if isinstance(value, dict):
            if "properties" in part:
                yield value, part
            others = part.get("additionalProperties")
            for key, item in value.items():
                inner = part.get("properties", {}).get(key, others)
                if isinstance(inner, dict):
                    yield from self.objects(item, inner)
        for item in value if isinstance(value, list) and "items" in part else []:
            yield from self.objects(item, part["items"])

    def violations(self, document):
        for error in self.validator.iter_errors(document):
            yield f"{error.json_path}: {error.message[:200]}"

    def note(self, text, document):
        for value, part in self.objects(document, self.root):
            self.lacking |= {(id(part), key) for key in part["properties"].keys() - value.keys()}
            for key in value:
                if len(text) < len(self.smallest.get((id(part), key), (text + " ",))[0]):
                    self.smallest[id(part), key] = text, document, value, part

    def unseen(self):
        for part in parts(self.root):
            for key in part.get("properties", {}):
                where = f"{key} ({part.get('description', 'the document')})"
                if (id(part), key) not in self.smallest:
                    yield f"{self.name}: no document has {where}"
                elif key not in part["required"] and (id(part), key) not in self.lacking:
                    yield f"{self.name}: every document has {where}, which is not required"

    def lenient(self):
        """Wrong documents that keep to the schema nevertheless."""
        def wrong(value, key, *replacement):
            before = dict(value)
            if replacement:
                value[key] = replacement[0]
            else:
                del value[key]
            passed = self.validator.is_valid(document)
            value.clear()
            value.update(before)
            return passed

        for (_, key), (_, document, value, part) in self.smallest.items():
            field = self.resolved(part["properties"][key])
            where = f"{self.name}: {key} ({part.get('description', 'the document')})"
            if key in part["required"] and wrong(value, key):
                yield f"{where} may be left out"
            if wrong(value, key + " ", None):
                yield f"{where} may have a neighbour nobody knows"
            for other in (1 if isinstance(value[key], bool) else True, {"?": {"?": None}}, [{"?": None}]):
                if wrong(value, key, other):
                    yield f"{where} may be {other}"
            if ("enum" in field or "const" in field) and wrong(value, key, "?"):
                yield f"{where} may be any word"


def faults_of_schemas(schemas):
    definitions = {}
    for name, schema in schemas.items():
        if schema["properties"]["schema"]["const"] != f"octet.{name}/1" or schema["title"] != f"octet.{name}/1":
            yield f"{name}.schema.json is of {schema['title']}"
        for part in parts(schema):
            if not part.keys() <= KEYWORDS:
                yield f"{name}: unknown to readers: {part.keys() - KEYWORDS}"
            if "properties" in part and part.get("additionalProperties") is not False:
                yield f"{name}: not closed: {list(part['properties'])}"
            for key, field in part.get("properties", {}).items():
                target = schema["$defs"][field["$ref"].removeprefix("#/$defs/")] if "$ref" in field else {}
                if not field.get("description", target.get("description")):
                    yield f"{name}: {key} is not described"
        for key, definition in schema.get("$defs", {}).items():
            if definitions.setdefault(key, definition) != definition:
                yield f"{name}: {key} is something else in another schema"
    for name, page in PAGES.items():
        text = (ROOT / "docs" / page).read_text()
        for key in sorted({key for part in parts(schemas[name]) for key in part.get("properties", {})}):
            if not re.search(rf"`[^`\n]*\b{key}\b[^`\n]*`", text):
                yield f"docs/{page} does not explain {key}"
    # Fields that two reports share mean the same.
    damage, row = schemas["simulate"]["$defs"]["damage"], schemas["sweep"]["$defs"]["row"]
    if damage["properties"] != {k: v for k, v in row["properties"].items() if k not in ("setting", "spread")}:
        yield "a row of simulate and one of sweep are described differently"
    comparison, run = schemas["compare"]["$defs"]["comparison"], schemas["verify"]["$defs"]["run"]
    if comparison["properties"] != {k: v for k, v in run["properties"].items() if k not in ("run", "left_out")}:
        yield "what verify and compare find is described differently"


def commands(octet):
    text = subprocess.run([octet, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  (\w+) ", text.partition("Subcommands:\n")[2].partition("\n\n")[0], re.M)


def faults_of_commands(octet, schema_of):
    names = commands(octet)
    if len(names) < 14:
        yield f"octet --help lists {names}"
    page = (ROOT / "docs/json.md").read_text()
    for name in names:
        if name == "completion":
            continue  # it writes scripts for shells
        text = subprocess.run([octet, name, "--help"], capture_output=True, text=True, check=True).stdout
        for wanted in ("--json FILE", "Example:\n  octet " + name):
            if wanted not in text:
                yield f"octet {name} --help does not have {wanted!r}"
        if name not in schema_of:
            yield f"no document of octet {name} was tried"
        elif not re.search(rf"`octet {name}\b.*\(schemas/{schema_of[name]}\.schema\.json\)", page):
            yield f"docs/json.md does not say that octet {name} writes octet.{schema_of[name]}/1"


def without_numbers(value):
    """What two runs that measure time have in common."""
    if isinstance(value, dict):
        return {key: without_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_numbers(item) for item in value]
    return None if isinstance(value, float | int) else value


def same_in_a_file(octet, folder, document):
    """Without a word on standard output."""
    file = folder / "document.json"
    done = subprocess.run([octet, document.command, *document.arguments, "--json", file], cwd=folder, capture_output=True,
                          env={**os.environ, "OCTET_PYTHON": sys.executable})
    text = file.read_text()
    measured = document.command == "bench" and without_numbers(parsed(text)) == without_numbers(parsed(document.text))
    return done.stdout == b"" and (text == document.text or measured)


def main(octet, model_writer):
    octet = str(pathlib.Path(octet).resolve())
    raw = load()
    schemas = {name: Schema(name, schema) for name, schema in raw.items()}
    wrong, count, schema_of = list(faults_of_schemas(raw)), 0, {}
    shared = pathlib.Path(os.environ.get("OCTET_SHARED", ROOT.parent / "shared")).resolve() / "models"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for document in documents(octet, model_writer, folder, sorted(shared.glob("*.onnx"))):
            title = " ".join(map(str, ("octet", document.command or "wrote", *document.arguments)))
            value = parsed(document.text)
            tag = re.fullmatch(r"octet\.(\w+)/1", value["schema"])[1]
            found = list(schemas[tag].violations(value))
            wrong += [f"{title}: {fault}" for fault in found]
            if not found:
                schemas[tag].note(document.text, value)
            if document.command and document.command not in schema_of and not same_in_a_file(octet, folder, document):
                wrong.append(f"{title}: not the same in a file")
            if document.command:
                schema_of[document.command] = tag
            count += 1
        for arguments, code, printed in failures(octet, folder):
            if code != 2 or printed:
                wrong.append(f"{arguments} ends with {code} and {len(printed)} bytes on standard output")
    for schema in schemas.values():
        wrong += [*schema.unseen(), *schema.lenient()]
    wrong += faults_of_commands(octet, schema_of)
    if not shared.is_dir():
        print(f"without the models of {shared}, which are not there")
    print("\n".join(wrong) or f"{count} documents keep to {len(schemas)} schemas")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
