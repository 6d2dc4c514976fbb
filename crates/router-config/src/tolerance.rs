//! A file as a router takes it that starts with whatever OpenZiti's router starts with.

use portcullis_key_table::{EffectiveConfig, Setting, Source};
use portcullis_yaml::{Diagnostic, Severity};

use crate::check::{CheckOptions, Fallback, LoadedConfig, load, load_with};
use crate::codes;
use crate::finding::Verdict;
use crate::openziti::{Machine, evaluate};
use crate::source::SourceFile;

/// As [`load`], but mistakes in a file that OpenZiti's router starts with are warnings, which tell what holds in
/// place of a value that cannot be used. It gets nowhere without a controller, so that stays a mistake.
///
/// # Examples
///
/// ```
/// use portcullis_router_config::{CheckOptions, Severity, SourceFile, Verdict, load_tolerantly};
///
/// let file = b"v: 3\nidentity: {cert: r.cert, server_cert: r.cert, key: r.key, ca: r.cas}\n\
///     ctrl: {endpoint: tls:ctrl.example.test:6262}\ncsr: {sans: {dns: [r.example.test]}}\n\
///     ha: {enabled: true}\nmetrics: off\nfowarder: {}\n";
/// let loaded = load_tolerantly(&SourceFile::new("router.yml", file), &CheckOptions::new());
///
/// assert_eq!(loaded.report.verdict, Verdict::Accept);
/// assert_eq!(loaded.report.count(Severity::Warning), 2);
/// let interval = loaded.config.metrics.report_interval.expect("the default");
/// assert_eq!(interval.value.to_string(), "1m0s");
/// ```
pub fn load_tolerantly(text: &SourceFile<'_>, options: &CheckOptions<'_>) -> LoadedConfig {
    let strict = load(text, options);
    if strict.report.verdict == Verdict::Accept || !is_started_by_openziti(text, options) {
        return strict;
    }
    let options = options.allow_unknown(true);
    let mut loaded = load_with(text, &options, Fallback::Replacement);
    loaded.report.verdict = Verdict::Accept;
    for finding in &mut loaded.report.findings {
        if finding.diagnostic.severity != Severity::Error {
            continue;
        }
        if finding.is_lack_of_controllers() {
            loaded.report.verdict = Verdict::Refuse;
        } else {
            let diagnostic = &mut finding.diagnostic;
            diagnostic.severity = Severity::Warning;
            let held = what_holds(diagnostic, &loaded.effective);
            diagnostic.message += &held;
        }
    }
    loaded
}

fn is_started_by_openziti(text: &SourceFile<'_>, options: &CheckOptions<'_>) -> bool {
    let machine = Machine {
        environment: options.environment,
        ..Machine::new()
    };
    evaluate(text, &machine).verdict == Verdict::Accept
}

/// Completes a sentence about a value.
fn what_holds(diagnostic: &Diagnostic, effective: &EffectiveConfig) -> String {
    let is_about_a_value = [
        codes::WRONG_TYPE,
        codes::NO_VALUE,
        codes::INVALID_VALUE,
        codes::OUT_OF_BOUNDS,
    ]
    .contains(&diagnostic.code);
    if !is_about_a_value {
        return String::new();
    }
    let path = diagnostic.path.dotted();
    let list = path.rsplit_once('[').map(|(list, _index)| list);
    let setting = effective.get(&path).or_else(|| effective.get(list?));
    match setting {
        Some(Setting {
            source: Source::Default,
            ..
        }) => "; the default is used".to_owned(),
        Some(setting) if setting.value.is_array() => "; the rest of the list is used".to_owned(),
        Some(Setting { value, .. }) => {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            format!("; `{text}` is used")
        },
        None => "; it is left out".to_owned(),
    }
}
