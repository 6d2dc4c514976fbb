"""The published descriptions of the APIs, put right where recorded exchanges say otherwise.

The table of exceptions is the one that the tests in the process read.
"""

import copy

METHODS = ("get", "put", "post", "delete", "options", "head", "patch")


def rows(table):
    """The exceptions: kind, place and what is let through or answered."""
    lines = (line for line in table.splitlines() if line and not line.startswith("#"))
    return [tuple(part.strip() for part in line.split("|", 3)[:3]) for line in lines]


def corrected(document, table):
    """A copy of a document to which the table is applied."""
    document = nulled(copy.deepcopy(document))
    for kind, place, what in rows(table):
        if kind == "schema":
            correct_schema(document["definitions"], place, what)
        else:
            correct_answer(document["paths"], place, what)
    for name in envelopes(document["paths"]):
        document["definitions"][name].pop("x-nullable", None)
    return document


def envelopes(paths):
    """The definitions of whole answers, which are never null."""
    for methods in paths.values():
        for operation in (methods[name] for name in METHODS if name in methods):
            for response in operation["responses"].values():
                way = response.get("schema", {}).get("$ref")
                if way:
                    yield way.removeprefix("#/definitions/")


def nulled(part):
    """Lets lists and maps be null, as which empty ones are sent; and writes lengths as integers."""
    if isinstance(part, list):
        return [nulled(one) for one in part]
    if isinstance(part, float) and part.is_integer():
        return int(part)
    if not isinstance(part, dict):
        return part
    part = {name: nulled(one) for name, one in part.items()}
    if part.get("type") in ("array", "object") and "in" not in part:
        part["x-nullable"] = True
    return part


def correct_schema(definitions, place, what):
    *way, keyword = place.split("/")
    schema = definitions
    for step in way:
        step = int(step) if isinstance(schema, list) else step
        if isinstance(schema, dict) and step not in schema:
            # It is about the other document.
            return
        schema = schema[step]
    if what == "null":
        schema["x-nullable"] = True
    elif what == "everything":
        schema.pop(keyword, None)
    else:
        member = what.removeprefix("without ")
        schema[keyword] = [name for name in schema[keyword] if name != member]
        if not schema[keyword]:
            del schema[keyword]


def correct_answer(paths, place, what):
    operation, status = place.rsplit(" ", 1)
    if operation == "*":
        # A status that operations have beside those that are described.
        return
    method, path = operation.split(" ")
    responses = paths.get(path, {}).get(method.lower(), {}).get("responses", {})
    if status not in responses:
        return
    responses[status].pop("schema", None)
    if what.startswith("as "):
        responses[status]["schema"] = {"$ref": "#/definitions/" + what.removeprefix("as ")}
