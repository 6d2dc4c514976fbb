use super::*;
use crate::budget::Evictable as _;
use std::pin::pin;
use std::task::{Context, Waker};

impl Activity {
    /// Tracks a connection that is alone.
    pub(crate) fn for_test(pending: PendingInput) -> Arc<Self> {
        let limits = Arc::new(Limits::default());
        let peer = Peer::from_address([192, 0, 2, 1].into());
        Self::new(limits, pending, &Budgets::default(), peer)
    }

    /// Begins the first request.
    pub(crate) fn begin_for_test(self: &Arc<Self>) -> RunningRequest {
        self.begin_request(1)
    }

    /// Returns the number of unread bytes.
    pub(crate) fn unread_bytes(&self) -> usize {
        self.lock().unread.bytes()
    }
}

/// A head of which `bytes` have arrived.
fn partial(bytes: usize) -> PendingInput {
    PendingInput::Http1 {
        in_head: bytes > 0,
        partial: bytes,
        pipelined: 0,
        last: 0,
    }
}

/// An incomplete header block.
const BLOCK: PendingInput = PendingInput::Http2 {
    in_block: true,
    partial: 0,
};

#[test]
fn deadline_follows_what_the_connection_does() {
    let activity = Activity::for_test(PendingInput::HTTP1);
    let why = || activity.deadline().map(|(_, why)| why);
    assert_eq!(why(), Some(Overdue::Head), "fresh");

    activity.record_received(partial(3));
    let started = activity.deadline();
    activity.record_received(partial(9));
    assert_eq!(
        activity.deadline(),
        started,
        "a trickle does not move the deadline"
    );

    let running = activity.begin_request(1);
    activity.record_received(partial(0));
    assert_eq!(why(), None, "running");
    activity.record_received(partial(4));
    assert_eq!(why(), None, "running");
    activity.record_stalled();
    assert_eq!(why(), Some(Overdue::Stalled));
    activity.record_sent();
    assert_eq!(why(), None, "taken");

    drop(running);
    assert_eq!(why(), Some(Overdue::Head), "next request");
    activity.record_received(partial(0));
    drop(activity.begin_request(2));
    assert_eq!(why(), Some(Overdue::Idle), "kept alive");
}

#[test]
fn driver_is_told_of_nearer_deadlines_alone() {
    let activity = Activity::for_test(PendingInput::HTTP1);
    let is_told = || {
        let mut cx = Context::from_waker(Waker::noop());
        pin!(activity.deadline_nearer.notified())
            .poll(&mut cx)
            .is_ready()
    };
    activity.await_deadline().unwrap();
    for _ in 0..3 {
        activity.record_received(partial(0));
        drop(activity.begin_request(1));
        activity.record_sent();
        assert!(!is_told(), "the next request has more time than the first");
    }
    let running = activity.begin_request(1);
    assert!(activity.await_deadline().is_none());
    activity.record_stalled();
    assert!(is_told());
    activity.record_sent();
    drop(running);
    assert!(is_told(), "nothing was waited for");
    activity.await_deadline().unwrap();
    activity.record_received(partial(1));
    assert!(is_told(), "a head has less time than a connection");
}

#[test]
fn driver_is_told_when_a_head_ends_that_nothing_follows() {
    let activity = Activity::for_test(PendingInput::HTTP2);
    drop(activity.begin_request(1));
    activity.lock().idle_since -= activity.limits.idle;
    activity.record_received(BLOCK);
    let (_, why) = activity.await_deadline().unwrap();
    assert_eq!(why, Overdue::Head);
    let mut notified = pin!(activity.deadline_nearer.notified());
    let mut cx = Context::from_waker(Waker::noop());
    while notified.as_mut().poll(&mut cx).is_ready() {
        notified.set(activity.deadline_nearer.notified());
    }
    activity.record_received(PendingInput::HTTP2);
    assert!(notified.poll(&mut cx).is_ready());
}

#[test]
fn unfinished_head_has_a_deadline_beside_running_requests() {
    let activity = Activity::for_test(PendingInput::HTTP2);
    let _running = activity.begin_request(1);
    assert_eq!(activity.deadline(), None);
    activity.record_received(BLOCK);
    let (_, why) = activity.deadline().unwrap();
    assert_eq!(why, Overdue::Head);
    activity.record_received(PendingInput::HTTP2);
    assert_eq!(activity.deadline(), None);
}

#[test]
fn only_answers_of_http1_put_the_end_of_an_unused_connection_off() {
    for (pending, is_put_off) in [(PendingInput::HTTP1, true), (PendingInput::HTTP2, false)] {
        let activity = Activity::for_test(pending);
        drop(activity.begin_request(1));
        let before = activity.deadline();
        activity.record_sent();
        assert_eq!(activity.deadline() != before, is_put_off);
    }
}

#[test]
fn client_that_takes_no_answer_is_overdue() {
    let activity = Activity::for_test(PendingInput::HTTP2);
    let running = activity.begin_request(1);
    assert_eq!(activity.deadline(), None, "running");
    let response = activity.begin_response(100);
    assert_eq!(
        activity.deadline().map(|(_, why)| why),
        Some(Overdue::Unread)
    );
    activity.take_from_response(response, 100);
    activity.end_response(response, 0);
    assert_eq!(activity.deadline(), None, "taken");
    drop(running);
    assert_eq!(activity.deadline().map(|(_, why)| why), Some(Overdue::Idle));
}

#[test]
fn connections_of_less_use_are_closed_first() {
    let busy = Activity::for_test(PendingInput::HTTP1);
    let unread = Activity::for_test(PendingInput::HTTP1);
    let idle = Activity::for_test(PendingInput::HTTP1);
    let idle_for_longer = Activity::for_test(PendingInput::HTTP1);
    idle_for_longer.lock().idle_since -= std::time::Duration::from_secs(1);
    let _running = [&busy, &unread].map(Activity::begin_for_test);
    unread.begin_response(1);
    let mut order = [&busy, &unread, &idle, &idle_for_longer];
    order.sort_by_key(|activity| activity.rank(1));
    let expected = [&idle_for_longer, &idle, &unread, &busy];
    assert!(
        order
            .iter()
            .zip(expected)
            .all(|(one, other)| Arc::ptr_eq(one, other))
    );
}
