//! Keys and values that OpenZiti ignores without a message.

use std::collections::HashSet;

use portcullis_yaml::{Diagnostic, Field, Section, Severity};

use crate::check::ignored_keys;
use crate::codes;
use crate::openziti::listeners::circuit_options;
use crate::openziti::loader::Loader;

/// Bindings whose options are read when they are first used.
const DIALED_BINDINGS: [&str; 5] = [
    "transport",
    "transport_udp",
    "edge",
    "edge_transport",
    "tunnel",
];

/// Lists ignored keys, and mistakes that would stop the first dial of a circuit.
pub(super) fn warnings(loader: &mut Loader<'_>, root: &Section<'_>) -> Vec<Diagnostic> {
    let mut warnings = first_dials(loader, root);
    let reasons = loader.findings.iter().map(|finding| &finding.diagnostic);
    let known: HashSet<String> = reasons
        .chain(&warnings)
        .map(|diagnostic| diagnostic.path.dotted())
        .collect();
    let is_new = |diagnostic: &Diagnostic| {
        if matches!(diagnostic.code, codes::UNKNOWN_KEY | codes::DEAD_KEY) {
            return true;
        }
        let path = diagnostic.path.dotted();
        let mut sections = path
            .match_indices(['.', '['])
            .filter_map(|(end, _)| path.get(..end));
        !known.contains(&path) && !sections.any(|section| known.contains(section))
    };
    warnings.extend(ignored_keys(root).into_iter().filter(is_new));
    warnings
}

/// Reads the options of dialers; of several with the same binding the last is used.
fn first_dials(loader: &mut Loader<'_>, root: &Section<'_>) -> Vec<Diagnostic> {
    let items = root
        .get("dialers")
        .and_then(|field| field.items())
        .unwrap_or_default();
    let sections: Vec<_> = items.iter().filter_map(Field::as_section).collect();
    let known = loader.findings.len();
    for binding in DIALED_BINDINGS {
        let has_binding = |section: &&Section<'_>| {
            let name = section.get("binding");
            name.is_some_and(|field| field.node().as_str() == Some(binding))
        };
        if let Some(section) = sections.iter().rfind(has_binding) {
            circuit_options(loader, section, "dialer");
            loader.effective.remove_below("dialer");
        }
    }
    let later = loader.findings.split_off(known);
    let warning = |mut diagnostic: Diagnostic| {
        diagnostic.severity = Severity::Warning;
        diagnostic.message += "; OpenZiti fails on it at the first dial";
        diagnostic
    };
    later
        .into_iter()
        .map(|finding| warning(finding.diagnostic))
        .collect()
}
