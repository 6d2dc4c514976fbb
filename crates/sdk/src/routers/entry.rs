//! One router: its channel, or how it is connected to.

use super::Outcome;
use crate::channel::RouterChannel;
use crate::connector::{ConnectError, Connector};
use crate::randomness::Randomness;
use parking_lot::Mutex;
use portcullis_channel::group::{Backoff, Jitter};
use portcullis_edge_session::EdgeRouter;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// Pauses after failures in a row.
const BACKOFF: Backoff = Backoff {
    initial: Duration::from_millis(500),
    // Shorter than a dial takes.
    max: Duration::from_secs(5),
    jitter: Jitter::Half,
};

/// What runs in the background.
pub(super) type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A channel that is being opened.
pub(super) struct Pending(watch::Receiver<Option<Outcome>>);

/// A router.
#[derive(Debug, Default)]
pub(super) struct Entry(Mutex<State>);

#[derive(Debug)]
struct State {
    phase: Phase,
    /// In a row.
    failures: u32,
    /// Not to be tried before.
    not_before: Option<Instant>,
}

#[derive(Debug)]
enum Phase {
    Idle,
    Connecting(watch::Receiver<Option<Outcome>>),
    Open(RouterChannel),
}

impl Pending {
    pub(super) async fn outcome(mut self) -> Outcome {
        let told = self.0.wait_for(Option::is_some).await;
        let told = told.ok().and_then(|outcome| outcome.clone());
        told.unwrap_or_else(|| Err(Arc::new(ConnectError::Closed)))
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            phase: Phase::Idle,
            failures: 0,
            not_before: None,
        }
    }
}

impl State {
    /// The router was not reached, or has ended the channel at once.
    fn back_off(&mut self, randomness: &Randomness) {
        self.failures = self.failures.saturating_add(1);
        let pause = BACKOFF.delay(self.failures, randomness.number());
        self.not_before = Some(Instant::now() + pause);
        self.phase = Phase::Idle;
    }

    /// Whether no other channel has taken its place.
    fn has(&self, channel: &RouterChannel) -> bool {
        matches!(&self.phase, Phase::Open(open) if open.is_same(channel))
    }
}

impl Entry {
    /// The channel, which is opened if there is none. Then there is a task, which has to be run whether or not
    /// anybody still waits.
    pub(super) fn connect(
        self: &Arc<Self>,
        connector: &Arc<Connector>,
        router: &EdgeRouter,
        randomness: &Randomness,
    ) -> (Pending, Option<Task>) {
        let mut state = self.0.lock();
        match &state.phase {
            Phase::Open(channel) if channel.is_current() => {
                let outcome = watch::channel(Some(Ok(channel.clone()))).1;
                return (Pending(outcome), None);
            },
            Phase::Open(outdated) => outdated.end_when_idle(),
            Phase::Connecting(outcome) => return (Pending(outcome.clone()), None),
            Phase::Idle => {},
        }
        let (sender, outcome) = watch::channel(None);
        state.phase = Phase::Connecting(outcome.clone());
        let keeping = Arc::clone(self).keep(
            Arc::clone(connector),
            router.clone(),
            randomness.clone(),
            sender,
        );
        (Pending(outcome), Some(Box::pin(keeping)))
    }

    /// Connects when the router's pause is over, and waits until the channel has ended.
    async fn keep(
        self: Arc<Self>,
        connector: Arc<Connector>,
        router: EdgeRouter,
        randomness: Randomness,
        outcome: watch::Sender<Option<Outcome>>,
    ) {
        let not_before = self.0.lock().not_before;
        if let Some(at) = not_before {
            sleep_until(at).await;
        }
        let connected = connector.connect(&router).await;
        let channel = match connected {
            Ok(channel) => channel,
            Err(error) => {
                tracing::debug!(router = router.name, %error, "router not reached");
                self.0.lock().back_off(&randomness);
                outcome.send_replace(Some(Err(Arc::new(error))));
                return;
            },
        };
        tracing::debug!(router = router.name, "router connected");
        self.0.lock().phase = Phase::Open(channel.clone());
        outcome.send_replace(Some(Ok(channel.clone())));
        drop(outcome);
        channel.ended().await;
        tracing::debug!(router = router.name, "router disconnected");
        if channel.is_proven() {
            self.reset(&channel);
        } else {
            // It may be that the session does not count any more, which routers do not say.
            let session = connector.session.state().borrow().open().map(Arc::clone);
            if let Some(session) = session {
                connector.session.doubt(&session);
            }
            self.back_off_after(&channel, &randomness);
        }
    }

    /// The router has ended the channel before it was of any use.
    fn back_off_after(&self, channel: &RouterChannel, randomness: &Randomness) {
        let mut state = self.0.lock();
        if state.has(channel) {
            state.back_off(randomness);
        }
    }

    fn reset(&self, channel: &RouterChannel) {
        let mut state = self.0.lock();
        if state.has(channel) {
            *state = State::default();
        }
    }

    /// The latency of an open channel, and how long the router is not to be tried.
    pub(super) fn rank(&self) -> (Option<Duration>, Duration) {
        let state = self.0.lock();
        let latency = match &state.phase {
            Phase::Open(channel) if channel.is_suspected() => return (None, BACKOFF.max),
            Phase::Open(channel) if channel.is_current() => Some(channel.latency()),
            _ => None,
        };
        let pause = state.not_before.filter(|_| latency.is_none());
        let pause = pause.map(|at| at.saturating_duration_since(Instant::now()));
        (latency, pause.unwrap_or_default())
    }
}
