//! Classification of keywords.

use super::super::plan::{NodeId, PlanNode};
use super::super::{MAX_DEPTH, size};
use super::SchemaLocation;
use portcullis_domain::config::JsonObject;
use serde_json::Value;

/// Formats that are validated; all others are hints for people and forms.
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

/// A keyword, classified by its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keyword {
    /// A keyword that asserts nothing.
    Ignored,
    /// A reference to another schema.
    Reference,
    /// A map of schemas that others refer to.
    Definitions,
    /// A schema.
    Subschema(InstancePart),
    /// A list of schemas.
    SubschemaList(InstancePart),
    /// A map of schemas.
    SubschemaMap(InstancePart),
    /// A regular expression.
    Pattern,
    /// The name of a format.
    Format,
    /// A value without schemas.
    Assertion,
}

/// Part of a value to which a schema applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InstancePart {
    Same,
    Excluded,
    Choice,
    Member,
    PatternMember,
    AdditionalMember,
    PropertyName,
    TupleItem,
    Item,
    Unused,
}

impl Keyword {
    /// The keyword `not`, whose schema violations repeat.
    pub(super) const NOT: Self = Self::Subschema(InstancePart::Excluded);

    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "$ref" => Self::Reference,
            "definitions" | "$defs" => Self::Definitions,
            "not" => Self::NOT,
            "if" | "then" | "else" => Self::Subschema(InstancePart::Same),
            "additionalProperties" => Self::Subschema(InstancePart::AdditionalMember),
            "propertyNames" => Self::Subschema(InstancePart::PropertyName),
            "contains" | "additionalItems" => Self::Subschema(InstancePart::Item),
            "allOf" => Self::SubschemaList(InstancePart::Same),
            "anyOf" | "oneOf" => Self::SubschemaList(InstancePart::Choice),
            "items" => Self::SubschemaList(InstancePart::TupleItem),
            "properties" => Self::SubschemaMap(InstancePart::Member),
            "patternProperties" => Self::SubschemaMap(InstancePart::PatternMember),
            "dependencies" => Self::SubschemaMap(InstancePart::Same),
            "pattern" => Self::Pattern,
            "format" => Self::Format,
            "const" | "enum" | "exclusiveMaximum" | "exclusiveMinimum" | "maxItems"
            | "maxLength" | "maxProperties" | "maximum" | "minItems" | "minLength"
            | "minProperties" | "minimum" | "multipleOf" | "required" | "type" | "uniqueItems" => {
                Self::Assertion
            },
            _ => Self::Ignored,
        }
    }
}

impl InstancePart {
    /// The part to which a single schema applies where a list is allowed too.
    pub(super) fn single(self) -> Self {
        match self {
            Self::TupleItem => Self::Item,
            other => other,
        }
    }

    /// Adds `next` to `node` for this part of the value.
    pub(super) fn add_to(self, node: &mut PlanNode, next: NodeId) {
        match self {
            Self::Same | Self::Excluded => node.applied.push(next),
            Self::Choice => node.alternatives.push(next),
            Self::AdditionalMember => node.additional_members = Some(next),
            Self::PropertyName => node.property_names = Some(next),
            Self::TupleItem => node.tuple_items.push(next),
            Self::Item => node.items.push(next),
            Self::Member | Self::PatternMember | Self::Unused => {},
        }
    }

    /// As [`InstancePart::add_to`], for a schema under `name`, which takes `steps` to be matched.
    pub(super) fn add_named_to(self, node: &mut PlanNode, name: &str, steps: u64, next: NodeId) {
        match self {
            Self::Member => {
                node.members.insert(name.to_owned(), next);
            },
            Self::PatternMember => node.pattern_members.push((steps, next)),
            other => other.add_to(node, next),
        }
    }
}

/// Whether a format is validated.
pub(super) fn is_enforced(format: &Value) -> bool {
    format
        .as_str()
        .is_none_or(|format| ENFORCED.contains(&format))
}

/// Adds the cost of the keyword at `here` to `node`.
pub(super) fn add_cost(here: &SchemaLocation, value: &Value, node: &mut PlanNode) {
    let name = here.pointer.rsplit('/').next().unwrap_or_default();
    match (name, value) {
        ("enum", Value::Array(values)) => {
            let count = u64::try_from(values.len()).unwrap_or(u64::MAX);
            node.compared.0 = node.compared.0.saturating_add(count);
            node.compared.1 = node
                .compared
                .1
                .saturating_add(size::json_size(value, MAX_DEPTH));
        },
        ("const", value) => {
            node.compared.0 = node.compared.0.saturating_add(1);
            node.compared.1 = node
                .compared
                .1
                .saturating_add(size::json_size(value, MAX_DEPTH));
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

/// Converts the exclusive bounds of draft 4, which are flags beside the bound, to those of draft 7.
pub(super) fn convert_exclusive_bounds(schema: &mut JsonObject) {
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

/// Adds empty `properties` to closed objects without them, so that violations name the unexpected
/// members.
pub(super) fn add_empty_properties(schema: &mut JsonObject) {
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    if closed && !schema.contains_key("properties") {
        schema.insert("properties".to_owned(), Value::Object(JsonObject::new()));
    }
}
