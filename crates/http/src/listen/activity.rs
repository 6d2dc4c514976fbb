//! What a connection is doing, and until when it may go on doing it.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::Limits;

/// State of one connection, shared by its byte stream, its requests and its driver.
#[derive(Debug)]
pub(super) struct Activity {
    limits: Arc<Limits>,
    // Only HTTP/1 has heads in the clear on the byte stream.
    reads_heads: bool,
    state: Mutex<State>,
    // Told when a deadline may have moved nearer; one that moved away is seen when the old one fires.
    nearer: Notify,
}

#[derive(Debug)]
struct State {
    running: usize,
    has_served: bool,
    has_unread_body: bool,
    idle_since: Instant,
    head_since: Option<Instant>,
    stalled_since: Option<Instant>,
    head: Vec<u8>,
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
#[derive(Debug)]
pub(super) struct Running {
    activity: Arc<Activity>,
}

impl Activity {
    /// Starts watching a fresh connection.
    pub(super) fn new(limits: Arc<Limits>, reads_heads: bool) -> Arc<Self> {
        let state = State {
            running: 0,
            has_served: false,
            has_unread_body: false,
            idle_since: Instant::now(),
            head_since: None,
            stalled_since: None,
            head: Vec::new(),
        };
        Arc::new(Self {
            limits,
            reads_heads,
            state: Mutex::new(state),
            nearer: Notify::new(),
        })
    }

    /// Notes bytes from the client.
    pub(super) fn received(&self, bytes: &[u8]) {
        if !self.reads_heads || bytes.is_empty() {
            return;
        }
        let mut state = self.lock();
        if state.running > 0 {
            return;
        }
        if state.head.len() < self.limits.head_bytes() {
            state.head.extend_from_slice(bytes);
        }
        if state.head_since.is_none() {
            state.head_since = Some(Instant::now());
            self.nearer.notify_one();
        }
    }

    /// Notes bytes handed over for the client.
    pub(super) fn sent(&self) {
        let mut state = self.lock();
        state.stalled_since = None;
        // HTTP/2 sends without being asked, to find out whether the client is still there.
        if self.reads_heads {
            state.idle_since = Instant::now();
            state.head.clear();
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

    /// Notes the start of a request, and returns the bytes received since the last answer.
    pub(super) fn begin(self: &Arc<Self>) -> (Running, Vec<u8>) {
        let mut state = self.lock();
        state.running += 1;
        state.has_served = true;
        state.head_since = None;
        let head = mem::take(&mut state.head);
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

    /// Returns the next deadline and what it is for; none while a request runs.
    fn deadline(&self) -> Option<(Instant, Overdue)> {
        let state = self.lock();
        let stalled = state
            .stalled_since
            .map(|at| (at + self.limits.write_stall, Overdue::Stalled));
        let quiet = match state.head_since {
            _ if state.running > 0 => None,
            Some(at) => Some((at + self.limits.header_read, Overdue::Head)),
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

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = self.activity.lock();
        state.running -= 1;
        if state.running == 0 {
            state.idle_since = Instant::now();
            state.head_since = None;
            self.activity.nearer.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn activity(reads_heads: bool) -> Arc<Activity> {
        Activity::new(Arc::new(Limits::default()), reads_heads)
    }

    #[test]
    fn deadline_follows_what_the_connection_does() {
        let activity = activity(true);
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
        assert_eq!(head, b"GET / HTTP/1.1\r\n\r\n");
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
    fn only_answers_of_http1_put_the_end_of_an_unused_connection_off() {
        for (reads_heads, is_put_off) in [(true, true), (false, false)] {
            let activity = activity(reads_heads);
            drop(activity.begin());
            let before = activity.deadline();
            activity.sent();
            assert_eq!(activity.deadline() != before, is_put_off, "{reads_heads}");
        }
    }

    #[test]
    fn bytes_of_http2_are_not_kept() {
        let activity = activity(false);
        activity.received(b"PRI * HTTP/2.0");
        assert!(activity.begin().1.is_empty());
    }

    #[test]
    fn recorded_head_stays_bounded() {
        let activity = activity(true);
        for _ in 0..1000 {
            activity.received(&[b'a'; 1024]);
        }
        assert!(activity.begin().1.len() <= activity.limits.head_bytes() + 1024);
    }
}
