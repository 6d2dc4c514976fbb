//! What a connection is doing, and until when it may go on doing it.

mod answers;
mod usage;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portcullis_domain::peer::Peer;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::head_memory::{HeadMemory, HeadSender};
use super::inbound::Pending;
use super::unread::Unread;
use super::{Budgets, Limits};

/// State of one connection, shared by its byte stream, its requests and its driver.
pub(super) struct Activity {
    limits: Arc<Limits>,
    state: Mutex<State>,
    evicted: CancellationToken,
    is_head_refused: AtomicBool,
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
    pending: Pending,
    head_memory: HeadMemory,
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
    /// Starts watching a fresh connection of a peer, which is charged for heads and answers.
    pub(super) fn new(
        limits: Arc<Limits>,
        pending: Pending,
        budgets: &Budgets,
        peer: Peer,
    ) -> Arc<Self> {
        let evicted = CancellationToken::new();
        let sender = HeadSender::new(evicted.clone());
        let heads = budgets.request_heads.charge(peer, sender);
        let unread = budgets.unread_answers.charge(peer, evicted.clone());
        let state = State {
            running: 0,
            has_served: false,
            has_unread_body: false,
            idle_since: Instant::now(),
            head_since: None,
            stalled_since: None,
            awaited: None,
            pending,
            head_memory: HeadMemory::new(heads),
            unread: Unread::new(unread),
        };
        Arc::new(Self {
            limits,
            state: Mutex::new(state),
            evicted,
            is_head_refused: AtomicBool::new(false),
            nearer: Notify::new(),
        })
    }

    /// Notes what is pending after bytes from the client.
    pub(super) fn received(&self, pending: Pending) {
        let mut state = self.lock();
        state.pending = pending;
        state.recount(&self.limits);
        if state.time_head() {
            self.tell_if_nearer(&state);
        }
    }

    /// Notes bytes handed over for the client.
    pub(super) fn sent(&self) {
        let mut state = self.lock();
        state.stalled_since = None;
        // HTTP/2 sends without being asked, to find out whether the client is still there.
        if !state.pending.is_http2() {
            state.idle_since = Instant::now();
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

    /// Notes the start of request number `number`.
    pub(super) fn begin(self: &Arc<Self>, number: u64) -> Running {
        let mut state = self.lock();
        state.running += 1;
        state.has_served = true;
        state.pending.begin(number);
        state.time_head();
        state.recount(&self.limits);
        let running = state.running;
        state.unread.set_requests(running);
        Running {
            activity: Arc::clone(self),
        }
    }

    /// Has a head refused that is not complete, if the connection still allows an answer.
    pub(super) fn refuse_head(&self) -> bool {
        let pending = self.lock().pending;
        let is_answered = pending.in_head() && !pending.is_http2();
        self.is_head_refused.store(is_answered, Ordering::Relaxed);
        is_answered
    }

    /// Reports whether a head that is not complete is to be refused.
    pub(super) fn is_head_refused(&self) -> bool {
        self.is_head_refused.load(Ordering::Relaxed)
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

    /// Begins or ends the time of a head, and reports whether there was a change. In HTTP/1 it has none
    /// before the request in front of it is answered.
    fn time_head(&mut self) -> bool {
        let is_read = self.running == 0 || self.pending.is_http2();
        let is_timed = is_read && self.pending.in_head();
        if is_timed == self.head_since.is_some() {
            return false;
        }
        self.head_since = is_timed.then(Instant::now);
        true
    }

    /// Counts anew what the connection holds of requests that have not begun.
    fn recount(&mut self, limits: &Limits) {
        let bytes = self.pending.bytes(self.running > 0, limits.head_bytes());
        self.head_memory.set(bytes);
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
            state.time_head();
            state.recount(&self.activity.limits);
            self.activity.tell_if_nearer(&state);
        }
    }
}

#[cfg(test)]
mod tests;
