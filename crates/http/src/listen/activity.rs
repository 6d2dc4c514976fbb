//! What a connection is doing, and until when it may go on doing it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::head_room::Share;
use super::inbound::Inbound;
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
}

/// A request being answered; ended when dropped.
pub(super) struct Running {
    activity: Arc<Activity>,
}

impl Activity {
    /// Starts watching a fresh connection; `held` is its share of the room for request heads.
    pub(super) fn new(limits: Arc<Limits>, inbound: Inbound, held: Share) -> Arc<Self> {
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

    /// Waits until the connection has to make room for the request heads of others.
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
        let quiet = match self.head_since {
            Some(at) => Some((at + limits.header_read, Overdue::Head)),
            None if self.running > 0 => None,
            // Until it has asked for something, a connection is no more than a handshake.
            None if !self.has_served => Some((self.idle_since + limits.header_read, Overdue::Head)),
            None => Some((self.idle_since + limits.idle, Overdue::Idle)),
        };
        stalled.into_iter().chain(quiet).min_by_key(|(at, _)| *at)
    }

    /// Counts anew what the connection holds of requests that are not complete.
    fn recount(&mut self, limits: &Limits) {
        let bytes = self.inbound.held(self.running > 0, limits.head_bytes());
        self.held.hold(bytes);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = self.activity.lock();
        state.running -= 1;
        if state.running == 0 {
            state.idle_since = Instant::now();
            state.recount(&self.activity.limits);
            self.activity.tell_if_nearer(&state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listen::head_room::HeadRoom;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn activity(inbound: Inbound) -> Arc<Activity> {
        let limits = Arc::new(Limits::default());
        let held = HeadRoom::new(limits.head_room).share();
        Activity::new(limits, inbound, held)
    }

    #[test]
    fn deadline_follows_what_the_connection_does() {
        let activity = activity(Inbound::http1());
        let why = || activity.deadline().map(|(_, why)| why);
        assert_eq!(why(), Some(Overdue::Head), "fresh");

        activity.received(b"GET");
        let started = activity.deadline();
        activity.received(b" / HTTP/1.1\r\n\r\n");
        assert_eq!(
            activity.deadline(),
            started,
            "a trickle does not move the deadline"
        );

        let (running, head) = activity.begin();
        assert_eq!(head.unwrap().beyond(), Some(0));
        assert_eq!(why(), None, "running");
        activity.received(b"body");
        assert_eq!(why(), None, "running");
        activity.stalled();
        assert_eq!(why(), Some(Overdue::Stalled));
        activity.sent();
        assert_eq!(why(), None, "taken");

        drop(running);
        assert_eq!(why(), Some(Overdue::Idle), "kept alive");
        activity.received(b"G");
        assert_eq!(why(), Some(Overdue::Head), "next request");
    }

    #[test]
    fn driver_is_told_of_nearer_deadlines_alone() {
        let activity = activity(Inbound::http1());
        let is_told = || {
            let mut cx = Context::from_waker(Waker::noop());
            pin!(activity.nearer.notified()).poll(&mut cx).is_ready()
        };
        activity.await_deadline().unwrap();
        for _ in 0..3 {
            activity.received(b"GET / HTTP/1.1\r\n\r\n");
            drop(activity.begin());
            activity.sent();
            assert!(!is_told(), "the next request has more time than the first");
        }
        let (running, _head) = activity.begin();
        assert!(activity.await_deadline().is_none());
        activity.stalled();
        assert!(is_told());
        activity.sent();
        drop(running);
        assert!(is_told(), "nothing was waited for");
        activity.await_deadline().unwrap();
        activity.received(b"G");
        assert!(is_told(), "a head has less time than a connection");
    }

    #[test]
    fn driver_is_told_when_a_head_ends_that_nothing_follows() {
        let activity = activity(Inbound::http2());
        drop(activity.begin());
        activity.lock().idle_since -= activity.limits.idle;
        activity.received(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        activity.received(&[0, 0, 1, 1, 0, 0, 0, 0, 1, 0xff]);
        let (_, why) = activity.await_deadline().unwrap();
        assert_eq!(why, Overdue::Head);
        let mut told = pin!(activity.nearer.notified());
        let mut cx = Context::from_waker(Waker::noop());
        while told.as_mut().poll(&mut cx).is_ready() {
            told.set(activity.nearer.notified());
        }
        activity.received(&[0, 0, 1, 9, 4, 0, 0, 0, 1, 0xff]);
        assert!(told.poll(&mut cx).is_ready());
    }

    #[test]
    fn unfinished_head_has_a_deadline_beside_running_requests() {
        let activity = activity(Inbound::http2());
        activity.received(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        let (_running, head) = activity.begin();
        assert!(head.is_none());
        assert_eq!(activity.deadline(), None);
        activity.received(&[0, 0, 1, 1, 0, 0, 0, 0, 1, 0xff]);
        let (_, why) = activity.deadline().unwrap();
        assert_eq!(why, Overdue::Head);
        activity.received(&[0, 0, 1, 9, 4, 0, 0, 0, 1, 0xff]);
        assert_eq!(activity.deadline(), None);
    }

    #[test]
    fn only_answers_of_http1_put_the_end_of_an_unused_connection_off() {
        for (inbound, is_put_off) in [(Inbound::http1(), true), (Inbound::http2(), false)] {
            let activity = activity(inbound);
            drop(activity.begin());
            let before = activity.deadline();
            activity.sent();
            assert_eq!(activity.deadline() != before, is_put_off);
        }
    }
}
