//! Unread responses of a connection, and its concurrent requests.

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Limits;
use crate::budget::Charge;

/// Bytes of each connection that are free of charge: most responses are shorter, and so need no
/// look at the shared budget.
const FREE_BYTES: usize = 16 * 1024;

/// Concurrent requests of a connection that are free of charge. Few clients have more.
const FREE_REQUESTS: usize = 4;

/// Bytes charged for each further request: about the memory of its head and its task.
const REQUEST_BYTES: usize = 8 * 1024;

/// Charges are multiples of this many bytes.
const CHARGE_STEP: usize = 64 * 1024;

/// Bytes of responses that the client has not read, and since when.
pub(crate) struct UnreadResponses {
    bytes: usize,
    /// Memory that these occupy: the chunks of a response share one buffer, which is freed with the
    /// last of them.
    memory: usize,
    /// Concurrent requests.
    requests: usize,
    /// When the client last read something, or had nothing to read.
    last_read: Instant,
    next: u64,
    /// Oldest first.
    responses: Vec<UnreadResponse>,
    charge: Charge<CancellationToken>,
    charged: usize,
}

struct UnreadResponse {
    number: u64,
    started: Instant,
    bytes: usize,
    memory: usize,
    has_more: bool,
}

impl UnreadResponses {
    /// Creates the account of a new connection, with its charge to the shared budget.
    pub(crate) fn new(charge: Charge<CancellationToken>) -> Self {
        Self {
            bytes: 0,
            memory: 0,
            requests: 0,
            last_read: Instant::now(),
            next: 0,
            responses: Vec::new(),
            charge,
            charged: 0,
        }
    }

    /// Sets the number of concurrent requests.
    pub(crate) fn set_requests(&mut self, requests: usize) {
        self.requests = requests;
        self.update_charge();
    }

    /// Records a response, of which `bytes` are available; returns its number.
    pub(crate) fn begin(&mut self, bytes: usize) -> u64 {
        let number = self.next;
        self.next += 1;
        self.responses.push(UnreadResponse {
            number,
            started: Instant::now(),
            bytes: 0,
            memory: 0,
            has_more: true,
        });
        self.add(number, bytes);
        number
    }

    /// Records that `bytes` more of a response are available.
    pub(crate) fn add(&mut self, number: u64, bytes: usize) {
        let Some(at) = self.find(number) else {
            return;
        };
        if let Some(response) = self.responses.get_mut(at) {
            response.bytes += bytes;
            let more = response.bytes.saturating_sub(response.memory);
            response.memory += more;
            self.memory += more;
        }
        if self.bytes == 0 {
            self.last_read = Instant::now();
        }
        self.bytes += bytes;
        self.update_charge();
    }

    /// Records that the client read `bytes` of a response.
    pub(crate) fn take(&mut self, number: u64, bytes: usize) {
        self.last_read = Instant::now();
        self.discard(number, bytes);
    }

    /// Records that `bytes` of a response will never be read.
    pub(crate) fn discard(&mut self, number: u64, bytes: usize) {
        let Some(at) = self.find(number) else {
            return;
        };
        if let Some(response) = self.responses.get_mut(at) {
            response.bytes -= bytes;
            if response.bytes == 0 {
                self.memory -= std::mem::take(&mut response.memory);
            }
        }
        self.bytes -= bytes;
        self.remove_if_done(at);
        self.update_charge();
    }

    /// Records that there will be no more of a response.
    pub(crate) fn end(&mut self, number: u64) {
        let Some(at) = self.find(number) else {
            return;
        };
        if let Some(response) = self.responses.get_mut(at) {
            response.has_more = false;
        }
        self.remove_if_done(at);
    }

    /// Returns since when the client has left something unread.
    pub(crate) fn unread_since(&self) -> Option<Instant> {
        let oldest = self.responses.iter().find(|response| response.bytes > 0);
        oldest.map(|answer| answer.started)
    }

    /// Returns the deadline for reading the next chunk, or the rest of the oldest response.
    pub(crate) fn deadline(&self, limits: &Limits) -> Option<Instant> {
        let next_chunk = (self.bytes > 0).then(|| self.last_read + limits.response_stall);
        let oldest = self.responses.first();
        let complete = oldest.map(|answer| answer.started + limits.response_total);
        next_chunk.into_iter().chain(complete).min()
    }

    /// Returns the number of unread bytes.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn find(&self, number: u64) -> Option<usize> {
        let found = self
            .responses
            .binary_search_by_key(&number, |response| response.number);
        found.ok()
    }

    fn remove_if_done(&mut self, at: usize) {
        let is_done = |response: &UnreadResponse| response.bytes == 0 && !response.has_more;
        if self.responses.get(at).is_some_and(is_done) {
            self.responses.remove(at);
        }
    }

    /// Updates the charge, in steps. If it exceeds the budget, a connection is closed, which may be
    /// this one.
    fn update_charge(&mut self) {
        let requests = self.requests.saturating_sub(FREE_REQUESTS) * REQUEST_BYTES;
        let memory = self.memory.saturating_sub(FREE_BYTES) + requests;
        let charged = memory.next_multiple_of(CHARGE_STEP);
        if charged != self.charged {
            self.charged = charged;
            self.charge.set(charged);
        }
    }
}

#[cfg(test)]
mod tests;
