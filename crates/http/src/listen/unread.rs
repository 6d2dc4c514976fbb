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
    /// Bytes that these keep in memory: the pieces of an answer are parts of one whole, which goes with
    /// the last of them.
    held: usize,
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
    held: usize,
    has_more: bool,
}

impl Unread {
    /// Makes the account of a new connection, with its charge for what all connections share.
    pub(super) fn new(charge: Charge<CancellationToken>) -> Self {
        Self {
            bytes: 0,
            held: 0,
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
            held: 0,
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
            let more = answer.bytes.saturating_sub(answer.held);
            answer.held += more;
            self.held += more;
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
            if answer.bytes == 0 {
                self.held -= std::mem::take(&mut answer.held);
            }
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
        let held = self.held.saturating_sub(FREE) + requests;
        let charged = held.next_multiple_of(STEP);
        if charged != self.charged {
            self.charged = charged;
            self.charge.set(charged);
        }
    }
}

#[cfg(test)]
mod tests;
