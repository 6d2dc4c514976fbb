//! What keywords are about.

use super::super::plan::{Node, NodeId};
use super::super::{DEEPEST, weight};
use super::Place;
use portcullis_domain::config::Object;
use serde_json::Value;

/// The formats that are checked; all others are for people and forms.
const ENFORCED: [&str; 14] = [
    "date",
    "date-time",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
];

/// A keyword, by what its value consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    /// It checks nothing.
    Nothing,
    /// A reference to another schema.
    Reference,
    /// Schemas by name that others refer to.
    Definitions,
    /// A schema.
    One(Part),
    /// A list of schemas.
    Listed(Part),
    /// Schemas by name.
    Named(Part),
    /// A regular expression.
    Pattern,
    /// The name of a format.
    Format,
    /// No schema.
    Assertion,
}

/// Which part of a value a schema is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Same,
    Excluded,
    Choice,
    Member,
    Matching,
    Others,
    Names,
    FirstItems,
    Items,
    Unused,
}

impl Keyword {
    /// The keyword `not`, whose schema is repeated by faults.
    pub(super) const NOT: Self = Self::One(Part::Excluded);

    pub(super) fn named(name: &str) -> Self {
        match name {
            "$ref" => Self::Reference,
            "definitions" | "$defs" => Self::Definitions,
            "not" => Self::NOT,
            "if" | "then" | "else" => Self::One(Part::Same),
            "additionalProperties" => Self::One(Part::Others),
            "propertyNames" => Self::One(Part::Names),
            "contains" | "additionalItems" => Self::One(Part::Items),
            "allOf" => Self::Listed(Part::Same),
            "anyOf" | "oneOf" => Self::Listed(Part::Choice),
            "items" => Self::Listed(Part::FirstItems),
            "properties" => Self::Named(Part::Member),
            "patternProperties" => Self::Named(Part::Matching),
            "dependencies" => Self::Named(Part::Same),
            "pattern" => Self::Pattern,
            "format" => Self::Format,
            "const" | "enum" | "exclusiveMaximum" | "exclusiveMinimum" | "maxItems"
            | "maxLength" | "maxProperties" | "maximum" | "minItems" | "minLength"
            | "minProperties" | "minimum" | "multipleOf" | "required" | "type" | "uniqueItems" => {
                Self::Assertion
            },
            _ => Self::Nothing,
        }
    }
}

impl Part {
    /// The part that a schema is for when it stands alone where a list may be.
    pub(super) fn single(self) -> Self {
        match self {
            Self::FirstItems => Self::Items,
            other => other,
        }
    }

    /// Notes that `next` is for this part of the values that `node` is for.
    pub(super) fn lead(self, node: &mut Node, next: NodeId) {
        match self {
            Self::Same | Self::Excluded => node.same.push(next),
            Self::Choice => node.choices.push(next),
            Self::Others => node.others = Some(next),
            Self::Names => node.names = Some(next),
            Self::FirstItems => node.first_items.push(next),
            Self::Items => node.items.push(next),
            Self::Member | Self::Matching | Self::Unused => {},
        }
    }

    /// Notes the same of a schema that stands under `name`, which takes `steps` to be matched.
    pub(super) fn lead_named(self, node: &mut Node, name: &str, steps: u64, next: NodeId) {
        match self {
            Self::Member => {
                node.members.insert(name.to_owned(), next);
            },
            Self::Matching => node.matching.push((steps, next)),
            other => other.lead(node, next),
        }
    }
}

/// Whether the keyword `format` names something that is checked.
pub(super) fn is_enforced(format: &Value) -> bool {
    format
        .as_str()
        .is_none_or(|format| ENFORCED.contains(&format))
}

/// Notes what the keyword at `here` takes.
pub(super) fn charge(here: &Place, value: &Value, node: &mut Node) {
    let name = here.pointer.rsplit('/').next().unwrap_or_default();
    match (name, value) {
        ("enum", Value::Array(values)) => {
            let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
            node.compared.0 = node.compared.0.saturating_add(count);
            node.compared.1 = node.compared.1.saturating_add(weight::of(value, DEEPEST));
        },
        ("const", value) => {
            node.compared.0 = node.compared.0.saturating_add(1);
            node.compared.1 = node.compared.1.saturating_add(weight::of(value, DEEPEST));
        },
        ("required", Value::Array(names)) => {
            node.keywords += u64::try_from(names.len()).unwrap_or(u64::MAX);
        },
        ("uniqueItems", value) => node.unique = *value == Value::Bool(true),
        ("format", _) => node.text += 16,
        ("minLength" | "maxLength", _) => node.text += 1,
        _ => {},
    }
}

/// Writes the exclusive bounds of draft 4, which are flags beside the bound, as those of draft 7.
pub(super) fn exclude_bounds(schema: &mut Object) {
    for (bound, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        match (schema.get(exclusive), schema.contains_key(bound)) {
            (Some(Value::Bool(false)), _) => {
                schema.remove(exclusive);
            },
            (Some(Value::Bool(true)), true) => {
                if let Some(limit) = schema.remove(bound) {
                    schema.insert(exclusive.to_owned(), limit);
                }
            },
            _ => {},
        }
    }
}

/// Makes faults of closed objects without declared members name the members that are too many, as
/// those of other closed objects do.
pub(super) fn declare_members(schema: &mut Object) {
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    if closed && !schema.contains_key("properties") {
        schema.insert("properties".to_owned(), Value::Object(Object::new()));
    }
}
