//! Where published descriptions and recorded exchanges disagree.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use std::fmt;
use std::sync::LazyLock;

/// The table as text.
pub const EXCEPTIONS: &str = include_str!("exceptions.txt");

/// A line of the table.
#[derive(Debug)]
pub struct Exception {
    /// What it is about.
    pub place: Place,
    /// Why it is there.
    pub reason: &'static str,
    line: &'static str,
}

/// What an exception is about.
#[derive(Debug)]
pub enum Place {
    /// A keyword of a definition, by its pointer below `definitions`, and what it lets through.
    Schema(&'static str, Lets),
    /// A status, of one operation or of all, and what is answered with it.
    Answer {
        /// Method and path as described; `*` for all.
        operation: &'static str,
        /// The status; `None` for all.
        status: Option<u16>,
        /// What is answered.
        answered: Answered,
    },
}

/// What passes although a keyword forbids it.
#[derive(Debug)]
pub enum Lets {
    /// Everything.
    Everything,
    /// `null`.
    Null,
    /// An object without this member.
    Without(&'static str),
}

/// What is answered where the description says otherwise or nothing.
#[derive(Debug, Clone, Copy)]
pub enum Answered {
    /// What this definition says.
    As(&'static str),
    /// No body.
    Nothing,
    /// What nobody describes.
    Anything,
}

/// The table.
pub fn exceptions() -> &'static [Exception] {
    static TABLE: LazyLock<Vec<Exception>> = LazyLock::new(|| {
        EXCEPTIONS
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(parsed)
            .collect()
    });
    &TABLE
}

fn parsed(line: &'static str) -> Exception {
    let parts: Vec<_> = line.splitn(4, '|').map(str::trim).collect();
    let [kind, place, what, reason] = parts[..] else {
        panic!("not KIND | PLACE | WHAT | REASON: {line}");
    };
    assert!(!reason.is_empty(), "without a reason: {line}");
    let place = match kind {
        "schema" => Place::Schema(place, lets(what)),
        "answer" => {
            let (operation, status) = place.rsplit_once(' ').expect("a status is named");
            Place::Answer {
                operation,
                status: (status != "*").then(|| status.parse().expect("a status is a number")),
                answered: answered(what),
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

fn lets(what: &'static str) -> Lets {
    match what.split_once(' ') {
        None if what == "everything" => Lets::Everything,
        None if what == "null" => Lets::Null,
        Some(("without", member)) => Lets::Without(member),
        _ => panic!("neither everything nor null nor without a member: {what}"),
    }
}

fn answered(what: &'static str) -> Answered {
    match what.split_once(' ') {
        None if what == "nothing" => Answered::Nothing,
        None if what == "anything" => Answered::Anything,
        Some(("as", definition)) => Answered::As(definition),
        _ => panic!("neither nothing nor anything nor as a definition: {what}"),
    }
}

impl Exception {
    /// Whether it lets through what a validator complains about.
    pub(super) fn allows(&self, error: &ValidationError<'_>) -> bool {
        let Place::Schema(place, lets) = &self.place else {
            return false;
        };
        let location = error.schema_path().as_str();
        location.strip_prefix("/definitions/") == Some(*place)
            && match lets {
                Lets::Everything => true,
                Lets::Null => error.instance().is_null(),
                Lets::Without(member) => matches!(
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
