//! What a connection is doing, and until when it may go on doing it.

mod answers;
mod usage;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::budget::Charge;
use super::head_room::Share;
use super::inbound::Inbound;
use super::unread::Unread;
use super::{Limits, framing};

/// State of one connection, shared by its byte stream, its requests and its driver.
pub(super) struct Activity {
    limits: Arc<Limits>,
    state: Mutex<State>,
    evicted: CancellationToken,
    // Told when the deadline has moved nearer; one that moved away is seen when the old one fires.
    nearer: Notify,
}

struct State {
    running: usize,
    has_served: bool,
    has_unread_body: bool,
    idle_since: Instant,
    head_since: Option<Instant>,
    stalled_since: Option<Instant>,
    /// What the driver waits for.
    awaited: Option<Instant>,
    inbound: Inbound,
    held: Share,
    unread: Unread,
}

/// Why a connection has outstayed its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overdue {
    /// The request head is not complete.
    Head,
    /// There was no request.
    Idle,
    /// The client does not take what it is sent.
    Stalled,
    /// The client does not take its answers, or too slowly. In HTTP/2 it can do so without a stall of
    /// the connection, by never making room for the answer to a request.
    Unread,
}

impl Overdue {
    /// Reports whether the client would not take a farewell either.
    pub(super) fn is_of_the_reader(self) -> bool {
        matches!(self, Self::Stalled | Self::Unread)
    }
}

/// A request being answered; ended when dropped.
pub(super) struct Running {
    activity: Arc<Activity>,
}

impl Activity {
    /// Starts watching a fresh connection. `held` is its share of the room for request heads, whose
    /// token is that of the connection; `unread` its charge for answers.
    pub(super) fn new(
        limits: Arc<Limits>,
        inbound: Inbound,
        held: Share,
        unread: Charge<CancellationToken>,
    ) -> Arc<Self> {
        let evicted = held.evicted();
        let state = State {
            running: 0,
            has_served: false,
            has_unread_body: false,
            idle_since: Instant::now(),
            head_since: None,
            stalled_since: None,
            awaited: None,
            inbound,
            held,
            unread: Unread::new(unread),
        };
        Arc::new(Self {
            limits,
            state: Mutex::new(state),
            evicted,
            nearer: Notify::new(),
        })
    }

    /// Notes bytes from the client.
    pub(super) fn received(&self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut state = self.lock();
        let is_running = state.running > 0;
        state.inbound.feed(bytes, is_running);
        state.recount(&self.limits);
        if !state.inbound.in_head(is_running) {
            if state.inbound.is_http2() {
                state.head_since = None;
            }
        } else if state.head_since.is_none() {
            state.head_since = Some(Instant::now());
        }
        self.tell_if_nearer(&state);
    }

    /// Notes bytes handed over for the client.
    pub(super) fn sent(&self) {
        let mut state = self.lock();
        state.stalled_since = None;
        // HTTP/2 sends without being asked, to find out whether the client is still there.
        if !state.inbound.is_http2() {
            state.idle_since = Instant::now();
            state.inbound.forget();
        }
    }

    /// Notes that the client takes nothing at present.
    pub(super) fn stalled(&self) {
        let mut state = self.lock();
        if state.stalled_since.is_none() {
            state.stalled_since = Some(Instant::now());
            self.tell_if_nearer(&state);
        }
    }

    /// Notes that everything handed over has left.
    pub(super) fn flushed(&self) {
        self.lock().stalled_since = None;
    }

    /// Notes the start of a request, and returns what its head looked like on the byte stream, which
    /// only HTTP/1 has in the clear.
    pub(super) fn begin(self: &Arc<Self>) -> (Running, Option<framing::Scanner>) {
        let mut state = self.lock();
        state.running += 1;
        state.has_served = true;
        let head = state.inbound.begin();
        if head.is_some() {
            state.head_since = None;
        }
        state.recount(&self.limits);
        let running = state.running;
        state.unread.set_requests(running);
        (
            Running {
                activity: Arc::clone(self),
            },
            head,
        )
    }

    /// Notes that a request was answered without its body having been taken in.
    pub(super) fn leave_body_unread(&self) {
        self.lock().has_unread_body = true;
    }

    /// Reports whether the client may still be sending what nobody will read.
    pub(super) fn may_be_sending(&self) -> bool {
        let state = self.lock();
        state.has_unread_body || state.head_since.is_some()
    }

    /// Reports whether a request is being answered.
    pub(super) fn is_running(&self) -> bool {
        self.lock().running > 0
    }

    /// Waits until the connection has to make room for others.
    pub(super) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    /// Waits until the connection has outstayed its time.
    pub(super) async fn overdue(&self) -> Overdue {
        loop {
            let awaited = self.await_deadline();
            let fires = async {
                match awaited {
                    Some((at, _)) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.nearer.notified() => {},
                () = fires => {
                    if let Some((at, why)) = self.deadline()
                        && at <= Instant::now()
                    {
                        return why;
                    }
                },
            }
        }
    }

    fn deadline(&self) -> Option<(Instant, Overdue)> {
        self.lock().deadline(&self.limits)
    }

    /// Returns the deadline and notes that it is waited for.
    fn await_deadline(&self) -> Option<(Instant, Overdue)> {
        let mut state = self.lock();
        let deadline = state.deadline(&self.limits);
        state.awaited = deadline.map(|(at, _)| at);
        deadline
    }

    /// Tells the driver if it waits for a later deadline than there is now.
    fn tell_if_nearer(&self, state: &State) {
        let awaits_later = |(at, _)| state.awaited.is_none_or(|awaited| at < awaited);
        if state.deadline(&self.limits).is_some_and(awaits_later) {
            self.nearer.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns the next deadline and what it is for. While a request runs, only the client's taking
    /// of answers has one, and in HTTP/2 the head of the next.
    fn deadline(&self, limits: &Limits) -> Option<(Instant, Overdue)> {
        let stalled = self
            .stalled_since
            .map(|at| (at + limits.write_stall, Overdue::Stalled));
        let unread = self.unread.deadline(limits).map(|at| (at, Overdue::Unread));
        let quiet = match self.head_since {
            Some(at) => Some((at + limits.header_read, Overdue::Head)),
            None if self.running > 0 => None,
            // Until it has asked for something, a connection is no more than a handshake.
            None if !self.has_served => Some((self.idle_since + limits.header_read, Overdue::Head)),
            None => Some((self.idle_since + limits.idle, Overdue::Idle)),
        };
        let deadlines = stalled.into_iter().chain(unread).chain(quiet);
        deadlines.min_by_key(|(at, _)| *at)
    }

    /// Counts anew what the connection holds of requests that are not complete.
    fn recount(&mut self, limits: &Limits) {
        let bytes = self.inbound.held(self.running > 0, limits.head_bytes());
        self.held.hold(bytes);
    }
}

impl Running {
    /// The connection that the request came on.
    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = self.activity.lock();
        state.running -= 1;
        let running = state.running;
        state.unread.set_requests(running);
        if state.running == 0 {
            state.idle_since = Instant::now();
            state.recount(&self.activity.limits);
            self.activity.tell_if_nearer(&state);
        }
    }
}

#[cfg(test)]
mod tests;
