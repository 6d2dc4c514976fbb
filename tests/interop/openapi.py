"""Validates recorded answers, JSON on stdin, against the descriptions in the folder that is named first.

The second argument is the table of exceptions.
"""

import json
import os
import sys

import jsonschema
import yaml

from published import corrected


def adapted(schema):
    """A schema of Swagger 2.0 as one of JSON Schema."""
    if isinstance(schema, list):
        return [adapted(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: adapted(part) for name, part in schema.items() if name not in ("example", "default", "format")}
    if isinstance(result.get("type"), str) and schema.get("x-nullable"):
        result["type"] = [result["type"], "null"]
        if "enum" in result:
            result["enum"] = result["enum"] + [None]
    result.pop("discriminator", None)
    return result


folder, table = sys.argv[1:]
with open(table, encoding="utf-8") as file:
    exceptions = file.read()

documents = {}
for name in ("management.yml", "client.yml"):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        document = corrected(yaml.safe_load(file), exceptions)
    documents[name] = (document["paths"], adapted(document["definitions"]))

faults = 0
for answer in json.load(sys.stdin):
    paths, definitions = documents[answer["document"]]
    where = "%s %s" % (answer["method"].upper(), answer["path"])
    operation = paths.get(answer["path"], {}).get(answer["method"])
    if operation is None:
        print("%s: not described" % where)
        faults += 1
        continue
    described = operation["responses"].get(answer["status"])
    if described is None:
        print("%s: status %s is not described" % (where, answer["status"]))
        faults += 1
        continue
    schema = dict(adapted(described["schema"]), definitions=definitions)
    validator = jsonschema.Draft4Validator(schema)
    for error in validator.iter_errors(answer["body"]):
        path = "/" + "/".join(map(str, error.absolute_path))
        print("%s: %s: %s" % (where, path, error.message[:300]))
        faults += 1
sys.exit(1 if faults else 0)
