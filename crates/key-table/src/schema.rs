//! JSON Schema of the configuration file.

mod deduplicate;

use serde_json::{Map, Value as Json, json};

use crate::json::parse_value;
use crate::key::{
    BindingVariant, ConfigFile, Format as _, Key, KeyGroup, KeyState, Unit, ValueType,
};
use crate::lookup::{keys, root};

/// Durations in Go's notation; a value with an environment variable may be anything.
const DURATION: &str = r"^([+-]?(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+|.*\$.*)$";
/// Strings that count as booleans where an environment variable may set the value.
const LENIENT_BOOL: &str = r"^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|.*\$.*)$";

/// Builds the schema, in the dialect 2020-12, for completion, hover and validation in editors.
///
/// It covers keys, types, bounds, defaults and examples. Constraints across sections are left to the
/// reader of the file.
pub fn schema<F: ConfigFile>() -> Json {
    let mut schema = section_schema(root::<F>());
    deduplicate::deduplicate_sections(&mut schema);
    let about = [
        (
            "$schema",
            json!("https://json-schema.org/draft/2020-12/schema"),
        ),
        ("title", json!(F::TITLE)),
        ("description", json!(F::DESCRIPTION)),
    ];
    if let Json::Object(object) = &mut schema {
        object.extend(about.map(|(name, value)| (name.to_owned(), value)));
    }
    schema
}

fn section_schema<F: ConfigFile>(groups: &'static [KeyGroup<F>]) -> Json {
    let keys = || keys(groups);
    let properties: Map<String, Json> = keys()
        .map(|key| (key.name.to_owned(), key_schema(key)))
        .collect();
    let mut required = Vec::new();
    let mut either = Vec::new();
    for key in keys().filter(|key| key.required) {
        let alias =
            keys().find(|other| matches!(other.state, KeyState::Alias(meant) if meant == key.name));
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

fn key_schema<F: ConfigFile>(key: &'static Key<F>) -> Json {
    let mut schema = type_schema(key.value_type);
    insert(&mut schema, "description", json!(description(key)));
    if F::accepts_text_as_bool(key) {
        insert(&mut schema, "type", json!(["boolean", "string"]));
        insert(&mut schema, "pattern", json!(LENIENT_BOOL));
    }
    if key.state != KeyState::Active {
        insert(&mut schema, "deprecated", json!(true));
    }
    if let Some(default) = key.default.and_then(parse_value) {
        insert(&mut schema, "default", default);
    }
    if let Some(example) = key.example.and_then(parse_value) {
        insert(&mut schema, "examples", json!([example]));
    }
    // A section without keys counts as absent.
    let is_map = matches!(
        key.value_type,
        ValueType::Map(_) | ValueType::NamedMaps(_) | ValueType::Secrets
    );
    if is_map && !key.required {
        insert(&mut schema, "type", json!(["object", "null"]));
    }
    schema
}

fn description<F: ConfigFile>(key: &Key<F>) -> String {
    let state = match key.state {
        KeyState::Active => String::new(),
        KeyState::Dead(why) => return format!("It has no effect: {why}."),
        KeyState::Deprecated(better) => format!(" Write `{better}` instead."),
        KeyState::Alias(meant) => format!(" Write `{meant}`."),
    };
    let unit = match key.value_type {
        ValueType::Integer { unit, .. } => unit_text(unit),
        _ => "",
    };
    format!("{}{unit}{state}", key.doc)
}

fn unit_text(unit: Unit) -> &'static str {
    match unit {
        Unit::Count => "",
        Unit::Milliseconds => " In milliseconds.",
        Unit::Seconds => " In seconds.",
        Unit::Bytes => " In bytes.",
    }
}

fn type_schema<F: ConfigFile>(kind: ValueType<F>) -> Json {
    match kind {
        ValueType::Map(groups) => section_schema(groups),
        ValueType::NamedMaps(groups) => {
            json!({ "type": "object", "additionalProperties": section_schema(groups) })
        },
        ValueType::Secrets => {
            json!({ "type": "object", "additionalProperties": { "type": "string", "minLength": 1 } })
        },
        ValueType::MapList(groups) => json!({ "type": "array", "items": section_schema(groups) }),
        ValueType::BindingList(variants) => {
            let entries: Vec<Json> = variants.iter().map(variant_schema).collect();
            json!({ "type": "array", "items": { "oneOf": entries } })
        },
        ValueType::String(form) => form.schema(),
        ValueType::StringList(form) => json!({ "type": "array", "items": form.schema() }),
        ValueType::StringOrList(form) => {
            json!({ "anyOf": [form.schema(), { "type": "array", "items": form.schema() }] })
        },
        ValueType::Enum(words) => json!({ "type": "string", "enum": words }),
        ValueType::EnumIgnoreCase(words) => {
            json!({ "type": "string", "pattern": case_insensitive_pattern(words) })
        },
        ValueType::Integer { min, max, .. } => bounded("integer", min, max),
        ValueType::Number { min, max } => {
            json!({ "type": "number", "minimum": min, "maximum": max })
        },
        ValueType::ExclusiveRange { low, high } => {
            json!({ "type": "number", "exclusiveMinimum": low, "exclusiveMaximum": high })
        },
        ValueType::Bool => json!({ "type": "boolean" }),
        ValueType::Duration { .. } => json!({ "type": "string", "pattern": DURATION }),
        ValueType::DurationOrMilliseconds { .. } => {
            json!({ "anyOf": [{ "type": "string", "pattern": DURATION }, { "type": "integer" }] })
        },
        ValueType::Any => json!({}),
    }
}

/// Pattern for an optional word in any case; patterns of JSON Schema cannot ignore case.
fn case_insensitive_pattern(words: &[&str]) -> String {
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

fn variant_schema<F: ConfigFile>(variant: &'static BindingVariant<F>) -> Json {
    let mut schema = section_schema(variant.keys);
    insert(&mut schema, "description", json!(variant.doc));
    if let Some(binding) = schema.pointer_mut("/properties/binding") {
        insert(binding, "const", json!(variant.binding));
        insert(binding, "examples", json!([variant.binding]));
    }
    schema
}
