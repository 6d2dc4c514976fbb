//! Connection activity: requests, transfers and deadlines.

mod responses;
mod usefulness;

use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portcullis_domain::peer::Peer;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::head_memory::{HeadMemory, HeadSender};
use crate::protocol_tracker::PendingInput;
use crate::unread_responses::UnreadResponses;
use crate::{Budgets, Limits};

/// State of one connection, shared by its byte stream, its requests and its driver.
pub(crate) struct Activity {
    limits: Arc<Limits>,
    state: Mutex<ActivityState>,
    evicted: CancellationToken,
    is_head_refused: AtomicBool,
    // Notified when the deadline moves nearer; one that moves away is seen when the old one fires.
    deadline_nearer: Notify,
}

struct ActivityState {
    running: usize,
    has_served: bool,
    has_unread_body: bool,
    idle_since: Instant,
    head_since: Option<Instant>,
    stalled_since: Option<Instant>,
    /// The deadline that the driver waits for.
    awaited: Option<Instant>,
    pending: PendingInput,
    head_memory: HeadMemory,
    unread: UnreadResponses,
}

/// The reason why a connection is overdue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// The request head is incomplete.
    Head,
    /// No request arrived.
    Idle,
    /// The client does not read from the connection.
    Stalled,
    /// The client does not read its responses, or reads too slowly. In HTTP/2 it can do so without
    /// stalling the connection, by not opening the window of a stream.
    Unread,
}

impl Overdue {
    /// Reports whether the client would not read a final response either.
    pub(crate) fn is_read_stall(self) -> bool {
        matches!(self, Self::Stalled | Self::Unread)
    }
}

/// A running request; ended when dropped.
pub(crate) struct RunningRequest {
    activity: Arc<Activity>,
}

impl Activity {
    /// Tracks a new connection of a peer, which is charged for heads and responses.
    pub(crate) fn new(
        limits: Arc<Limits>,
        pending: PendingInput,
        budgets: &Budgets,
        peer: Peer,
    ) -> Arc<Self> {
        let evicted = CancellationToken::new();
        let sender = HeadSender::new(evicted.clone());
        let heads = budgets.request_heads.charge(peer, sender);
        let unread = budgets.unread_responses.charge(peer, evicted.clone());
        let state = ActivityState {
            running: 0,
            has_served: false,
            has_unread_body: false,
            idle_since: Instant::now(),
            head_since: None,
            stalled_since: None,
            awaited: None,
            pending,
            head_memory: HeadMemory::new(heads),
            unread: UnreadResponses::new(unread),
        };
        Arc::new(Self {
            limits,
            state: Mutex::new(state),
            evicted,
            is_head_refused: AtomicBool::new(false),
            deadline_nearer: Notify::new(),
        })
    }

    /// Records what is pending after bytes arrived from the client.
    pub(crate) fn record_received(&self, pending: PendingInput) {
        let mut state = self.lock();
        state.pending = pending;
        state.update_head_memory(&self.limits);
        if state.update_head_timer() {
            self.notify_if_nearer(&state);
        }
    }

    /// Records that bytes were handed over for the client.
    pub(crate) fn record_sent(&self) {
        let mut state = self.lock();
        state.stalled_since = None;
        // HTTP/2 also sends pings of its own accord.
        if !state.pending.is_http2() {
            state.idle_since = Instant::now();
        }
    }

    /// Records that the client is not reading.
    pub(crate) fn record_stalled(&self) {
        let mut state = self.lock();
        if state.stalled_since.is_none() {
            state.stalled_since = Some(Instant::now());
            self.notify_if_nearer(&state);
        }
    }

    /// Records that all bytes handed over have left.
    pub(crate) fn record_flushed(&self) {
        self.lock().stalled_since = None;
    }

    /// Records the start of request number `number`.
    pub(crate) fn begin_request(self: &Arc<Self>, number: u64) -> RunningRequest {
        let mut state = self.lock();
        state.running += 1;
        state.has_served = true;
        state.pending.begin(number);
        state.update_head_timer();
        state.update_head_memory(&self.limits);
        let running = state.running;
        state.unread.set_requests(running);
        RunningRequest {
            activity: Arc::clone(self),
        }
    }

    /// Requests that an incomplete head be refused; false if the connection cannot get a response.
    pub(crate) fn refuse_head(&self) -> bool {
        let pending = self.lock().pending;
        let is_refused = pending.in_head() && !pending.is_http2();
        self.is_head_refused.store(is_refused, Ordering::Relaxed);
        is_refused
    }

    /// Reports whether an incomplete head is to be refused.
    pub(crate) fn is_head_refused(&self) -> bool {
        self.is_head_refused.load(Ordering::Relaxed)
    }

    /// Records that a response was sent without the request body having been read.
    pub(crate) fn record_unread_body(&self) {
        self.lock().has_unread_body = true;
    }

    /// Reports whether the client may still be sending data that nobody will read.
    pub(crate) fn may_be_sending(&self) -> bool {
        let state = self.lock();
        state.has_unread_body || state.head_since.is_some()
    }

    /// Reports whether a request is running.
    pub(crate) fn is_running(&self) -> bool {
        self.lock().running > 0
    }

    /// Waits until the connection is evicted in favor of others.
    pub(crate) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    /// Waits until the connection is overdue.
    pub(crate) async fn overdue(&self) -> Overdue {
        loop {
            let awaited = self.await_deadline();
            let fires = async {
                match awaited {
                    Some((at, _)) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.deadline_nearer.notified() => {},
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

    /// Returns the deadline and records that it is waited for.
    fn await_deadline(&self) -> Option<(Instant, Overdue)> {
        let mut state = self.lock();
        let deadline = state.deadline(&self.limits);
        state.awaited = deadline.map(|(at, _)| at);
        deadline
    }

    /// Notifies the driver if it waits for a later deadline than the present one.
    fn notify_if_nearer(&self, state: &ActivityState) {
        let awaits_later = |(at, _)| state.awaited.is_none_or(|awaited| at < awaited);
        if state.deadline(&self.limits).is_some_and(awaits_later) {
            self.deadline_nearer.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, ActivityState> {
        self.state.lock()
    }
}

impl ActivityState {
    /// Returns the next deadline and its reason. While a request runs, only the reading of
    /// responses has one, and in HTTP/2 the head of the next request.
    fn deadline(&self, limits: &Limits) -> Option<(Instant, Overdue)> {
        let stalled = self
            .stalled_since
            .map(|at| (at + limits.write_stall, Overdue::Stalled));
        let unread = self.unread.deadline(limits).map(|at| (at, Overdue::Unread));
        let quiet = match self.head_since {
            Some(at) => Some((at + limits.header_read, Overdue::Head)),
            None if self.running > 0 => None,
            // Until its first request, a connection is worth no more than a handshake.
            None if !self.has_served => Some((self.idle_since + limits.header_read, Overdue::Head)),
            None => Some((self.idle_since + limits.idle, Overdue::Idle)),
        };
        let deadlines = stalled.into_iter().chain(unread).chain(quiet);
        deadlines.min_by_key(|(at, _)| *at)
    }

    /// Starts or stops the timer of a head, and reports whether that changed anything. In HTTP/1 it
    /// does not run before the preceding request is answered.
    fn update_head_timer(&mut self) -> bool {
        let is_read = self.running == 0 || self.pending.is_http2();
        let is_timed = is_read && self.pending.in_head();
        if is_timed == self.head_since.is_some() {
            return false;
        }
        self.head_since = is_timed.then(Instant::now);
        true
    }

    /// Updates the memory charged for requests that have not begun.
    fn update_head_memory(&mut self, limits: &Limits) {
        let bytes = self.pending.bytes(self.running > 0, limits.head_bytes());
        self.head_memory.set(bytes);
    }
}

impl RunningRequest {
    /// The activity of the request's connection.
    pub(crate) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        let mut state = self.activity.lock();
        state.running -= 1;
        let running = state.running;
        state.unread.set_requests(running);
        if state.running == 0 {
            state.idle_since = Instant::now();
            state.update_head_timer();
            state.update_head_memory(&self.activity.limits);
            self.activity.notify_if_nearer(&state);
        }
    }
}

#[cfg(test)]
mod tests;
