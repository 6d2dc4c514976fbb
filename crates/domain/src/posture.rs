//! Posture reports of clients and their evaluation results.
//!
//! Values shared by readers and evaluators; the evaluation is in `portcullis-posture`.

mod failure;
mod report;

pub use failure::{
    ActualProcess, ActualValue, CheckFailure, FailedRequest, MfaCriteria, MfaValues, PolicyFailure,
};
pub use report::{OsInfo, PostureReport, ProcessInfo, Report, Reported};

use crate::ids::ServiceId;
use std::num::NonZeroU32;

/// Grace period in seconds after wake-up or unlock before a TOTP code is required.
pub const PROMPT_GRACE_SECONDS: u32 = 300;

/// A service whose TOTP code expires earlier than announced: [`PROMPT_GRACE_SECONDS`] are left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShortenedService {
    pub id: ServiceId,
    pub name: String,
    /// Regular timeout of a code in seconds; `None` for no limit.
    pub timeout: Option<NonZeroU32>,
}
