"""Prints a published description as one from which requests can be made that end no run.

Arguments: the description, the table of exceptions, and the operations that are left out, as METHOD PATH.
"""

import json
import sys

import yaml

from published import METHODS, corrected


def without_formats(part):
    """Leaves out what the descriptions mean otherwise than JSON Schema does."""
    if isinstance(part, list):
        return [without_formats(one) for one in part]
    if not isinstance(part, dict):
        return part
    ours = {"uri": "uri-reference", "url": "uri-reference"}
    part = {name: without_formats(one) for name, one in part.items()}
    if isinstance(part.get("format"), str):
        part["format"] = ours.get(part["format"], part["format"])
    return part


def main():
    source, table, *left_out = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        document = yaml.safe_load(file)
    with open(table, encoding="utf-8") as file:
        document = corrected(document, file.read())
    document = without_formats(document)
    for operation in left_out:
        method, path = operation.split(" ")
        document["paths"].get(path, {}).pop(method.lower(), None)
    paths = document["paths"]
    document["paths"] = {path: methods for path, methods in paths.items() if any(name in METHODS for name in methods)}
    json.dump(document, sys.stdout)


main()
