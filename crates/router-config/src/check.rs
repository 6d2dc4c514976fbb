//! The verdict of Portcullis: the specification is the norm.
//!
//! Every key is held against the [table](crate::table), then the sections are held against each other.
//! All mistakes are found in one pass. What has a certain meaning is accepted, with a warning where the
//! original would not; all else is refused.

mod address;
mod binding;
mod form;
mod help;
mod host;
mod mistake;
mod place;
mod scalar;
mod unknown;
mod walk;

use portcullis_yaml::{Diagnostic, Diagnostics, KeyPath, Section, Severity};

use crate::codes;
use crate::effective::Effective;
use crate::finding::{Finding, Verdict};
use crate::model::RouterConfig;
use crate::semantics;
use crate::source::{self, Text};
use crate::table::{self, Kind, Original, Read, Wrong};

pub(crate) use crate::check::address::{address_of, edge_address};
pub(crate) use crate::check::host::is_unspecified;
pub(crate) use crate::check::place::{path_in_list, place};
use crate::check::walk::Walker;

/// What to be strict about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Unknown keys are warnings, not errors.
    pub allow_unknown: bool,
}

/// What is to be said about a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Whether the file can be used.
    pub verdict: Verdict,
    /// Errors, warnings and notes in the order of the file.
    pub findings: Vec<Finding>,
}

/// What a file says, as far as it could be understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What is to be said about it.
    pub report: Report,
    /// The values that hold, defaults filled in; those with mistakes are missing.
    pub effective: Effective,
    /// The same as types.
    pub config: RouterConfig,
}

/// Checks a file. `lookup` gives environment variables.
///
/// # Examples
///
/// ```
/// use portcullis_router_config::{Options, Text, Verdict, check};
///
/// let text = Text::new("router.yml", b"v: 3\nfowarder: {idleTxInterval: 5s}\n");
/// let report = check(&text, Options::default(), &|_| None);
///
/// assert_eq!(report.verdict, Verdict::Refuse);
/// let codes: Vec<_> = report.findings.iter().map(|finding| finding.diagnostic.code).collect();
/// assert!(codes.contains(&"unknown-key"));
/// ```
pub fn check(text: &Text<'_>, options: Options, lookup: &dyn Fn(&str) -> Option<String>) -> Report {
    read(text, options, lookup, Effective::default()).0
}

/// As [`check`], with what the file says. Mistakes never keep the rest from being read.
pub fn load(text: &Text<'_>, options: Options, lookup: &dyn Fn(&str) -> Option<String>) -> Loaded {
    let (report, effective) = read(text, options, lookup, Effective::complete());
    let config = RouterConfig::from_effective(&effective);
    Loaded {
        report,
        effective,
        config,
    }
}

fn read(
    text: &Text<'_>,
    options: Options,
    lookup: &dyn Fn(&str) -> Option<String>,
    mut effective: Effective,
) -> (Report, Effective) {
    let mut diagnostics = Diagnostics::default();
    match source::read(text, lookup, &mut diagnostics) {
        Err(unreadable) => {
            diagnostics.push(unreadable.diagnostic);
        },
        Ok(root) => {
            if let Some(section) = Section::root(&root, &mut diagnostics) {
                let mut walker = Walker::new(options, effective, &mut diagnostics);
                walker.root(&section);
                effective = walker.effective;
                let meant = walker.meant;
                semantics::check(&section, &mut diagnostics);
                forget(&mut diagnostics, &meant);
            }
        },
    }
    (report(diagnostics), effective)
}

/// Takes back what is said about keys that are missing only because they are misspelt.
fn forget(diagnostics: &mut Diagnostics, misspelt: &[KeyPath]) {
    let misspelt: Vec<_> = misspelt.iter().map(KeyPath::segments).collect();
    if !misspelt.is_empty() {
        diagnostics.retain(|diagnostic| {
            let path = diagnostic.path.segments();
            !misspelt.iter().any(|way| path.starts_with(way))
        });
    }
}

fn report(diagnostics: Diagnostics) -> Report {
    let verdict = if diagnostics.has_errors() {
        Verdict::Refuse
    } else {
        Verdict::Accept
    };
    let finding = |diagnostic: Diagnostic| Finding {
        diagnostic,
        effect: None,
    };
    let findings = diagnostics.into_sorted().into_iter().map(finding).collect();
    Report { verdict, findings }
}

/// Lists what OpenZiti passes over without a word, unless it has a reason of its own for the key.
pub(crate) fn passed_over(root: &Section<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Diagnostics::default();
    let options = Options {
        allow_unknown: true,
    };
    Walker::new(options, Effective::default(), &mut diagnostics).root(root);
    let all = diagnostics.into_sorted().into_iter();
    all.filter_map(|diagnostic| match diagnostic.code {
        codes::UNKNOWN_KEY | codes::DEAD_KEY => Some(diagnostic),
        codes::WRONG_TYPE | codes::NO_VALUE | codes::INVALID_VALUE => unread(diagnostic),
        _ => None,
    })
    .collect()
}

/// Says what becomes of a value that is wrong, where that is another than a refusal or a crash.
fn unread(mut diagnostic: Diagnostic) -> Option<Diagnostic> {
    let path = diagnostic.path.dotted();
    let found = table::find(&path).ok()?;
    // Entries of links have a reader of their own, which also takes whole floats.
    let is_link = path.starts_with("link.listeners[") || path.starts_with("link.dialers[");
    if path == "transport.proxy" {
        diagnostic.message += "; OpenZiti fails on it at the first dial";
        diagnostic.severity = Severity::Warning;
        return Some(diagnostic);
    }
    let what = found.iter().find_map(|found| match found.key.kind {
        Kind::Map(_) | Kind::Maps(_) | Kind::Bindings(_) => Some("OpenZiti ignores it"),
        _ => match found.key.original {
            Original {
                read: Read::Nothing,
                ..
            } => None,
            Original {
                read: Read::Truth, ..
            } => Some("OpenZiti treats everything but `true` as false"),
            Original {
                wrong: Wrong::Ignore,
                ..
            } if !is_link => Some("OpenZiti uses the default"),
            _ => None,
        },
    })?;
    // A section without a value counts as absent for both.
    if diagnostic.severity == Severity::Error {
        diagnostic.message = format!("{}; {what}", diagnostic.message);
    }
    diagnostic.severity = Severity::Warning;
    Some(diagnostic)
}

impl Report {
    /// Counts the findings of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let of = |finding: &&Finding| finding.diagnostic.severity == severity;
        self.findings.iter().filter(of).count()
    }
}
