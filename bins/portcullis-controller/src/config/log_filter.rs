//! Check of the log's filter.

use crate::logging;
use portcullis_controller_config::LogFilterReference;
use portcullis_yaml::{Diagnostic, Severity, codes};

/// Finds a filter that the log cannot use.
pub(super) fn check(found: Option<&LogFilterReference>) -> Option<Diagnostic> {
    let LogFilterReference {
        path,
        place,
        filter,
    } = found?;
    let error = logging::check_filter(filter).err()?;
    let mut invalid = Diagnostic::new(
        Severity::Error,
        codes::INVALID_VALUE,
        path.clone(),
        *place,
        error.problem,
    );
    invalid.help(error.help);
    Some(invalid)
}
