//! The JSON Schema of the file.

mod share;

use portcullis_yaml::{Limits, Node, SourceId, Value as Yaml, parse};
use serde_json::{Map, Value as Json, json};

use crate::table::{Form, Group, Key, Kind, ROOT, Read, State, Unit, Variant};

/// Durations in Go's notation; a value with an environment variable may be anything.
const DURATION: &str = r"^([+-]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+|.*\$.*)$";
/// Texts that count as booleans where an environment variable may set one.
const TRUTH: &str = r"^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|.*\$.*)$";
const ADDRESS: &str = r"^((tls|tcp|dtls|wss|udp):.*:[0-9]+|.*\$.*)$";
const LOOSE_ADDRESS: &str = r"^(((tls|tcp|dtls|wss|udp):)?.*:[0-9]+|.*\$.*)$";
const PACKET_ADDRESS: &str = r"^((udp|udp4|udp6|unixgram):.+|.*\$.*)$";
const HOST_PORT: &str = r"^(.+:[0-9]+|.*\$.*)$";
const SERVICE: &str = r"^([^:]+:[0-9]+(:(tcp|udp))?|.*\$.*)$";
const CIDR: &str = r"^([0-9A-Fa-f.:]+/[0-9]+|.*\$.*)$";
const MODE: &str = r"^(host|tproxy|proxy|tproxy:.+|.*\$.*)$";

/// Makes the schema, in the dialect 2020-12, for completion, hover and checks in editors.
///
/// It knows keys, types, bounds, defaults and examples. What several sections say about each other is
/// left to [`check`](crate::check()).
pub fn schema() -> Json {
    let mut schema = section(&[ROOT]);
    share::share(&mut schema);
    let about = [
        (
            "$schema",
            json!("https://json-schema.org/draft/2020-12/schema"),
        ),
        ("title", json!("Router configuration")),
        (
            "description",
            json!("Configuration file of a router, version 3 of the format."),
        ),
    ];
    if let Json::Object(object) = &mut schema {
        object.extend(about.map(|(name, value)| (name.to_owned(), value)));
    }
    schema
}

fn section(groups: &'static [Group]) -> Json {
    let keys = || groups.iter().flat_map(|group| group.iter());
    let properties: Map<String, Json> = keys()
        .map(|key| (key.name.to_owned(), property(key)))
        .collect();
    let mut required = Vec::new();
    let mut either = Vec::new();
    for key in keys().filter(|key| key.required) {
        let alias =
            keys().find(|other| matches!(other.state, State::Alias(meant) if meant == key.name));
        match alias {
            None => required.push(json!(key.name)),
            Some(alias) => {
                let one = json!({ "required": [key.name] });
                either.push(json!({ "anyOf": [one, { "required": [alias.name] }] }));
            },
        }
    }
    let mut object = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        insert(&mut object, "required", required.into());
    }
    if !either.is_empty() {
        insert(&mut object, "allOf", either.into());
    }
    object
}

fn insert(object: &mut Json, name: &str, value: Json) {
    if let Json::Object(object) = object {
        object.insert(name.to_owned(), value);
    }
}

fn property(key: &'static Key) -> Json {
    let mut schema = kind(key.kind);
    insert(&mut schema, "description", json!(description(key)));
    if key.original.read == Read::Truth {
        insert(&mut schema, "type", json!(["boolean", "string"]));
        insert(&mut schema, "pattern", json!(TRUTH));
    }
    if key.state != State::Live {
        insert(&mut schema, "deprecated", json!(true));
    }
    if let Some(default) = key.default.and_then(value) {
        insert(&mut schema, "default", default);
    }
    if let Some(example) = key.example.and_then(value) {
        insert(&mut schema, "examples", json!([example]));
    }
    // A section that stands there without a key counts as absent.
    if matches!(key.kind, Kind::Map(_)) && !key.required {
        insert(&mut schema, "type", json!(["object", "null"]));
    }
    schema
}

fn description(key: &Key) -> String {
    let state = match key.state {
        State::Live => String::new(),
        State::Dead(why) => return format!("It has no effect: {why}."),
        State::Deprecated(better) => format!(" Write `{better}` instead."),
        State::Alias(meant) => format!(" Write `{meant}`."),
    };
    let unit = match key.kind {
        Kind::Integer { unit, .. } => unit_text(unit),
        _ => "",
    };
    format!("{}{unit}{state}", key.doc)
}

pub(crate) fn unit_text(unit: Unit) -> &'static str {
    match unit {
        Unit::Count => "",
        Unit::Milliseconds => " In milliseconds.",
        Unit::Seconds => " In seconds.",
        Unit::Bytes => " In bytes.",
    }
}

fn kind(kind: Kind) -> Json {
    match kind {
        Kind::Map(groups) => section(groups),
        Kind::Maps(groups) => json!({ "type": "array", "items": section(groups) }),
        Kind::Bindings(variants) => {
            let entries: Vec<Json> = variants.iter().map(entry).collect();
            json!({ "type": "array", "items": { "oneOf": entries } })
        },
        Kind::Text(form) => text(form),
        Kind::Texts(form) => json!({ "type": "array", "items": text(form) }),
        Kind::OneOrMore(form) => {
            json!({ "anyOf": [text(form), { "type": "array", "items": text(form) }] })
        },
        Kind::Word(words) => json!({ "type": "string", "enum": words }),
        Kind::AnyCase(words) => json!({ "type": "string", "pattern": any_case(words) }),
        Kind::Integer { min, max, .. } => bounded("integer", min, max),
        Kind::Number { min, max } => json!({ "type": "number", "minimum": min, "maximum": max }),
        Kind::Between { low, high } => {
            json!({ "type": "number", "exclusiveMinimum": low, "exclusiveMaximum": high })
        },
        Kind::Bool => json!({ "type": "boolean" }),
        Kind::Duration { .. } => json!({ "type": "string", "pattern": DURATION }),
        Kind::DurationOrMilliseconds { .. } => {
            json!({ "anyOf": [{ "type": "string", "pattern": DURATION }, { "type": "integer" }] })
        },
        Kind::Anything => json!({}),
    }
}

/// Writes a pattern for words in any case, or nothing; patterns of JSON Schema cannot ignore case.
fn any_case(words: &[&str]) -> String {
    let letter = |letter: char| format!("[{letter}{}]", letter.to_ascii_uppercase());
    let pattern = |word: &&str| word.chars().map(letter).collect::<String>();
    let patterns: Vec<String> = words.iter().map(pattern).collect();
    format!("^({})?$", patterns.join("|"))
}

fn bounded(name: &str, min: i64, max: i64) -> Json {
    let mut schema = json!({ "type": name, "minimum": min });
    if max < i64::MAX / 1_000_000 {
        insert(&mut schema, "maximum", json!(max));
    }
    schema
}

fn entry(variant: &'static Variant) -> Json {
    let mut schema = section(variant.keys);
    insert(&mut schema, "description", json!(variant.doc));
    if let Some(binding) = schema.pointer_mut("/properties/binding") {
        insert(binding, "const", json!(variant.binding));
        insert(binding, "examples", json!([variant.binding]));
    }
    schema
}

fn text(form: Form) -> Json {
    let pattern = match form {
        Form::Free | Form::Uri | Form::Ip | Form::Upstream => return json!({ "type": "string" }),
        Form::Filled | Form::Certificate | Form::PrivateKey | Form::Interface | Form::Resolver => {
            return json!({ "type": "string", "minLength": 1 });
        },
        Form::Address | Form::EdgeAddress | Form::Endpoint => ADDRESS,
        Form::LooseAddress => LOOSE_ADDRESS,
        Form::PacketAddress => PACKET_ADDRESS,
        Form::Advertised | Form::HostPort => HOST_PORT,
        Form::ServicePort => SERVICE,
        Form::Cidr => CIDR,
        Form::TunnelMode => MODE,
    };
    json!({ "type": "string", "pattern": pattern })
}

/// Reads a default or an example of the table as JSON.
fn value(text: &str) -> Option<Json> {
    let document = parse(text, SourceId::default(), &Limits::default()).ok()?;
    Some(to_json(&document.root))
}

fn to_json(node: &Node) -> Json {
    match &node.value {
        Yaml::Null => Json::Null,
        Yaml::Bool(value) => json!(value),
        Yaml::Integer(number) => i64::try_from(*number).map_or(Json::Null, |number| json!(number)),
        Yaml::Float(number) => json!(number),
        Yaml::String(text) => json!(text),
        Yaml::List(items) => items.iter().map(to_json).collect(),
        Yaml::Map(map) => {
            let entry = |entry: &portcullis_yaml::Entry| {
                let name = entry.key.text().unwrap_or_default().to_owned();
                (name, to_json(&entry.value))
            };
            Json::Object(map.iter().map(entry).collect())
        },
    }
}
