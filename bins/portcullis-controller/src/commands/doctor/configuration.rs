//! Everything that `config check` finds.

use super::report::{Finding, Report, Verdict};
use crate::config::{CheckedFiles, UNREADABLE_FILE};
use portcullis_yaml::{Diagnostic, Severity, SourceId};

pub(super) fn check(checked: &CheckedFiles, report: &mut Report) {
    let found = &checked.outcome.diagnostics;
    if found.is_empty() {
        let file = checked.sources.name(SourceId(0));
        report.ok(
            "configuration",
            format!("the configuration {file} and its certificates have no mistakes"),
        );
    }
    for diagnostic in found {
        report.push(to_finding(diagnostic, checked));
    }
}

fn to_finding(diagnostic: &Diagnostic, checked: &CheckedFiles) -> Finding {
    let is_about_value = diagnostic.line > 0;
    // Whoever runs this may have fewer rights than the controller.
    let is_unseen = diagnostic.code == UNREADABLE_FILE && is_about_value;
    let verdict = match diagnostic.severity {
        _ if is_unseen => Verdict::Unseen,
        Severity::Error => Verdict::Error,
        Severity::Warning => Verdict::Warning,
        Severity::Note => Verdict::Note,
    };
    let file = checked.sources.name(diagnostic.source).to_owned();
    let help = if is_unseen {
        Some("run this as the user of the controller, or as root".to_owned())
    } else {
        diagnostic.help.clone()
    };
    Finding {
        verdict,
        code: diagnostic.code,
        message: diagnostic.message.clone(),
        help,
        place: is_about_value.then_some((file, diagnostic.line, diagnostic.column)),
    }
}
