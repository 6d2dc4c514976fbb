//! Selection and wording of the violation to report.

mod messages;

use super::display;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use portcullis_domain::FieldError;
use std::cmp::Reverse;

/// Field of violations that concern the whole configuration.
pub(super) const ROOT: &str = "(root)";

/// Maximum number of alternatives in a message.
const MAX_ALTERNATIVES: usize = 4;

/// A violation as it is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Violation {
    /// Path to the invalid value.
    pub(super) path: Vec<Segment>,
    pub(super) reason: String,
    pub(super) value: String,
}

/// A segment of a path. Items are ordered by their index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Segment {
    Item(u64),
    Member(String),
}

impl Violation {
    pub(super) fn into_error(self) -> FieldError {
        FieldError::new(dotted(&self.path), self.reason, self.value)
    }
}

/// The path as on the wire, `portRanges.0.low`.
fn dotted(path: &[Segment]) -> String {
    if path.is_empty() {
        return ROOT.to_owned();
    }
    let names: Vec<_> = path
        .iter()
        .map(|segment| match segment {
            Segment::Item(place) => place.to_string(),
            Segment::Member(name) => display::truncated(name),
        })
        .collect();
    names.join(".")
}

/// Selects the violation to report: unconditional ones before those inside a condition, then outer
/// values before their parts, then present members before missing ones.
///
/// So a misspelled member is reported before the missing one, and a member of the wrong type before a
/// condition that it triggers.
pub(super) fn most_relevant(errors: &[ValidationError<'_>]) -> Option<Violation> {
    errors
        .iter()
        .min_by_key(|error| {
            let conditional = is_conditional(error.evaluation_path().as_str());
            let place = parse_pointer(error.instance_path().as_str());
            let schema = error.evaluation_path().as_str();
            (conditional, place, rank(error.kind()), schema)
        })
        .map(violation)
}

/// Whether a schema path leads through a condition.
fn is_conditional(schema_path: &str) -> bool {
    let mut segments = schema_path.split('/');
    while let Some(segment) = segments.next() {
        match segment {
            "then" | "else" => return true,
            // A name follows, which may be the same as that of a keyword.
            "properties" | "patternProperties" | "definitions" | "$defs" | "dependencies" => {
                segments.next();
            },
            _ => {},
        }
    }
    false
}

fn rank(kind: &Kind) -> u8 {
    match kind {
        Kind::Type { .. } => 0,
        Kind::AdditionalProperties { .. } | Kind::PropertyNames { .. } => 1,
        Kind::Required { .. } => 2,
        _ => 3,
    }
}

fn parse_pointer(pointer: &str) -> Vec<Segment> {
    pointer
        .split('/')
        .skip(1)
        .map(|name| match name.parse() {
            Ok(place) if u64::to_string(&place) == name => Segment::Item(place),
            _ => Segment::Member(name.replace("~1", "/").replace("~0", "~")),
        })
        .collect()
}

/// Describes a violation. For alternatives, it describes the schema that was closest to matching.
fn violation(error: &ValidationError<'_>) -> Violation {
    let own = Violation {
        path: parse_pointer(error.instance_path().as_str()),
        reason: messages::reason(error),
        value: messages::value(error),
    };
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            closest_alternative(context, own)
        },
        _ => own,
    }
}

/// Violations of the schemas that matched furthest into the value, with the fewest violations there;
/// `own` is the violation of the alternatives as a whole.
fn closest_alternative(schemas: &[Vec<ValidationError<'static>>], own: Violation) -> Violation {
    let distance = |fault: &Violation, errors: usize| (Reverse(fault.path.len()), errors);
    let mut faults: Vec<_> = schemas
        .iter()
        .filter_map(|errors| {
            most_relevant(errors).map(|fault| (distance(&fault, errors.len()), fault))
        })
        .collect();
    let least = faults.iter().map(|(distance, _)| *distance).min();
    faults.retain(|(distance, _)| Some(*distance) == least);
    let mut faults: Vec<_> = faults.into_iter().map(|(_, fault)| fault).collect();
    faults.dedup();
    match faults.split_first() {
        None => own,
        Some((only, [])) => only.clone(),
        Some((one, others)) if others.iter().all(|other| other.path == one.path) => Violation {
            reason: alternatives(faults.iter().map(|fault| fault.reason.clone())),
            ..one.clone()
        },
        Some(_) => Violation {
            reason: alternatives(faults.iter().map(|fault| {
                let within = fault.path.get(own.path.len()..).unwrap_or(&fault.path);
                format!("`{}` {}", dotted(within), fault.reason)
            })),
            ..own
        },
    }
}

fn alternatives(reasons: impl ExactSizeIterator<Item = String>) -> String {
    let further = reasons.len().saturating_sub(MAX_ALTERNATIVES);
    let mut shown: Vec<_> = reasons.take(MAX_ALTERNATIVES).collect();
    shown.dedup();
    if further > 0 {
        shown.push(format!("{further} more"));
    }
    shown.join(", or ")
}

/// Message about an invalid schema.
pub(super) fn schema_error(error: &ValidationError<'_>) -> String {
    let pointer = display::truncated(error.instance_path().as_str());
    match pointer.as_str() {
        "" => messages::reason(error),
        pointer => format!("`{pointer}` {}", messages::reason(error)),
    }
}
