//! Values of a file as JSON.

use portcullis_yaml::{Limits, Node, SourceId, Value as Yaml, parse};
use serde_json::{Value as Json, json};

/// Parses a default or an example of a table into JSON.
pub fn parse_value(text: &str) -> Option<Json> {
    let document = parse(text, SourceId::default(), &Limits::default()).ok()?;
    Some(to_json(&document.root))
}

/// Turns a tree into JSON.
pub fn to_json(node: &Node) -> Json {
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
