//! Messages about violations.

use super::super::{display, unique};
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

/// Reason of a violation, as a sentence about the value.
pub(super) fn reason(error: &ValidationError<'_>) -> String {
    match error.kind() {
        Kind::Type { kind } => {
            format!("must be {}, not {}", types(kind), type_of(error.instance()))
        },
        Kind::Required { property } => {
            format!("`{}` is required", display::display_value(property))
        },
        Kind::AdditionalProperties { unexpected } => {
            let names: Vec<_> = unexpected
                .iter()
                .take(4)
                .map(|name| display::truncated(name))
                .collect();
            format!("unknown property `{}`", names.join("`, `"))
        },
        Kind::PropertyNames { error } => {
            let name = display::display_value(error.instance());
            format!("unknown property `{name}`: its name {}", reason(error))
        },
        Kind::Enum { options } => format!("must be one of {}", join_options(options)),
        Kind::Constant { expected_value } => {
            format!("must be {}", display::display_value(expected_value))
        },
        Kind::Pattern { pattern } => format!("must match `{}`", display::truncated(pattern)),
        Kind::Format { format } => format!("must be a valid `{}`", display::truncated(format)),
        Kind::Custom { keyword, .. } if keyword == unique::NAME => {
            "must not have duplicate items".to_owned()
        },
        Kind::Contains => "must contain at least one matching item".to_owned(),
        Kind::FalseSchema => "is not allowed".to_owned(),
        Kind::Not { schema } => format!(
            "must not match the schema `{}`",
            display::display_value(schema)
        ),
        Kind::OneOfMultipleValid { .. } => {
            "matches more than one of the `oneOf` schemas".to_owned()
        },
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            "matches none of the allowed schemas".to_owned()
        },
        kind => bound(kind).unwrap_or_else(|| "does not match the schema".to_owned()),
    }
}

fn join_options(options: &Value) -> String {
    let Some(options) = options.as_array() else {
        return display::display_value(options);
    };
    // More would be cut anyway.
    let words: Vec<_> = options
        .iter()
        .take(64)
        .map(display::display_value)
        .collect();
    display::truncated(&words.join(", "))
}

/// Message about a violated bound.
fn bound(kind: &Kind) -> Option<String> {
    Some(match kind {
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinItems { limit } => format!("must have at least {}", count(*limit, "item")),
        Kind::MaxItems { limit } => format!("must have at most {}", count(*limit, "item")),
        Kind::AdditionalItems { limit } => {
            let limit = u64::try_from(*limit).unwrap_or(u64::MAX);
            format!("must have at most {}", count(limit, "item"))
        },
        Kind::MinLength { limit } => format!("must have at least {}", count(*limit, "character")),
        Kind::MaxLength { limit } => format!("must have at most {}", count(*limit, "character")),
        Kind::MinProperties { limit } => {
            format!("must have at least {}", count(*limit, "property"))
        },
        Kind::MaxProperties { limit } => format!("must have at most {}", count(*limit, "property")),
        _ => return None,
    })
}

/// The invalid value as text.
pub(super) fn value(error: &ValidationError<'_>) -> String {
    if let Kind::AdditionalProperties { unexpected } = error.kind()
        && let Some(value) = unexpected
            .first()
            .and_then(|name| error.instance().get(name))
    {
        return display::display_value(value);
    }
    display::display_value(error.instance())
}

fn count(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ if noun == "property" => format!("{number} properties"),
        _ => format!("{number} {noun}s"),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => article(one.as_str()),
        TypeKind::Multiple(set) => {
            let names: Vec<_> = set.iter().map(|one| article(one.as_str())).collect();
            names.join(" or ")
        },
    }
}

fn type_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => article("boolean"),
        Value::Number(number) if number.is_f64() => article("number"),
        Value::Number(_) => article("integer"),
        Value::String(_) => article("string"),
        Value::Array(_) => article("array"),
        Value::Object(_) => article("object"),
    }
}

fn article(noun: &str) -> String {
    match noun {
        "null" => noun.to_owned(),
        "array" | "integer" | "object" => format!("an {noun}"),
        _ => format!("a {noun}"),
    }
}
