//! What the client of a connection has not taken yet of the answers to it, and what is being
//! answered.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Limits;
use super::budget::Charge;

/// Bytes of each connection that are not charged: most answers are shorter, and cost their
/// connection no look at what all others have.
const FREE: usize = 16 * 1024;

/// Requests that a connection may have under way at no charge. Few clients have more.
const FREE_REQUESTS: usize = 4;

/// What each further one is charged with, in bytes: about what its head and its task take up.
const REQUEST: usize = 8 * 1024;

/// Beyond them, bytes are charged in multiples of this.
const STEP: usize = 64 * 1024;

/// Bytes of answers that wait for the client, and since when.
pub(super) struct Unread {
    bytes: usize,
    /// Requests under way.
    requests: usize,
    /// When the client last took something, or had nothing to take.
    last_taken: Instant,
    next: u64,
    /// By age.
    answers: Vec<Answer>,
    charge: Charge<CancellationToken>,
    charged: usize,
}

struct Answer {
    number: u64,
    begun: Instant,
    bytes: usize,
    has_more: bool,
}

impl Unread {
    /// Makes the account of a new connection, with its charge for what all connections share.
    pub(super) fn new(charge: Charge<CancellationToken>) -> Self {
        Self {
            bytes: 0,
            requests: 0,
            last_taken: Instant::now(),
            next: 0,
            answers: Vec::new(),
            charge,
            charged: 0,
        }
    }

    /// Notes how many requests are under way.
    pub(super) fn set_requests(&mut self, requests: usize) {
        self.requests = requests;
        self.recharge();
    }

    /// Notes an answer, of which `bytes` are there; returns its number.
    pub(super) fn begin(&mut self, bytes: usize) -> u64 {
        let number = self.next;
        self.next += 1;
        self.answers.push(Answer {
            number,
            begun: Instant::now(),
            bytes: 0,
            has_more: true,
        });
        self.add(number, bytes);
        number
    }

    /// Notes that there are so many bytes more of an answer.
    pub(super) fn add(&mut self, number: u64, bytes: usize) {
        let Some(at) = self.find(number) else {
            return;
        };
        if let Some(answer) = self.answers.get_mut(at) {
            answer.bytes += bytes;
        }
        if self.bytes == 0 {
            self.last_taken = Instant::now();
        }
        self.bytes += bytes;
        self.recharge();
    }

    /// Notes that the client took so many bytes of an answer.
    pub(super) fn take(&mut self, number: u64, bytes: usize) {
        self.last_taken = Instant::now();
        self.discard(number, bytes);
    }

    /// Notes that so many bytes of an answer will never be taken.
    pub(super) fn discard(&mut self, number: u64, bytes: usize) {
        let Some(at) = self.find(number) else {
            return;
        };
        if let Some(answer) = self.answers.get_mut(at) {
            answer.bytes -= bytes;
        }
        self.bytes -= bytes;
        self.forget_if_done(at);
        self.recharge();
    }

    /// Notes that there will be no more of an answer.
    pub(super) fn end(&mut self, number: u64) {
        let Some(at) = self.find(number) else {
            return;
        };
        if let Some(answer) = self.answers.get_mut(at) {
            answer.has_more = false;
        }
        self.forget_if_done(at);
    }

    /// Returns since when the client has left something untaken.
    pub(super) fn since(&self) -> Option<Instant> {
        let oldest = self.answers.iter().find(|answer| answer.bytes > 0);
        oldest.map(|answer| answer.begun)
    }

    /// Returns until when the client has to take the next piece, or the rest of its oldest answer.
    pub(super) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let piece = (self.bytes > 0).then(|| self.last_taken + limits.answer_stall);
        let oldest = self.answers.first();
        let whole = oldest.map(|answer| answer.begun + limits.answer_total);
        piece.into_iter().chain(whole).min()
    }

    /// Bytes that the client has not taken.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    fn find(&self, number: u64) -> Option<usize> {
        let found = self
            .answers
            .binary_search_by_key(&number, |answer| answer.number);
        found.ok()
    }

    fn forget_if_done(&mut self, at: usize) {
        let is_done = |answer: &Answer| answer.bytes == 0 && !answer.has_more;
        if self.answers.get(at).is_some_and(is_done) {
            self.answers.remove(at);
        }
    }

    /// Charges what is there, in steps. If there is no room for it, a connection is closed, which
    /// may be this one.
    fn recharge(&mut self) {
        let requests = self.requests.saturating_sub(FREE_REQUESTS) * REQUEST;
        let held = self.bytes.saturating_sub(FREE) + requests;
        let charged = held.next_multiple_of(STEP);
        if charged != self.charged {
            self.charged = charged;
            self.charge.set(charged);
        }
    }
}

#[cfg(test)]
mod tests {
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
}
