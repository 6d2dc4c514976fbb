//! How often routers may have something written.

use crate::error::{AppError, TooManyRequestsError};
use parking_lot::Mutex;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::rate_limit::RateLimit;

/// Burst of reports of a router that bring something new; afterwards one per second.
const REPORT_BURST: u32 = 20;

/// Burst of terminators that a router creates or changes: a router that is started anew creates all of
/// its own.
const TERMINATOR_BURST: u32 = 20_000;

/// How many follow in each second after the burst.
const TERMINATORS_PER_SECOND: u32 = 50;

/// Burst of certificates that are issued to a router; afterwards one per second.
const EXTENSION_BURST: u32 = 5;

/// Limits of routers, by the numbers of their records.
pub(crate) struct RouterLimits {
    reports: Mutex<RateLimit>,
    terminators: Mutex<RateLimit>,
    extensions: Mutex<RateLimit>,
}

impl Default for RouterLimits {
    fn default() -> Self {
        Self {
            reports: Mutex::new(RateLimit::new(REPORT_BURST)),
            terminators: Mutex::new(RateLimit::with_rate(
                TERMINATOR_BURST,
                TERMINATORS_PER_SECOND,
            )),
            extensions: Mutex::new(RateLimit::new(EXTENSION_BURST)),
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

    /// Counts a terminator that is about to be created or changed.
    ///
    /// # Errors
    ///
    /// As [`RouterLimits::count_report`].
    pub(crate) fn count_terminator(
        &self,
        router: RecordNumber,
        now: Timestamp,
    ) -> Result<(), AppError> {
        let rule =
            "the router creates or changes terminators too often; 50 a second are accepted now";
        take(&self.terminators, router, now, rule)
    }

    /// Counts certificates that are about to be issued.
    ///
    /// # Errors
    ///
    /// As [`RouterLimits::count_report`].
    pub(crate) fn count_extension(
        &self,
        router: RecordNumber,
        now: Timestamp,
    ) -> Result<(), AppError> {
        let rule =
            "the router extends its certificates too often; one request a second is accepted now";
        take(&self.extensions, router, now, rule)
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
