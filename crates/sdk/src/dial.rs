//! Reaching a service.

mod attempts;

use crate::context::Shared;
use crate::error::DialError;
use crate::stream::ServiceStream;
use attempts::Attempts;
use bytes::Bytes;
use portcullis_edge_session::SessionState;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long a dial takes at most, unless it says something else.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Instants cannot be arbitrarily late.
const LONGEST_TIMEOUT: Duration = Duration::from_hours(365 * 24);

/// What to dial, and how.
#[derive(Clone, PartialEq, Eq)]
pub struct DialOptions {
    /// Name of the service.
    pub service: String,
    /// Which of the hosting programs: those that listen with this
    /// [`identity`](crate::ListenOptions::identity). `None` means those without one.
    pub identity: Option<String>,
    /// For the hosting program, which reads it as [`Incoming::app_data`](crate::Incoming::app_data).
    pub app_data: Option<Bytes>,
    /// Of an earlier stream, to reach the same hosting program if it is still there.
    pub stickiness_token: Option<Bytes>,
    /// How long it may take, with all attempts; 10 s by default.
    pub timeout: Duration,
}

impl DialOptions {
    /// The usual options.
    pub fn new(service: impl Into<String>) -> Self {
        Self {
            service: service.into(),
            identity: None,
            app_data: None,
            stickiness_token: None,
            timeout: TIMEOUT,
        }
    }
}

impl fmt::Debug for DialOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DialOptions")
            .field("service", &self.service)
            .field("identity", &self.identity)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

pub(crate) async fn dial(
    context: &Arc<Shared>,
    options: DialOptions,
) -> Result<ServiceStream, DialError> {
    let deadline = Instant::now() + options.timeout.min(LONGEST_TIMEOUT);
    let mut last = None;
    let mut attempts = Attempts::new(context, &options, deadline);
    let dialing = timeout_at(deadline, attempts.run(&mut last));
    let dialing = context.closed.run_until_cancelled(Box::pin(dialing));
    let outcome = match dialing.await {
        Some(Ok(outcome)) => return outcome,
        Some(Err(_elapsed)) => DialError::TimedOut {
            service: options.service.clone(),
            last: last.or_else(|| failed_login(context)).map(Box::new),
        },
        None => DialError::Closed,
    };
    attempts.router_was_silent();
    Err(outcome)
}

/// Why there is no session, if no controller was reached.
fn failed_login(context: &Shared) -> Option<DialError> {
    match &*context.session.state().borrow() {
        SessionState::Failed(error) => Some(DialError::Session(error.clone())),
        _ => None,
    }
}
