//! Maintenance of the store: copies, integrity checks and a summary.

mod checks;
mod entity_count;
mod snapshots;
mod summary;

use crate::action::actions;
use portcullis_domain::access::Access;

pub use crate::state::integrity_checks::{IntegrityFinding, IntegrityReport};
pub use checks::{check, fix, report, stop_checks};
pub use entity_count::entity_count;
pub use snapshots::copy;
pub use summary::{Summary, summary};

actions! {
    /// Writes a copy of the store.
    Copy = Access::Admin;
    /// Checks the integrity of the store.
    Check = Access::Admin;
    /// Checks the integrity of the store and fixes what can be fixed.
    Fix = Access::Admin;
    /// Reads the report of the last check.
    ReadReport = Access::Admin;
    /// Reads the number of entities.
    ReadSummary = Access::Admin;
}
