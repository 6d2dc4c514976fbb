//! How often routers may have something written.

use crate::error::{AppError, TooManyRequestsError};
use parking_lot::Mutex;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::rate_limit::RateLimit;

/// Burst of reports of a router that bring something new; afterwards one per second.
const REPORT_BURST: u32 = 20;

/// Limits of routers, by the numbers of their records.
pub(crate) struct RouterLimits {
    reports: Mutex<RateLimit>,
}

impl Default for RouterLimits {
    fn default() -> Self {
        Self {
            reports: Mutex::new(RateLimit::new(REPORT_BURST)),
        }
    }
}

impl RouterLimits {
    /// Counts a report that is about to be written.
    ///
    /// # Errors
    ///
    /// [`TooManyRequestsError::RateLimit`] beyond the limit.
    pub(crate) fn count_report(
        &self,
        router: RecordNumber,
        now: Timestamp,
    ) -> Result<(), AppError> {
        let rule = "the router reports changes too often; one a second is accepted now";
        take(&self.reports, router, now, rule)
    }
}

fn take(
    limit: &Mutex<RateLimit>,
    router: RecordNumber,
    now: Timestamp,
    rule: &'static str,
) -> Result<(), AppError> {
    let counted = limit.lock().take(router, now);
    Ok(counted.map_err(|seconds| TooManyRequestsError::RateLimit { rule, seconds })?)
}
