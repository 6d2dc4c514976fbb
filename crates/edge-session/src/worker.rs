//! The task that opens a session, keeps it, and opens another one when it is lost.

mod expiry;
mod keeping;
mod posture;
mod reading;

use crate::controller::Controller;
use crate::error::with_causes;
use crate::login::{Login, LoginFailure, RetryPolicy};
use crate::machine::MachineReader;
use crate::open_session::OpenSession;
use crate::posture_schedule::PostureSchedule;
use crate::shared::Shared;
use crate::state::SessionState;
use std::future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{self, Instant};
use tokio_util::sync::CancellationToken;

/// Time for the log-out.
const LOGOUT_TIMEOUT: Duration = Duration::from_secs(2);

/// Longest pause, for options that mean never and controllers that ask for too much.
const LONGEST_PAUSE: Duration = Duration::from_hours(24 * 365);

/// Longest pause that controllers may ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_mins(5);

/// A session that is lost sooner than this counts as a login that has failed.
const SHORTEST_SESSION: Duration = Duration::from_secs(10);

pub(crate) struct Worker {
    shared: Arc<Shared>,
    controllers: Vec<Controller>,
    /// The one that is tried first.
    first: usize,
    /// Logins since the last session that lasted.
    failures: u32,
    schedule: PostureSchedule,
    machine: MachineReader,
}

/// Says that the session is closed when its task ends, whatever ends it.
struct ClosedAtEnd(Arc<Shared>);

impl Drop for ClosedAtEnd {
    fn drop(&mut self) {
        self.0.state.send_replace(SessionState::Closed);
    }
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>, controllers: Vec<Controller>) -> Self {
        Self {
            shared,
            controllers,
            first: 0,
            failures: 0,
            schedule: PostureSchedule::default(),
            machine: MachineReader::default(),
        }
    }

    /// Works until it is told to stop, and logs out then.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let _closed = ClosedAtEnd(Arc::clone(&self.shared));
        let working = Box::pin(self.work());
        stop.run_until_cancelled(working).await;
        // Nobody shall be given the session while it ends.
        self.shared.state.send_replace(SessionState::LoggingIn);
        if let Some(open) = self.shared.open.send_replace(None) {
            let logging_out = Box::pin(open.log_out());
            match time::timeout(LOGOUT_TIMEOUT, logging_out).await {
                Ok(Ok(())) => {},
                Ok(Err(error)) => tracing::debug!(%error, "the session could not be ended"),
                Err(_elapsed) => tracing::debug!("the session could not be ended in time"),
            }
        }
    }

    async fn work(&mut self) {
        loop {
            self.shared.state.send_replace(SessionState::LoggingIn);
            match Box::pin(self.log_in()).await {
                Ok(open) => {
                    let begin = Instant::now();
                    self.warn_of_expiry();
                    Box::pin(self.keep(Arc::new(open))).await;
                    self.shared.state.send_replace(SessionState::LoggingIn);
                    self.shared.open.send_replace(None);
                    if begin.elapsed() >= SHORTEST_SESSION {
                        self.failures = 0;
                    } else {
                        self.failures += 1;
                        time::sleep(self.pause()).await;
                    }
                },
                Err(failure) => {
                    self.failures += 1;
                    self.wait_after(failure).await;
                },
            }
        }
    }

    /// Tries the controllers in turn.
    async fn log_in(&mut self) -> Result<OpenSession, LoginFailure> {
        let (count, first) = (self.controllers.len(), self.first);
        let in_turn = (first..count).chain(0..first);
        let mut failure = None;
        for index in in_turn {
            let Some(controller) = self.controllers.get(index) else {
                continue;
            };
            let login = Login {
                controller,
                options: &self.shared.options,
                config_types: self.shared.config_types(),
                state: &self.shared.state,
            };
            match Box::pin(login.run()).await {
                Ok(open) => {
                    self.first = index;
                    return Ok(open);
                },
                // Another controller has the same identities and policies.
                Err(refused) if refused.retry != RetryPolicy::Soon => return Err(refused),
                Err(other) => {
                    let controller = controller.url.as_str();
                    let error = with_causes(&other.error);
                    tracing::debug!(controller, error, "a login has failed");
                    failure = Some(other);
                },
            }
        }
        Err(failure.unwrap_or_else(LoginFailure::no_controller))
    }

    /// Waits until it is time for another login, or somebody asks for one.
    async fn wait_after(&self, LoginFailure { error, retry }: LoginFailure) {
        let shared = &self.shared;
        let longest = shared.options.backoff.max;
        tracing::info!(error = with_causes(&error), "there is no session");
        let (state, pause) = match retry {
            RetryPolicy::Soon => {
                let pause = self.pause_at_least(error.retry_after());
                (SessionState::Failed(error), Some(pause))
            },
            // The administrator will not say when it is done.
            RetryPolicy::Slowly => (SessionState::Refused(error), Some(longest)),
            RetryPolicy::WhenAsked => (SessionState::Refused(error), None),
        };
        // What was requested while there was a session, or during this login, was answered by it.
        tokio::select! {
            biased;
            () = shared.requests.log_in.notified() => {},
            () = future::ready(()) => {},
        }
        shared.state.send_replace(state);
        let requested = shared.requests.log_in.notified();
        match pause {
            // It is the same whether it was requested or it is time.
            Some(pause) => drop(time::timeout(pause, requested).await),
            None => requested.await,
        }
    }

    fn pause(&self) -> Duration {
        self.pause_at_least(None)
    }

    /// The pause after these failures, or a longer one that the controller asks for.
    fn pause_at_least(&self, asked: Option<Duration>) -> Duration {
        pause_after(&self.shared, self.failures, asked)
    }
}

/// The pause after some failures in a row, or a longer one that the controller asks for.
fn pause_after(shared: &Shared, failures: u32, asked: Option<Duration>) -> Duration {
    let own = shared.options.backoff.delay(failures, shared.random());
    let asked = asked.unwrap_or_default().min(LONGEST_RETRY_AFTER);
    own.min(LONGEST_PAUSE).max(asked)
}
