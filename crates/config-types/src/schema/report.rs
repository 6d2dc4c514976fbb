//! Which fault of several is told, and in which words.

mod words;

use super::text;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use portcullis_domain::FieldError;
use std::cmp::Reverse;

/// The field of faults of a configuration as a whole.
pub(super) const ROOT: &str = "(root)";

/// Most schemas of a choice whose faults are told.
const MOST_CHOICES: usize = 4;

/// A fault, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The names and places that lead to the value at fault.
    pub(super) path: Vec<Segment>,
    pub(super) reason: String,
    pub(super) value: String,
}

/// A step into a value. Items come in the order of their places.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Segment {
    Item(u64),
    Member(String),
}

impl Fault {
    /// The error that is answered.
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
            Segment::Member(name) => text::shortened(name),
        })
        .collect();
    names.join(".")
}

/// The fault to tell: what is wrong in any case before what is wrong because of a condition, then
/// the outer value before what it consists of, then what is there before what is missing.
///
/// A misspelt member is told before the one that is missing for it, and a condition that a member
/// of the wrong type brought about is not told before that member.
pub(super) fn first(errors: &[ValidationError<'_>]) -> Option<Fault> {
    errors
        .iter()
        .min_by_key(|error| {
            let conditional = is_conditional(error.evaluation_path().as_str());
            let place = path(error.instance_path().as_str());
            let schema = error.evaluation_path().as_str();
            (conditional, place, rank(error.kind()), schema)
        })
        .map(told)
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

fn path(pointer: &str) -> Vec<Segment> {
    pointer
        .split('/')
        .skip(1)
        .map(|name| match name.parse() {
            Ok(place) if u64::to_string(&place) == name => Segment::Item(place),
            _ => Segment::Member(name.replace("~1", "/").replace("~0", "~")),
        })
        .collect()
}

/// A fault in words. That of a choice is told by the schema that came closest to fitting.
fn told(error: &ValidationError<'_>) -> Fault {
    let own = Fault {
        path: path(error.instance_path().as_str()),
        reason: words::reason(error),
        value: words::value(error),
    };
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => closest(context, own),
        _ => own,
    }
}

/// What keeps the schemas from fitting that got furthest into the value, with fewest faults there;
/// `own` says where the choice is.
fn closest(schemas: &[Vec<ValidationError<'static>>], own: Fault) -> Fault {
    let distance = |fault: &Fault, errors: usize| (Reverse(fault.path.len()), errors);
    let mut faults: Vec<_> = schemas
        .iter()
        .filter_map(|errors| first(errors).map(|fault| (distance(&fault, errors.len()), fault)))
        .collect();
    let least = faults.iter().map(|(distance, _)| *distance).min();
    faults.retain(|(distance, _)| Some(*distance) == least);
    let mut faults: Vec<_> = faults.into_iter().map(|(_, fault)| fault).collect();
    faults.dedup();
    match faults.split_first() {
        None => own,
        Some((only, [])) => only.clone(),
        Some((one, others)) if others.iter().all(|other| other.path == one.path) => Fault {
            reason: alternatives(faults.iter().map(|fault| fault.reason.clone())),
            ..one.clone()
        },
        Some(_) => Fault {
            reason: alternatives(faults.iter().map(|fault| {
                let within = fault.path.get(own.path.len()..).unwrap_or(&fault.path);
                format!("`{}` {}", dotted(within), fault.reason)
            })),
            ..own
        },
    }
}

fn alternatives(reasons: impl ExactSizeIterator<Item = String>) -> String {
    let further = reasons.len().saturating_sub(MOST_CHOICES);
    let mut shown: Vec<_> = reasons.take(MOST_CHOICES).collect();
    shown.dedup();
    if further > 0 {
        shown.push(format!("{further} more"));
    }
    shown.join(", or ")
}

/// What is wrong with a schema, in words.
pub(super) fn of_schema(error: &ValidationError<'_>) -> String {
    let pointer = text::shortened(error.instance_path().as_str());
    match pointer.as_str() {
        "" => words::reason(error),
        pointer => format!("`{pointer}` {}", words::reason(error)),
    }
}
