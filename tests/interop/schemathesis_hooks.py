"""Makes the requests of a run find something, and keeps the run from shutting itself out.

Ids that are made up lead nowhere. Most are replaced by ids that answers have shown. What would end the session or the
rights of the run asks for an id that is not there instead; the environment names what belongs to the run:
PORTCULLIS_OWN, ids separated by commas.
"""

import collections
import os
import random
import re

import schemathesis

OWN = set(os.environ["PORTCULLIS_OWN"].split(","))
ELSEWHERE = "nobody"

# How many of the ids of a request are replaced.
SHARE = 0.7
# How many ids of a collection are kept.
KEPT = 40

# The collections of ids that stand in bodies.
REFERENCES = {
    "service": "services",
    "serviceId": "services",
    "router": "edge-routers",
    "configTypeId": "config-types",
    "configId": "configs",
    "identity": "identities",
    "identityId": "identities",
    "routerId": "edge-routers",
    "caId": "cas",
    "authPolicyId": "auth-policies",
}

known = collections.defaultdict(lambda: collections.deque(maxlen=KEPT))
chance = random.Random(1)


def drawn(collection, otherwise):
    """An id that is known, most of the time."""
    ids = known[collection]
    return chance.choice(ids) if ids and chance.random() < SHARE else otherwise


def collections_of(path):
    """The collection that each parameter of a path is of."""
    return {name: "services" if name == "serviceId" else noun for noun, name in re.findall(r"/([^/{]+)/{(\w+)}", path)}


@schemathesis.hook
def before_call(context, case, kwargs):
    nouns = collections_of(case.path)
    for name, value in (case.path_parameters or {}).items():
        value = drawn(nouns.get(name), value)
        if value in OWN and case.method.upper() not in ("GET", "HEAD"):
            value = ELSEWHERE
        case.path_parameters[name] = value
    if isinstance(case.body, dict):
        for name in REFERENCES.keys() & case.body.keys():
            case.body[name] = drawn(REFERENCES[name], case.body[name])


@schemathesis.hook
def after_call(context, case, response):
    noun = case.path.rstrip("/").rsplit("/", 1)[-1]
    if response.status_code not in (200, 201) or "{" in noun or not noun:
        return
    try:
        data = response.json()["data"]
    except (KeyError, TypeError, ValueError):
        return
    for entity in data if isinstance(data, list) else [data]:
        identifier = entity.get("id") if isinstance(entity, dict) else None
        if identifier and identifier not in known[noun]:
            known[noun].append(identifier)
