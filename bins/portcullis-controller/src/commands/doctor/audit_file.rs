//! The file of the audit trail.

use super::report::{Report, Verdict};
use crate::audit::{self, AuditFileCondition, StoredTrail};
use crate::config::CheckedFiles;
use crate::store::StoreCondition;
use crate::{files, output};
use portcullis_controller_config::ControllerConfig;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::tables::Rows;

const CODE: &str = "audit-file";

/// Verifies the chain of the file that the configuration names. One that is named on the command line
/// of `run` is not known here.
pub(super) fn check(checked: &CheckedFiles, config: &ControllerConfig, report: &mut Report) {
    let Some(path) = &config.audit.file else {
        return;
    };
    let name = path.display();
    match audit::examine(path, stored_trail(checked).as_ref()) {
        // It was never written, or moved away by whoever archives it.
        Ok(AuditFileCondition::Absent) => {},
        Ok(AuditFileCondition::Intact(lines)) => report.ok(
            CODE,
            format!("the audit file {name} is intact, with {lines} lines"),
        ),
        Ok(AuditFileCondition::Repairable { line }) => report.add(
            Verdict::Warning,
            CODE,
            format!(
                "the audit file {name} is damaged from line {line} on, for example by a power loss"
            ),
            Some("start the controller: the store still has these events, and they are written again"),
        ),
        Err(error) if files::is_denied(error.as_ref()) => report.add(
            Verdict::Unseen,
            CODE,
            output::error_chain(&error),
            Some("run this as the user of the controller, or as root"),
        ),
        Err(error) => report.add(Verdict::Error, CODE, output::error_chain(&error), None),
    }
}

/// The trail of a store that can be read.
fn stored_trail(checked: &CheckedFiles) -> Option<StoredTrail> {
    let Some(StoreCondition::Openable(engine)) = &checked.store else {
        return None;
    };
    let snapshot = engine.snapshot().ok()?;
    StoredTrail::read(Rows::new(&*snapshot)).ok()
}
