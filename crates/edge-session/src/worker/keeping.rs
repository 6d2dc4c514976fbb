//! Keeping a session until it is lost.

use super::reading::Reading;
use super::{LONGEST_PAUSE, Worker, pause_after};
use crate::error::{retry_after, with_causes};
use crate::failure::Failure;
use crate::open_session::{OpenProtocol, OpenSession};
use crate::shared::{Attempts, Shared, begin, end};
use crate::state::SessionState;
use portcullis_client::Api;
use portcullis_domain::Env;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Shortest time between two readings of the services that are requested.
const READ_INTERVAL: Duration = Duration::from_secs(1);

/// Longest time between two uses of a legacy session.
const LONGEST_IDLE: Duration = Duration::from_mins(5);

/// Time between two looks at the certificate of the identity.
const EXPIRY_INTERVAL: Duration = Duration::from_hours(24);

/// Failures in a row after which another controller is tried, if there is one.
const FAILURES_UNTIL_ANOTHER: u32 = 2;

/// What is due when.
struct Timetable {
    poll: Instant,
    posture: Instant,
    /// Use of a legacy session, or renewal of tokens.
    keep: Instant,
    /// Whether the last such has failed, so that there is a pause before the next.
    has_keep_failed: bool,
    expiry: Instant,
    /// A reading that was requested.
    read: Option<Instant>,
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Poll,
    Read,
    ReadRequested,
    Keep,
    Check,
    Posture,
    PostureRequested,
    TokenRenewed,
    Expiry,
}

impl Worker {
    /// Returns when the session is lost, or another controller is to be tried.
    pub(super) async fn keep(&mut self, open: Arc<OpenSession>) {
        let shared = Arc::clone(&self.shared);
        let mut announced = open.announced().subscribe();
        let session = Arc::clone(&announced.borrow_and_update());
        tracing::info!(controller = session.controller.as_str(), kind = ?session.kind, "a session is open");
        self.schedule.forget_what_was_told();
        shared.open.send_replace(Some(Arc::clone(&open)));
        shared.state.send_replace(SessionState::Open(session));

        let (mut reading, mut failures) = (Reading::default(), 0);
        let now = Instant::now();
        let mut due = Timetable {
            poll: now,
            posture: now + posture_interval(&shared),
            keep: keep_at(&open).await,
            has_keep_failed: false,
            expiry: now + EXPIRY_INTERVAL,
            read: None,
        };
        loop {
            let event = tokio::select! {
                Ok(()) = announced.changed() => Event::TokenRenewed,
                () = shared.requests.check.notified() => Event::Check,
                () = shared.requests.read_services.notified() => Event::ReadRequested,
                () = shared.requests.tell_posture.notified() => Event::PostureRequested,
                () = sleep_until(due.keep) => Event::Keep,
                () = sleep_until(due.read.unwrap_or(due.poll)), if due.read.is_some() => Event::Read,
                () = sleep_until(due.poll) => Event::Poll,
                () = sleep_until(due.posture) => Event::Posture,
                () = sleep_until(due.expiry) => Event::Expiry,
            };
            let handled = Box::pin(self.handle(event, &open, &mut reading, &mut due)).await;
            match handled {
                Ok(()) => failures = 0,
                Err(Failure::Lost) => return,
                Err(Failure::Refused(error)) => {
                    let error = with_causes(&*error);
                    tracing::warn!(error, "the controller refuses a request of the session");
                },
                Err(Failure::Passing(error)) => {
                    let reason = with_causes(&*error);
                    tracing::debug!(error = reason, "a request of the session has failed");
                    failures += 1;
                    if failures >= FAILURES_UNTIL_ANOTHER && self.controllers.len() > 1 {
                        self.first = (self.first + 1) % self.controllers.len();
                        return;
                    }
                    let pause = pause_after(&shared, failures, retry_after(&error));
                    due.again(event, Instant::now() + pause);
                },
            }
            // The time of sleep does not count for timers. Whether the session is over, renewal says.
            if !due.has_keep_failed && is_expired(&open, &shared.options.env) {
                due.keep = Instant::now();
            }
        }
    }

    async fn handle(
        &mut self,
        event: Event,
        open: &OpenSession,
        reading: &mut Reading,
        due: &mut Timetable,
    ) -> Result<(), Failure> {
        let shared = Arc::clone(&self.shared);
        match event {
            Event::TokenRenewed => {
                let session = Arc::clone(&open.announced().borrow());
                shared.state.send_replace(SessionState::Open(session));
                due.has_keep_failed = false;
                due.keep = keep_at(open).await;
                Ok(())
            },
            Event::ReadRequested => {
                let earliest = reading.last.map(|last| last + READ_INTERVAL);
                due.read = Some(earliest.unwrap_or_else(Instant::now));
                Ok(())
            },
            Event::Read => {
                due.read = None;
                begin(&shared.reads);
                ended(&shared.reads, self.read(open, reading).await)
            },
            Event::Poll => {
                due.poll = Instant::now() + poll_interval(&shared);
                self.poll(open, reading).await
            },
            Event::Check => {
                begin(&shared.checks);
                let session = open.client.current_session(Api::Client).await;
                ended(&shared.checks, session.map(drop).map_err(Failure::from))
            },
            Event::Keep => {
                keep_alive(open).await?;
                due.has_keep_failed = false;
                due.keep = keep_at(open).await;
                Ok(())
            },
            Event::Expiry => {
                due.expiry = Instant::now() + EXPIRY_INTERVAL;
                self.warn_of_expiry();
                Ok(())
            },
            Event::Posture | Event::PostureRequested => {
                due.posture = Instant::now() + posture_interval(&shared);
                if matches!(event, Event::PostureRequested) {
                    self.schedule.forget_what_was_told();
                }
                begin(&shared.posture_told);
                ended(&shared.posture_told, self.tell_posture(open).await)
            },
        }
    }
}

impl Timetable {
    /// Repeats what has failed.
    fn again(&mut self, event: Event, at: Instant) {
        match event {
            Event::Keep => {
                self.keep = at;
                self.has_keep_failed = true;
            },
            Event::Posture | Event::PostureRequested => self.posture = at,
            Event::Poll | Event::Read | Event::Check => self.poll = at,
            Event::ReadRequested | Event::TokenRenewed | Event::Expiry => {},
        }
    }
}

/// Uses a legacy session, so that it is not idle, or renews the tokens of another one.
async fn keep_alive(open: &OpenSession) -> Result<(), Failure> {
    match &open.protocol {
        OpenProtocol::Legacy { .. } => {
            open.client.current_session(Api::Client).await?;
        },
        OpenProtocol::Oidc(tokens) => tokens.renew_in_time().await?,
    }
    Ok(())
}

/// When the session is to be kept alive next.
async fn keep_at(open: &OpenSession) -> Instant {
    match &open.protocol {
        OpenProtocol::Legacy { idle_timeout, .. } => {
            Instant::now() + (*idle_timeout / 2).min(LONGEST_IDLE)
        },
        OpenProtocol::Oidc(tokens) => tokens.renewed_at().await,
    }
}

/// Whether the token has expired without another one.
fn is_expired(open: &OpenSession, env: &Env) -> bool {
    let end = open.announced().borrow().expires_at;
    end.is_some_and(|end| end <= env.now())
}

fn posture_interval(shared: &Shared) -> Duration {
    shared.options.posture_interval.min(LONGEST_PAUSE)
}

/// The second half is random, so that many programs do not ask at once.
fn poll_interval(shared: &Shared) -> Duration {
    let half = shared.options.poll_interval.min(LONGEST_PAUSE) / 2;
    half + half.mul_f64(f64::from(shared.random()) / f64::from(u32::MAX))
}

/// Counts the attempt that has ended this way.
fn ended(attempts: &watch::Sender<Attempts>, outcome: Result<(), Failure>) -> Result<(), Failure> {
    end(attempts, outcome.clone().err().map(Into::into));
    outcome
}
