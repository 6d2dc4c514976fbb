//! The task that opens a session, keeps it, and opens another one when it is lost.

mod keeping;
mod posture;
mod reading;

use crate::controller::Controller;
use crate::login::{Login, LoginFailure, Remedy};
use crate::machine::Machine;
use crate::open_session::OpenSession;
use crate::posture_schedule::PostureSchedule;
use crate::shared::Shared;
use crate::state::SessionState;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{self, Instant};
use tokio_util::sync::CancellationToken;

/// Time for the log-out.
const LOGOUT_TIMEOUT: Duration = Duration::from_secs(2);

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
    machine: Arc<Machine>,
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>, controllers: Vec<Controller>) -> Self {
        Self {
            shared,
            controllers,
            first: 0,
            failures: 0,
            schedule: PostureSchedule::default(),
            machine: Arc::default(),
        }
    }

    /// Works until it is told to stop, and logs out then.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let working = Box::pin(self.work());
        stop.run_until_cancelled(working).await;
        if let Some(open) = self.shared.open.send_replace(None) {
            let farewell = Box::pin(open.log_out());
            match time::timeout(LOGOUT_TIMEOUT, farewell).await {
                Ok(Ok(())) => {},
                Ok(Err(error)) => tracing::debug!(%error, "the session could not be ended"),
                Err(_elapsed) => tracing::debug!("the session could not be ended in time"),
            }
        }
        self.shared.state.send_replace(SessionState::Closed);
    }

    async fn work(&mut self) {
        loop {
            self.shared.state.send_replace(SessionState::LoggingIn);
            match Box::pin(self.log_in()).await {
                Ok(open) => {
                    let begin = Instant::now();
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
                Err(refused) if refused.remedy != Remedy::Time => return Err(refused),
                Err(other) => {
                    let controller = controller.url.as_str();
                    tracing::debug!(controller, error = %other.error, "a login has failed");
                    failure = Some(other);
                },
            }
        }
        Err(failure.unwrap_or_else(LoginFailure::no_controller))
    }

    /// Waits until it is time for another login, or somebody wishes one.
    async fn wait_after(&self, LoginFailure { error, remedy }: LoginFailure) {
        let shared = &self.shared;
        let longest = shared.options.backoff.max;
        tracing::info!(%error, "there is no session");
        let (state, pause) = match remedy {
            Remedy::Time => (SessionState::Failed(error), Some(self.pause())),
            // The administrator will not say when it is done.
            Remedy::Administrator => (SessionState::Refused(error), Some(longest)),
            Remedy::Person => (SessionState::Refused(error), None),
        };
        shared.state.send_replace(state);
        let wished = shared.wishes.log_in.notified();
        match pause {
            // It is the same whether it was wished or it is time.
            Some(pause) => drop(time::timeout(pause, wished).await),
            None => wished.await,
        }
    }

    fn pause(&self) -> Duration {
        let backoff = self.shared.options.backoff;
        backoff.delay(self.failures, self.shared.random())
    }
}
