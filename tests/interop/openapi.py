"""Validates recorded answers, JSON on stdin, against the descriptions in the folder that is named."""

import json
import os
import sys

import jsonschema
import yaml


def adapted(schema):
    """A schema of Swagger 2.0 as one of JSON Schema.

    Empty lists and maps are sent as null, which the descriptions do not say and clients are used to.
    """
    if isinstance(schema, list):
        return [adapted(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result = {name: adapted(part) for name, part in schema.items() if name not in ("example", "default", "format")}
    kind = result.get("type")
    if isinstance(kind, str) and (kind in ("array", "object") or schema.get("x-nullable")):
        result["type"] = [kind, "null"]
        if "enum" in result:
            result["enum"] = result["enum"] + [None]
    result.pop("discriminator", None)
    return result


# Where the descriptions and what the reference sends disagree, recorded exchanges decide: the end of the
# path to a value, a part of the complaint, and what it is about.
KNOWN = [
    ("", "'arch' is a required property", "versionInfo is a member, and not all members of it"),
    ("", "'buildDate' is a required property", "as above"),
    ("", "'os' is a required property", "as above"),
    ("", "'revision' is a required property", "as above"),
    ("", "'version' is a required property", "as above"),
    ("", "'details' is a required property", "enrollments have no details"),
    ("/fingerprint", "None is not of type 'string'", "routers that have not enrolled"),
    ("/version", "None is not of type 'string'", "types of posture checks, and what was not reported"),
    ("/build", "None is not of type 'string'", "what was not reported"),
    ("/type", "None is not of type 'string'", "what was not reported"),
    ("/domain", "None is not of type 'string'", "what was not reported"),
    ("/lastUpdatedAt", "None is not of type 'string'", "what was not reported"),
    ("/tags/a", "is not of type 'object'", "tags are texts, numbers and truth values"),
    ("/tags/x", "is not of type 'object'", "as above"),
]


def is_known(path, message):
    return any(path.endswith(end) and part in message for end, part, _reason in KNOWN)


documents = {}
for name in ("management.yml", "client.yml"):
    with open(os.path.join(sys.argv[1], name), encoding="utf-8") as file:
        document = yaml.safe_load(file)
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
        if not is_known(path, error.message):
            print("%s: %s: %s" % (where, path, error.message[:300]))
            faults += 1
sys.exit(1 if faults else 0)
