//! Log of refused and failed requests, with rate limits.
//!
//! Strangers can be refused as often as they like, and must not fill the disk that way: lines are
//! limited per peer and in total, and the rest is summarized after a second and then once a minute.
//! Failures of the controller have limits of their own, so that refusals do not hide them.

use crate::error::ApiError;
use parking_lot::Mutex;
use portcullis_domain::Env;
use portcullis_domain::log_throttle::{LogRateLimits, LogThrottle, SuppressedLines};
use portcullis_domain::peer::Peer;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// Bytes of a refusal's detail that are logged; it may quote the client.
const MAX_DETAIL_BYTES: usize = 300;

#[derive(Debug)]
pub(crate) struct RefusalLog {
    refused: Arc<Mutex<LogThrottle>>,
    failed: Arc<Mutex<LogThrottle>>,
}

impl RefusalLog {
    /// Creates a log with these rates for refusals, and the same for failures.
    pub(crate) fn new(rates: LogRateLimits) -> Self {
        let throttle = || Arc::new(Mutex::new(LogThrottle::new(rates)));
        Self {
            refused: throttle(),
            failed: throttle(),
        }
    }

    /// Logs an error sent to `address`, unless there were too many.
    pub(crate) fn record(&self, error: &ApiError, address: IpAddr, env: &Env) {
        let is_failure = error.status.is_server_error();
        let throttle = if is_failure {
            &self.failed
        } else {
            &self.refused
        };
        let admission = throttle
            .lock()
            .admit(Peer::from_address(address), env.now());
        admission.report.inspect(summarize);
        if let Some(wait) = admission.poll_after {
            tokio::spawn(summarize_later(Arc::clone(throttle), env.clone(), wait));
        }
        if !admission.is_admitted {
            return;
        }
        let (status, code) = (error.status.as_u16(), error.code.name());
        let detail = error.detail.as_deref().unwrap_or_default();
        if is_failure {
            tracing::error!(status, code, detail, "request failed");
        } else {
            let end = detail.floor_char_boundary(MAX_DETAIL_BYTES);
            let detail = detail.get(..end).unwrap_or_default();
            tracing::info!(status, code, detail, "request refused");
        }
    }
}

/// Logs a summary of what was suppressed, should no later line do so.
async fn summarize_later(throttle: Arc<Mutex<LogThrottle>>, env: Env, wait: Duration) {
    // A little more, since the clocks may disagree.
    tokio::time::sleep(wait + Duration::from_millis(100)).await;
    let earlier = throttle.lock().poll_report(env.now());
    earlier.inspect(summarize);
}

fn summarize(suppressed: &SuppressedLines) {
    let (peer, most) = suppressed.heaviest;
    tracing::info!(
        parent: None,
        suppressed = suppressed.lines,
        %peer,
        "requests were refused or failed without a line each, {most} of them from {peer}"
    );
}
