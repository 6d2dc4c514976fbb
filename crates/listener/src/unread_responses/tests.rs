use super::*;
use crate::{Budgets, Quota, Quotas};
use portcullis_domain::peer::Peer;
use std::sync::Arc;

/// An account within a budget of `total` bytes, and the token of its connection.
fn account(total: usize) -> (UnreadResponses, CancellationToken) {
    let quota = Quota {
        total,
        per_peer: total,
    };
    let budgets = Budgets::new(&Quotas {
        unread_responses: quota,
        ..Quotas::default()
    });
    let token = CancellationToken::new();
    let peer = Peer::from_address([192, 0, 2, 1].into());
    let charge = Arc::clone(&budgets.unread_responses).charge(peer, token.clone());
    (UnreadResponses::new(charge), token)
}

#[test]
fn only_what_is_taken_puts_the_deadline_off() {
    let limits = Limits::default();
    let (mut unread, _token) = account(usize::MAX);
    assert_eq!(unread.deadline(&limits), None);
    let first = unread.begin(100);
    let second = unread.begin(50);
    let earlier = Instant::now().checked_sub(limits.response_stall).unwrap();
    unread.last_read = earlier;
    let third = unread.begin(7);
    unread.discard(second, 50);
    unread.end(second);
    assert_eq!(
        unread.deadline(&limits),
        Some(earlier + limits.response_stall)
    );
    unread.take(first, 60);
    assert!(unread.deadline(&limits) > Some(earlier + limits.response_stall));
    assert_eq!(unread.unread_since(), Some(unread.responses[0].started));
    unread.take(first, 40);
    unread.end(first);
    assert_eq!(unread.responses.len(), 1, "the third");
    unread.end(third);
    unread.take(third, 7);
    assert_eq!(
        (unread.deadline(&limits), unread.unread_since()),
        (None, None)
    );
}

#[test]
fn answer_has_a_time_as_a_whole() {
    let limits = Limits::default();
    let (mut unread, _token) = account(usize::MAX);
    let number = unread.begin(100);
    let started = Instant::now().checked_sub(limits.response_total).unwrap();
    unread.responses[0].started = started;
    unread.take(number, 1);
    assert_eq!(
        unread.deadline(&limits),
        Some(started + limits.response_total)
    );
}

#[test]
fn connection_pays_for_what_is_beyond_the_usual() {
    let (mut unread, token) = account(CHARGE_STEP);
    let small = unread.begin(FREE_BYTES);
    assert_eq!(unread.charged, 0);
    let large = unread.begin(CHARGE_STEP);
    assert_eq!(unread.charged, CHARGE_STEP);
    assert!(!token.is_cancelled());
    unread.take(large, CHARGE_STEP);
    assert_eq!(unread.charged, 0);
    unread.add(small, CHARGE_STEP + 1);
    assert!(token.is_cancelled());
}

#[test]
fn answer_is_paid_for_until_its_last_piece_is_taken() {
    let (mut unread, _token) = account(usize::MAX);
    let number = unread.begin(FREE_BYTES + CHARGE_STEP);
    unread.take(number, FREE_BYTES + CHARGE_STEP - 1);
    assert_eq!((unread.bytes, unread.charged), (1, CHARGE_STEP));
    unread.take(number, 1);
    assert_eq!((unread.memory, unread.charged), (0, 0));
    // A streamed body is charged chunk by chunk.
    for _ in 0..3 {
        unread.add(number, FREE_BYTES + CHARGE_STEP);
        assert_eq!(unread.charged, CHARGE_STEP);
        unread.take(number, FREE_BYTES + CHARGE_STEP);
    }
    assert_eq!((unread.memory, unread.charged), (0, 0));
}

#[test]
fn connection_pays_for_many_requests_at_a_time() {
    let (mut unread, token) = account(CHARGE_STEP);
    for requests in [
        FREE_REQUESTS,
        FREE_REQUESTS + 1,
        0,
        FREE_REQUESTS + CHARGE_STEP / REQUEST_BYTES,
    ] {
        unread.set_requests(requests);
        assert_eq!(unread.charged > 0, requests > FREE_REQUESTS);
        assert!(!token.is_cancelled());
    }
    unread.set_requests(FREE_REQUESTS + CHARGE_STEP / REQUEST_BYTES + 1);
    assert!(token.is_cancelled());
}
