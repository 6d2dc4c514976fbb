//! Posture: what clients report about their machines, and what came of it.
//!
//! Here are the values that those who read and show them share with those who judge. What is judged,
//! and by what, stands in `portcullis-posture`.

mod failure;
mod report;

pub use failure::{
    Actual, ActualProcess, CheckFailure, FailedRequest, MfaCriteria, MfaValues, PolicyFailure,
};
pub use report::{Os, Process, Report, Reported, Statement};

use crate::ids::ServiceId;
use std::num::NonZeroU32;

/// Seconds for which access goes on after the machine woke up or was unlocked, until a code has to
/// be shown.
pub const PROMPT_GRACE_SECONDS: u32 = 300;

/// A service for which a code has to be shown sooner than was known:
/// [`PROMPT_GRACE_SECONDS`] are left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortenedService {
    /// Its id.
    pub id: ServiceId,
    /// Its name.
    pub name: String,
    /// The shortest time for which a code would do otherwise, seconds; `None` for no limit.
    pub timeout: Option<NonZeroU32>,
}
