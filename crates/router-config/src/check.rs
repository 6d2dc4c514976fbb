//! Check against the specification, the verdict of Portcullis.
//!
//! Every key is checked against the [table](crate::table), then the sections against each other. One
//! pass finds all mistakes. Values with an unambiguous meaning are accepted, with a warning where
//! OpenZiti would not accept them; everything else is refused.

mod address;
mod binding;
mod format_error;
mod help;
mod replacement;
mod scalar;
mod string_format;
mod unknown_keys;
mod walk;

use portcullis_yaml::{Diagnostic, Diagnostics, KeyPath, Program, Section, Severity};

use crate::codes;
use crate::environment::Environment;
use crate::finding::{Finding, Verdict};
use crate::model::RouterConfig;
use crate::semantics;
use crate::source::{self, SourceFile};
use crate::table::{self, OnMistake, OpenZitiRule, ReadMode, ValueType};
use portcullis_key_table::EffectiveConfig;

use crate::check::walk::Walker;

/// Options of [`check`] and [`load`].
///
/// # Examples
///
/// ```
/// use portcullis_router_config::CheckOptions;
///
/// let own = |name: &str| std::env::var(name).ok();
/// let options = CheckOptions::new().allow_unknown(true).environment(&own);
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct CheckOptions<'a> {
    /// Unknown keys are warnings, not errors.
    pub allow_unknown: bool,
    /// The variables that the file may refer to.
    pub environment: Environment<'a>,
}

impl<'a> CheckOptions<'a> {
    /// Strict, and without environment variables.
    pub const fn new() -> Self {
        Self {
            allow_unknown: false,
            environment: Environment::empty(),
        }
    }

    /// Whether unknown keys are only warnings.
    #[must_use]
    pub const fn allow_unknown(self, allow_unknown: bool) -> Self {
        Self {
            allow_unknown,
            ..self
        }
    }

    /// Finds the variables that the file may refer to.
    #[must_use]
    pub const fn environment(self, lookup: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            environment: Environment::new(lookup),
            ..self
        }
    }
}

/// Verdict and findings about a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Whether the file can be used.
    pub verdict: Verdict,
    /// Errors, warnings and notes in the order of the file.
    pub findings: Vec<Finding>,
}

/// What holds in place of a value that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    Nothing,
    /// The nearest value within the bounds, or else the default, which is also what holds in place of durations that may
    /// be milliseconds, and of numbers that have to stay away from their bounds.
    Replacement,
}

/// Findings and content of a file, as far as it could be parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedConfig {
    pub report: Report,
    /// Effective values with defaults filled in; invalid values are missing.
    pub effective: EffectiveConfig,
    /// The effective values as typed sections.
    pub config: RouterConfig,
    /// Whether there is a section `edge`. Without it, a router serves the fabric only.
    pub has_edge: bool,
}

/// Checks a file.
///
/// # Examples
///
/// ```
/// use portcullis_router_config::{CheckOptions, SourceFile, Verdict, check};
/// let text = SourceFile::new("router.yml", b"v: 3\nfowarder: {idleTxInterval: 5s}\n");
/// let report = check(&text, &CheckOptions::new());
///
/// assert_eq!(report.verdict, Verdict::Refuse);
/// let codes: Vec<_> = report.findings.iter().map(|finding| finding.diagnostic.code).collect();
/// assert!(codes.contains(&"unknown-key"));
/// ```
pub fn check(text: &SourceFile<'_>, options: &CheckOptions<'_>) -> Report {
    let effective = EffectiveConfig::default();
    analyze(text, options, effective, Fallback::Nothing).report
}

/// As [`check`], with the content of the file. A mistake does not stop the rest from being loaded.
pub fn load(text: &SourceFile<'_>, options: &CheckOptions<'_>) -> LoadedConfig {
    load_with(text, options, Fallback::Nothing)
}

/// As [`load`], with something else in place of values that cannot be used.
pub(crate) fn load_with(
    text: &SourceFile<'_>,
    options: &CheckOptions<'_>,
    fallback: Fallback,
) -> LoadedConfig {
    let Analysis {
        report,
        effective,
        has_edge,
    } = analyze(text, options, EffectiveConfig::with_defaults(), fallback);
    let config = RouterConfig::from_effective(&effective);
    LoadedConfig {
        report,
        effective,
        config,
        has_edge,
    }
}

struct Analysis {
    report: Report,
    effective: EffectiveConfig,
    has_edge: bool,
}

fn analyze(
    text: &SourceFile<'_>,
    options: &CheckOptions<'_>,
    mut effective: EffectiveConfig,
    fallback: Fallback,
) -> Analysis {
    let mut diagnostics = Diagnostics::default();
    let mut has_edge = false;
    match source::parse_source(text, options.environment, &mut diagnostics) {
        Err(unreadable) => {
            diagnostics.push(unreadable.diagnostic);
        },
        Ok(root) => {
            if let Some(section) = Section::root(&root, &mut diagnostics) {
                if let Some(other) = Program::Router.report_other(&section) {
                    let mut only = Diagnostics::default();
                    only.push(other);
                    return Analysis {
                        report: report(only),
                        effective: EffectiveConfig::default(),
                        has_edge,
                    };
                }
                let mut walker = Walker::new(options.allow_unknown, effective, &mut diagnostics);
                walker.fallback = fallback;
                walker.root(&section);
                effective = walker.effective;
                let meant = walker.misspelled;
                has_edge = section.get_non_null("edge").is_some();
                semantics::check(&section, &mut diagnostics);
                drop_findings_below(&mut diagnostics, &meant);
                join_missing_sections(&mut diagnostics);
            }
        },
    }
    Analysis {
        report: report(diagnostics),
        effective,
        has_edge,
    }
}

/// Drops findings about keys that are missing only because they are misspelled.
fn drop_findings_below(diagnostics: &mut Diagnostics, misspelled: &[KeyPath]) {
    let misspelled: Vec<_> = misspelled.iter().map(KeyPath::segments).collect();
    if !misspelled.is_empty() {
        diagnostics.retain(|diagnostic| {
            let path = diagnostic.path.segments();
            !misspelled.iter().any(|way| path.starts_with(way))
        });
    }
}

/// Says in one note what the file lacks, if it may lack it.
fn join_missing_sections(diagnostics: &mut Diagnostics) {
    let is_lacking = |diagnostic: &Diagnostic| {
        diagnostic.code == codes::MISSING_SECTION && diagnostic.severity == Severity::Note
    };
    let lacking: Vec<Diagnostic> = diagnostics
        .as_slice()
        .iter()
        .filter(|diagnostic| is_lacking(diagnostic))
        .cloned()
        .collect();
    let [first, _, ..] = lacking.as_slice() else {
        return;
    };
    diagnostics.retain(|diagnostic| !is_lacking(diagnostic));
    let lost: Vec<&str> = lacking.iter().map(|each| each.message.as_str()).collect();
    diagnostics.push(Diagnostic {
        path: KeyPath::root(),
        message: lost.join("; "),
        ..first.clone()
    });
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

/// Lists what OpenZiti ignores without a message, unless it reports the key for another reason.
pub(crate) fn ignored_keys(root: &Section<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Diagnostics::default();
    Walker::new(true, EffectiveConfig::default(), &mut diagnostics).root(root);
    let all = diagnostics.into_sorted().into_iter();
    all.filter_map(|diagnostic| match diagnostic.code {
        codes::UNKNOWN_KEY | codes::DEAD_KEY => Some(diagnostic),
        codes::WRONG_TYPE | codes::NO_VALUE | codes::INVALID_VALUE => {
            ignored_value_warning(diagnostic)
        },
        _ => None,
    })
    .collect()
}

/// Turns an error into a warning that says how OpenZiti treats the value, if it neither refuses nor
/// crashes.
fn ignored_value_warning(mut diagnostic: Diagnostic) -> Option<Diagnostic> {
    let path = diagnostic.path.dotted();
    let found = table::resolve(&path).ok()?;
    // Entries of links have a reader of their own, which also takes whole floats.
    let is_link = path.starts_with("link.listeners[") || path.starts_with("link.dialers[");
    if path == "transport.proxy" {
        diagnostic.message += "; OpenZiti fails on it at the first dial";
        diagnostic.severity = Severity::Warning;
        return Some(diagnostic);
    }
    let what = found.iter().find_map(|found| match found.key.value_type {
        ValueType::Map(_) | ValueType::MapList(_) | ValueType::BindingList(_) => {
            Some("OpenZiti ignores it")
        },
        _ => match found.key.openziti {
            OpenZitiRule {
                mode: ReadMode::Unread,
                ..
            } => None,
            OpenZitiRule {
                mode: ReadMode::LenientBool,
                ..
            } => Some("OpenZiti treats everything but `true` as false"),
            OpenZitiRule {
                on_wrong_type: OnMistake::Ignore,
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
