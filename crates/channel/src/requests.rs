//! Requests that wait for their replies.

use crate::frame::Sequence;
use crate::time::Moment;
use std::collections::{BTreeMap, BTreeSet};

/// A request of ours, unique within its channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId {
    /// Tells requests apart whose messages had the same sequence number.
    number: u64,
    sequence: Sequence,
}

/// Who waits for a reply.
#[derive(Debug)]
struct Waiter {
    request: RequestId,
    deadline: Moment,
    /// Whether it has left the queue. A reply that comes before is a guess, not a reply.
    is_written: bool,
}

/// The requests of a channel, by their sequence numbers, which also gives the numbers out.
#[derive(Debug)]
pub(crate) struct Requests {
    waiters: BTreeMap<Sequence, Waiter>,
    deadlines: BTreeSet<(Moment, Sequence)>,
    last: Sequence,
    next_number: u64,
}

impl Requests {
    pub(crate) const fn new() -> Self {
        Self {
            waiters: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            last: Sequence(0),
            next_number: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiters.len()
    }

    /// The number of the next message: 1 after the highest, and none that a request waits under.
    pub(crate) fn next_sequence(&mut self) -> Sequence {
        loop {
            self.last = Sequence(self.last.0.checked_add(1).unwrap_or(1));
            // Fewer requests wait than there are numbers, so this ends.
            if !self.waiters.contains_key(&self.last) {
                return self.last;
            }
        }
    }

    /// Waits for the reply to the message of that number.
    pub(crate) fn insert(&mut self, sequence: Sequence, deadline: Moment) -> RequestId {
        let request = RequestId {
            number: self.next_number,
            sequence,
        };
        self.next_number += 1;
        let waiter = Waiter {
            request,
            deadline,
            is_written: false,
        };
        self.waiters.insert(sequence, waiter);
        self.deadlines.insert((deadline, sequence));
        request
    }

    /// A request has left the queue.
    pub(crate) fn written(&mut self, sequence: Sequence) {
        if let Some(waiter) = self.waiters.get_mut(&sequence) {
            waiter.is_written = true;
        }
    }

    /// A reply has come: the request that it answers, if one waits.
    pub(crate) fn answered(&mut self, sequence: Sequence) -> Option<RequestId> {
        self.waiters
            .get(&sequence)
            .filter(|waiter| waiter.is_written)?;
        self.remove(sequence)
    }

    /// Stops waiting for a reply; returns the number of the message if it is still queued.
    pub(crate) fn cancel(&mut self, request: RequestId) -> Option<Sequence> {
        let waiter = self.waiters.get(&request.sequence)?;
        if waiter.request != request {
            return None;
        }
        let is_queued = !waiter.is_written;
        self.remove(request.sequence);
        is_queued.then_some(request.sequence)
    }

    /// When the first request has waited long enough.
    pub(crate) fn timeout(&self) -> Option<Moment> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// A request that has waited long enough, to be cancelled.
    pub(crate) fn expired(&mut self, now: Moment) -> Option<RequestId> {
        let (deadline, sequence) = *self.deadlines.first()?;
        if deadline > now {
            return None;
        }
        Some(self.waiters.get(&sequence)?.request)
    }

    /// Stops waiting for all replies.
    pub(crate) fn drain(&mut self) -> Vec<RequestId> {
        self.deadlines.clear();
        let waiters = std::mem::take(&mut self.waiters);
        waiters.into_values().map(|waiter| waiter.request).collect()
    }

    fn remove(&mut self, sequence: Sequence) -> Option<RequestId> {
        let waiter = self.waiters.remove(&sequence)?;
        self.deadlines.remove(&(waiter.deadline, sequence));
        Some(waiter.request)
    }
}

#[cfg(test)]
mod tests {
    use super::Requests;
    use crate::frame::Sequence;
    use crate::time::Moment;

    #[test]
    fn numbers_begin_again_at_one_and_pass_over_those_that_are_waited_under() {
        let mut requests = Requests::new();
        let first = requests.next_sequence();
        assert_eq!(first, Sequence(1));
        let waiting = requests.insert(first, Moment::ZERO);
        requests.last = Sequence(i32::MAX - 1);
        assert_eq!(requests.next_sequence(), Sequence(i32::MAX));
        assert_eq!(requests.next_sequence(), Sequence(2));

        requests.written(first);
        assert_eq!(requests.answered(first), Some(waiting));
        let later = requests.insert(first, Moment::ZERO);
        assert_eq!(
            requests.cancel(waiting),
            None,
            "an old request is not a new one"
        );
        assert_eq!(requests.cancel(later), Some(first));
    }
}
