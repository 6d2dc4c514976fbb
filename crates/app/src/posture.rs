//! Posture: what clients report about their machines, and what it opens to them.
//!
//! What a client reports belongs to its session and is remembered as long as that lives, in memory
//! alone. Policies are judged by it when somebody asks, so that nothing has to be kept up to date.

mod granting;
mod judge;
mod kept;
mod look;
mod rationed;
mod report;
mod subject;
mod upkeep;

pub(crate) use granting::{Granting, Outline};
pub(crate) use judge::Judge;
pub(crate) use kept::Kept;
pub use look::{read_data, read_refusals};
pub use report::{Reports, report};
pub(crate) use subject::Subject;
pub(crate) use upkeep::forget_what_is_gone;

use crate::action::actions;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Subject as On, Verb};

actions! {
    /// Reports about the caller's machine.
    Report = Access::Full;
    /// Reads what sessions of somebody reported, and what they were refused for it.
    ReadData = Access::Granted(On::Identity, Verb::Read);
}
