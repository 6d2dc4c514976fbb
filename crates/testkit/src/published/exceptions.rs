//! Exceptions where published descriptions and recorded exchanges disagree.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use std::fmt;
use std::sync::LazyLock;

/// The table as text.
pub const EXCEPTIONS: &str = include_str!("exceptions.txt");

/// An entry of the table.
#[derive(Debug)]
pub struct Exception {
    pub place: ExceptionScope,
    pub reason: &'static str,
    line: &'static str,
}

/// Scope of an exception.
#[derive(Debug)]
pub enum ExceptionScope {
    /// A keyword of a definition, by its pointer below `definitions`, and the tolerated violation.
    Schema(&'static str, AllowedViolation),
    /// A status, of one operation or of all, and its body.
    Response {
        /// Method and path as described; `*` for all.
        operation: &'static str,
        /// `None` for all.
        status: Option<u16>,
        body: ExceptionBody,
    },
}

/// Tolerated violation of a keyword.
#[derive(Debug)]
pub enum AllowedViolation {
    Everything,
    Null,
    /// An object without this member.
    MissingMember(&'static str),
}

/// Body of a response where the description differs or is missing.
#[derive(Debug, Clone, Copy)]
pub enum ExceptionBody {
    /// JSON that matches this definition.
    Definition(&'static str),
    Empty,
    /// An undescribed body.
    Any,
}

pub fn exceptions() -> &'static [Exception] {
    static TABLE: LazyLock<Vec<Exception>> = LazyLock::new(|| {
        EXCEPTIONS
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(parse_line)
            .collect()
    });
    &TABLE
}

fn parse_line(line: &'static str) -> Exception {
    let parts: Vec<_> = line.splitn(4, '|').map(str::trim).collect();
    let [kind, place, what, reason] = parts[..] else {
        panic!("not KIND | PLACE | WHAT | REASON: {line}");
    };
    assert!(!reason.is_empty(), "without a reason: {line}");
    let place = match kind {
        "schema" => ExceptionScope::Schema(place, parse_allowed_violation(what)),
        "answer" => {
            let (operation, status) = place.rsplit_once(' ').expect("a status is named");
            ExceptionScope::Response {
                operation,
                status: (status != "*").then(|| status.parse().expect("a status is a number")),
                body: parse_body(what),
            }
        },
        _ => panic!("neither schema nor answer: {line}"),
    };
    Exception {
        place,
        reason,
        line,
    }
}

fn parse_allowed_violation(what: &'static str) -> AllowedViolation {
    match what.split_once(' ') {
        None if what == "everything" => AllowedViolation::Everything,
        None if what == "null" => AllowedViolation::Null,
        Some(("without", member)) => AllowedViolation::MissingMember(member),
        _ => panic!("neither everything nor null nor without a member: {what}"),
    }
}

fn parse_body(what: &'static str) -> ExceptionBody {
    match what.split_once(' ') {
        None if what == "nothing" => ExceptionBody::Empty,
        None if what == "anything" => ExceptionBody::Any,
        Some(("as", definition)) => ExceptionBody::Definition(definition),
        _ => panic!("neither nothing nor anything nor as a definition: {what}"),
    }
}

impl Exception {
    /// Whether it tolerates a validation error.
    pub(super) fn allows(&self, error: &ValidationError<'_>) -> bool {
        let ExceptionScope::Schema(place, lets) = &self.place else {
            return false;
        };
        let location = error.schema_path().as_str();
        location.strip_prefix("/definitions/") == Some(*place)
            && match lets {
                AllowedViolation::Everything => true,
                AllowedViolation::Null => error.instance().is_null(),
                AllowedViolation::MissingMember(member) => matches!(
                    error.kind(),
                    ValidationErrorKind::Required { property } if property == member
                ),
            }
    }
}

impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.line)
    }
}
