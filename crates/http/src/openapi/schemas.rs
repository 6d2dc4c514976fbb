//! The schemas of a description.

use crate::route::SchemaOf;
use portcullis_api::describe::Request;
use portcullis_api::error::{BareError, ErrorBody};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Where schemas stand, as references have it.
const PLACE: &str = "#/components/schemas/";

/// Collects the schemas of a description.
pub(super) struct Schemas {
    answers: SchemaGenerator,
    requests: Map<String, Value>,
}

impl Default for Schemas {
    fn default() -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let settings = settings.with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        Self {
            answers: settings.into_generator(),
            requests: Map::new(),
        }
    }
}

impl Schemas {
    /// The schema of an answer, or a reference to it.
    pub(super) fn answer(&mut self, schema: SchemaOf) -> Value {
        schema(&mut self.answers).to_value()
    }

    /// The schema of refusals.
    pub(super) fn refusal(&mut self) -> Value {
        self.answer(SchemaGenerator::subschema_for::<ErrorBody>)
    }

    /// The schema of refusals of bodies that are too large.
    pub(super) fn bare_refusal(&mut self) -> Value {
        self.answer(SchemaGenerator::subschema_for::<BareError>)
    }

    /// A reference to the schema of a request.
    pub(super) fn request(&mut self, request: &Request) -> Value {
        let known = self.requests.entry(request.name.clone());
        known.or_insert_with(|| request.schema.clone());
        reference(&request.name)
    }

    /// All schemas, by their names. Members of requests that have no words get those of the members
    /// that the answers about the same noun have under that name.
    pub(super) fn finish(mut self, paths: &BTreeMap<String, Map<String, Value>>) -> Value {
        let mut all = self.answers.take_definitions(true);
        for schema in all.values_mut() {
            tidy(schema);
        }
        for (path, operations) in paths {
            let Some(answer) = entity(path, paths).and_then(|schema| follow(schema, &all)) else {
                continue;
            };
            for operation in operations.values() {
                let body = &operation["requestBody"]["content"]["application/json"]["schema"];
                let named = body["$ref"]
                    .as_str()
                    .and_then(|name| name.strip_prefix(PLACE));
                if let Some(request) = named.and_then(|name| self.requests.get_mut(name)) {
                    lend(request, answer, &all);
                }
            }
        }
        all.extend(self.requests);
        all.into()
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("{PLACE}{name}")})
}

/// The schema of the answer, in its envelope, that shows what `path` is about: of the nearest path
/// above it that shows something.
fn entity<'p>(path: &str, paths: &'p BTreeMap<String, Map<String, Value>>) -> Option<&'p Value> {
    let shown = |path: &str| {
        let answers = &paths.get(path)?.get("get")?["responses"];
        answers.pointer("/200/content/application~1json/schema")
    };
    let mut path = path;
    while !path.is_empty() {
        let found = shown(&format!("{path}/{{id}}")).or_else(|| shown(path));
        if found.is_some() {
            return found;
        }
        path = path.rsplit_once('/').map_or("", |(above, _)| above);
    }
    None
}

/// What a reference leads to, or the schema itself.
fn resolve<'s>(schema: &'s Value, all: &'s Map<String, Value>) -> &'s Value {
    let name = schema["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix(PLACE));
    name.and_then(|name| all.get(name)).unwrap_or(schema)
}

/// The schema of what an envelope holds.
fn follow<'s>(envelope: &'s Value, all: &'s Map<String, Value>) -> Option<&'s Value> {
    resolve(envelope, all)
        .pointer("/properties/data")
        .map(|data| resolve(data, all))
}

/// Lends the words of a schema's members to members of the same name that have none.
fn lend(schema: &mut Value, from: &Value, all: &Map<String, Value>) {
    if let Some(kinds) = schema.get_mut("oneOf").and_then(Value::as_array_mut) {
        for kind in kinds {
            lend(kind, from, all);
        }
    }
    if let Some(items) = schema.get_mut("items").filter(|items| items.is_object()) {
        lend(
            items,
            from.get("items").map_or(from, |items| resolve(items, all)),
            all,
        );
    }
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for (name, member) in members {
        let Some(lender) = find(from, name, all) else {
            continue;
        };
        let words = &lender["description"];
        if member["description"].is_null() && words.is_string() {
            member["description"] = words.clone();
        }
        lend(member, resolve(lender, all), all);
    }
}

/// The member of that name, in a schema or in one of those that it is made of.
fn find<'s>(schema: &'s Value, name: &str, all: &'s Map<String, Value>) -> Option<&'s Value> {
    if let Some(member) = schema
        .get("properties")
        .and_then(|members| members.get(name))
    {
        return Some(member);
    }
    ["oneOf", "anyOf", "allOf"]
        .into_iter()
        .filter_map(|kind| schema[kind].as_array())
        .flatten()
        .find_map(|part| find(resolve(part, all), name, all))
}

/// Takes out of a schema what is meant for programmers, and what serialisation does not do.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("default");
            if let Some(Value::String(words)) = members.get_mut("description") {
                *words = readable(words);
            }
            left_out_if_none(members);
            members.values_mut().for_each(tidy);
        },
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {},
    }
}

/// Members that may be missing are left out rather than `null`.
fn left_out_if_none(schema: &mut Map<String, Value>) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let Some(members) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    let is_required = |name: &String| {
        let mut names = required.as_array().into_iter().flatten();
        names.any(|required| required == name)
    };
    for (_, member) in members.iter_mut().filter(|(name, _)| !is_required(name)) {
        never_null(member);
    }
}

fn never_null(schema: &mut Value) {
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|kind| kind != "null");
        if let [only] = &types[..] {
            schema["type"] = only.clone();
        }
    }
    let Some(parts) = schema.get_mut("anyOf").and_then(Value::as_array_mut) else {
        return;
    };
    parts.retain(|part| part["type"] != "null");
    if let [Value::Object(only)] = &parts[..] {
        let only = only.clone();
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("anyOf");
            for (name, value) in only {
                schema.entry(name).or_insert(value);
            }
        }
    }
}

/// A doc comment without examples and links to code.
fn readable(words: &str) -> String {
    let words = words.split("\n# ").next().unwrap_or_default().trim_end();
    let mut text = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once("[`") {
        let Some((name, behind)) = after.split_once("`]") else {
            break;
        };
        text.push_str(before);
        text.push('`');
        text.push_str(name);
        text.push('`');
        rest = match behind
            .strip_prefix('(')
            .and_then(|link| link.split_once(')'))
        {
            Some((_target, behind)) => behind,
            None => behind,
        };
    }
    text.push_str(rest);
    text
}
