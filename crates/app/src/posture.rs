//! Posture: what clients report about their devices, and the access that follows from it.
//!
//! Reports belong to a session and are kept in memory as long as it lives. Policies are evaluated
//! on demand, so nothing has to be kept up to date.

mod cleanup;
mod context;
mod decision;
mod evaluator;
mod grant_resolver;
mod judges;
mod report;
mod view;

pub(crate) use cleanup::remove_stale;
pub(crate) use context::PostureContext;
pub(crate) use decision::decide_access;
pub(crate) use evaluator::PostureEvaluator;
pub(crate) use grant_resolver::{GrantResolver, PolicySummary};
pub(crate) use judges::machine_judge;
pub use report::{Reports, report};
pub use view::{read_data, read_refusals};

use crate::action::actions;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Subject as On, Verb};

actions! {
    /// Reports posture data of the caller's device.
    Report = Access::Full;
    /// Reads the posture data of an identity's sessions, and the requests that failed because of
    /// it.
    ReadData = Access::Granted(On::Identity, Verb::Read);
}
