//! What the log says of requests that were refused or failed.
//!
//! Strangers can be refused as often as they like, and must not fill the disk by that: lines are limited
//! for each peer and in all, and what goes beyond is summed up once a second. Failures of the
//! controller have limits of their own, so that refusals do not hide them.

use crate::error::ApiError;
use portcullis_domain::Env;
use portcullis_domain::log_throttle::{LogThrottle, Suppressed};
use portcullis_domain::peer::Peer;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The lines about requests that were not answered with what was asked for.
#[derive(Debug, Default)]
pub(crate) struct RefusalLog {
    refused: Arc<Mutex<LogThrottle>>,
    failed: Arc<Mutex<LogThrottle>>,
}

impl RefusalLog {
    /// Writes a line about an answer to `address`, unless there were too many.
    pub(crate) fn note(&self, error: &ApiError, address: IpAddr, env: &Env) {
        let is_failure = error.status.is_server_error();
        let throttle = if is_failure {
            &self.failed
        } else {
            &self.refused
        };
        let admission = lock(throttle).admit(Peer::at(address), env.now());
        admission.earlier.inspect(summarise);
        if admission.is_first_suppressed {
            tokio::spawn(summarise_later(Arc::clone(throttle), env.clone()));
        }
        if !admission.is_granted {
            return;
        }
        let (status, code) = (error.status.as_u16(), error.code.name());
        let detail = error.detail.as_deref().unwrap_or_default();
        if is_failure {
            tracing::error!(status, code, detail, "request failed");
        } else {
            tracing::info!(status, code, detail, "request refused");
        }
    }
}

/// Sums up what was suppressed, should nobody cause another line that would tell.
async fn summarise_later(throttle: Arc<Mutex<LogThrottle>>, env: Env) {
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let earlier = lock(&throttle).settle(env.now());
    earlier.inspect(summarise);
}

fn summarise(suppressed: &Suppressed) {
    let (peer, most) = suppressed.heaviest;
    tracing::info!(
        parent: None,
        suppressed = suppressed.lines,
        %peer,
        "requests were refused or failed without a line each, {most} of them from {peer}"
    );
}

fn lock(throttle: &Mutex<LogThrottle>) -> MutexGuard<'_, LogThrottle> {
    throttle.lock().unwrap_or_else(PoisonError::into_inner)
}
