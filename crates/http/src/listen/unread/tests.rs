use super::*;
use crate::listen::{Budgets, Quota, Quotas};
use portcullis_domain::peer::Peer;
use std::sync::Arc;

/// An account within a budget of so many bytes, and the token of its connection.
fn account(total: usize) -> (Unread, CancellationToken) {
    let quota = Quota {
        total,
        per_peer: total,
    };
    let budgets = Budgets::new(&Quotas {
        unread_answers: quota,
        ..Quotas::default()
    });
    let token = CancellationToken::new();
    let peer = Peer::at([192, 0, 2, 1].into());
    let charge = Arc::clone(&budgets.unread_answers).charge(peer, token.clone());
    (Unread::new(charge), token)
}

#[test]
fn only_what_is_taken_puts_the_deadline_off() {
    let limits = Limits::default();
    let (mut unread, _token) = account(usize::MAX);
    assert_eq!(unread.deadline(&limits), None);
    let first = unread.begin(100);
    let second = unread.begin(50);
    let earlier = Instant::now().checked_sub(limits.answer_stall).unwrap();
    unread.last_taken = earlier;
    let third = unread.begin(7);
    unread.discard(second, 50);
    unread.end(second);
    assert_eq!(
        unread.deadline(&limits),
        Some(earlier + limits.answer_stall)
    );
    unread.take(first, 60);
    assert!(unread.deadline(&limits) > Some(earlier + limits.answer_stall));
    assert_eq!(unread.since(), Some(unread.answers[0].begun));
    unread.take(first, 40);
    unread.end(first);
    assert_eq!(unread.answers.len(), 1, "the third");
    unread.end(third);
    unread.take(third, 7);
    assert_eq!((unread.deadline(&limits), unread.since()), (None, None));
}

#[test]
fn answer_has_a_time_as_a_whole() {
    let limits = Limits::default();
    let (mut unread, _token) = account(usize::MAX);
    let number = unread.begin(100);
    let begun = Instant::now().checked_sub(limits.answer_total).unwrap();
    unread.answers[0].begun = begun;
    unread.take(number, 1);
    assert_eq!(unread.deadline(&limits), Some(begun + limits.answer_total));
}

#[test]
fn connection_pays_for_what_is_beyond_the_usual() {
    let (mut unread, token) = account(STEP);
    let small = unread.begin(FREE);
    assert_eq!(unread.charged, 0);
    let large = unread.begin(STEP);
    assert_eq!(unread.charged, STEP);
    assert!(!token.is_cancelled());
    unread.take(large, STEP);
    assert_eq!(unread.charged, 0);
    unread.add(small, STEP + 1);
    assert!(token.is_cancelled());
}

#[test]
fn answer_is_paid_for_until_its_last_piece_is_taken() {
    let (mut unread, _token) = account(usize::MAX);
    let number = unread.begin(FREE + STEP);
    unread.take(number, FREE + STEP - 1);
    assert_eq!((unread.bytes, unread.charged), (1, STEP));
    unread.take(number, 1);
    assert_eq!((unread.held, unread.charged), (0, 0));
    // What is written while it is sent is paid for by the part.
    for _ in 0..3 {
        unread.add(number, FREE + STEP);
        assert_eq!(unread.charged, STEP);
        unread.take(number, FREE + STEP);
    }
    assert_eq!((unread.held, unread.charged), (0, 0));
}

#[test]
fn connection_pays_for_many_requests_at_a_time() {
    let (mut unread, token) = account(STEP);
    for requests in [
        FREE_REQUESTS,
        FREE_REQUESTS + 1,
        0,
        FREE_REQUESTS + STEP / REQUEST,
    ] {
        unread.set_requests(requests);
        assert_eq!(unread.charged > 0, requests > FREE_REQUESTS);
        assert!(!token.is_cancelled());
    }
    unread.set_requests(FREE_REQUESTS + STEP / REQUEST + 1);
    assert!(token.is_cancelled());
}
