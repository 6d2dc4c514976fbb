//! Keeping secrets out of core dumps.
//!
//! What a controller is answering lies in its memory: tokens, recovery codes, passwords.
//! A core dump would write all of it to a disk, where nobody seals it.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Keeps the system from writing core dumps of this process, and other programs of the same user from
/// looking into its memory (prctl(2), `PR_SET_DUMPABLE`).
pub(crate) fn forbid() {
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "core dumps could not be disabled; they would contain secrets");
    }
}
