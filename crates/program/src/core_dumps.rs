//! Protection of secrets from core dumps.
//!
//! The memory of a controller contains tokens, recovery codes and passwords, that of a router keys and what
//! it carries. A core dump would write all
//! of it to disk in plain text.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Prevents core dumps of this process, and access to its memory by other programs of the same user
/// (prctl(2), `PR_SET_DUMPABLE`).
pub(crate) fn forbid() {
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "core dumps could not be disabled; they would contain secrets");
    }
}
