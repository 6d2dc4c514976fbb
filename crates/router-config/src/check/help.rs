//! Help texts for values of the wrong YAML type.

use portcullis_yaml::{Node, NodeType as NodeKind};

use crate::table::{Key, KeyGroup, ValueType};

/// Says how to write a value that YAML read as another type.
pub(super) fn type_help(node: &Node, wanted: &str) -> Option<String> {
    if !node.variables.is_empty() {
        return Some("a value with an environment variable is always a string".to_owned());
    }
    let text = node.text()?;
    match node.node_type() {
        NodeKind::Bool | NodeKind::Integer | NodeKind::Float if wanted.starts_with("a string") => {
            Some(format!(
                "write `\"{text}\"` in quotes, or YAML reads it as another type"
            ))
        },
        NodeKind::String if wanted == "an integer" && text.parse::<i64>().is_ok() => {
            Some(format!("write `{text}` without quotes"))
        },
        NodeKind::String if wanted == "a number" && decimal(text).is_some() => {
            Some(format!("write `{text}` without quotes"))
        },
        NodeKind::String if wanted == "an integer" && clock_help(text).is_some() => {
            Some(format!("YAML reads `{text}` as text; write one number"))
        },
        NodeKind::Float | NodeKind::String if wanted == "an integer" => {
            let number = decimal(&text.replace('_', ""))?;
            match number.fract() == 0.0 {
                true if number.abs() < 1e15 => Some(format!("write `{number:.0}`")),
                true => None,
                false => Some("write a number without a fraction".to_owned()),
            }
        },
        NodeKind::String if wanted.starts_with("`true`") => {
            Some("write `true` or `false` without quotes".to_owned())
        },
        NodeKind::String if wanted == "a map of keys" && is_assignment(text) => {
            Some("write `: ` instead of `=`".to_owned())
        },
        NodeKind::String if wanted == "a map of keys" && text.contains(':') => {
            Some("a space is missing after the colon of the first key".to_owned())
        },
        NodeKind::String if wanted.starts_with("a list") => {
            Some(format!("write `[{text}]`, or one item per line after `- `"))
        },
        _ => None,
    }
}

/// Whether a text begins like `key = value`.
pub(super) fn is_assignment(text: &str) -> bool {
    let end = text.find(['=', ':']).unwrap_or(text.len());
    text.get(end..).is_some_and(|rest| rest.starts_with('='))
}

/// Example value of a key: its own example, or its required keys, or its first key.
pub(super) fn example_of(key: &Key) -> String {
    if let Some(example) = key.example {
        return example.to_owned();
    }
    match key.value_type {
        ValueType::Map(groups) => example_map(groups),
        ValueType::MapList(groups) => format!("[{}]", example_map(groups)),
        ValueType::BindingList([first, ..]) => format!("[{}]", example_map(first.keys)),
        _ => "...".to_owned(),
    }
}

fn example_map(groups: &[KeyGroup]) -> String {
    let keys = || groups.iter().flat_map(|group| group.iter());
    let mut chosen: Vec<&Key> = keys().filter(|key| key.required).collect();
    if chosen.is_empty() {
        chosen.extend(keys().next());
    }
    let entries = chosen
        .iter()
        .map(|key| format!("{}: {}", key.name, example_of(key)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

/// Parses a decimal number, but no word such as `inf`.
fn decimal(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Suggests a duration for numbers with colons between them, such as `1:30`.
pub(super) fn clock_help(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split(':').collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    match parts.as_slice() {
        [first, second] if parts.iter().all(digits) => {
            Some(format!("write `{first}m{second}s` or `{first}h{second}m`"))
        },
        [hours, minutes, seconds] if parts.iter().all(digits) => {
            Some(format!("write `{hours}h{minutes}m{seconds}s`"))
        },
        _ => None,
    }
}
