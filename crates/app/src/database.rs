//! The store as administrators look after it: copies of it, whether it holds together, and how much
//! is in it.

mod checks;
mod copies;
mod place;
mod summary;

use crate::action::actions;
use portcullis_domain::access::Access;

pub use checks::{CheckReport, CheckResult, check, fix, report, stop_checks};
pub use copies::copy;
pub use summary::{Summary, summary};

pub(crate) use checks::Checks;
pub(crate) use copies::Copies;

actions! {
    /// Writes a copy of the store.
    Copy = Access::Admin;
    /// Has the store checked.
    Check = Access::Admin;
    /// Has the store checked, and put right what can be.
    Fix = Access::Admin;
    /// Reads what the last check has found.
    ReadReport = Access::Admin;
    /// Reads how many entities there are.
    ReadSummary = Access::Admin;
}
