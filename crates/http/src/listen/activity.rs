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
    // Told when a deadline may have moved nearer; one that moved away is seen when the old one fires.
    nearer: Notify,
}

struct State {
    running: usize,
    has_served: bool,
    has_unread_body: bool,
    idle_since: Instant,
    head_since: Option<Instant>,
    stalled_since: Option<Instant>,
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
            self.nearer.notify_one();
        }
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
            self.nearer.notify_one();
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
            let deadline = self.deadline();
            let fires = async {
                match deadline {
                    Some((at, why)) => {
                        sleep_until(at).await;
                        why
                    },
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.nearer.notified() => {},
                why = fires => {
                    if self.deadline().is_some_and(|(at, _)| at <= Instant::now()) {
                        return why;
                    }
                },
            }
        }
    }

    /// Returns the next deadline and what it is for. While a request runs, only the client's taking
    /// of answers has one, and in HTTP/2 the head of the next.
    fn deadline(&self) -> Option<(Instant, Overdue)> {
        let state = self.lock();
        let stalled = state
            .stalled_since
            .map(|at| (at + self.limits.write_stall, Overdue::Stalled));
        let quiet = match state.head_since {
            Some(at) => Some((at + self.limits.header_read, Overdue::Head)),
            None if state.running > 0 => None,
            // Until it has asked for something, a connection is no more than a handshake.
            None if !state.has_served => {
                Some((state.idle_since + self.limits.header_read, Overdue::Head))
            },
            None => Some((state.idle_since + self.limits.idle, Overdue::Idle)),
        };
        stalled.into_iter().chain(quiet).min_by_key(|(at, _)| *at)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
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
            self.activity.nearer.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listen::head_room::HeadRoom;

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
