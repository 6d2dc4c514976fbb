//! Pending requests of a channel.

use crate::frame::Sequence;
use crate::time::Moment;
use std::collections::{BTreeMap, BTreeSet};

/// Id of a sent request, unique within its channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId {
    /// Distinguishes requests whose messages had the same sequence number.
    number: u64,
    sequence: Sequence,
}

/// A request that waits for its reply.
#[derive(Debug)]
struct PendingRequest {
    request: RequestId,
    deadline: Moment,
    /// Whether it has left the queue. An earlier reply is a guess, not a reply.
    is_written: bool,
}

/// The pending requests of a channel by sequence number; also assigns the sequence numbers.
#[derive(Debug)]
pub(crate) struct PendingRequests {
    pending: BTreeMap<Sequence, PendingRequest>,
    deadlines: BTreeSet<(Moment, Sequence)>,
    last_sequence: Sequence,
    next_number: u64,
}

impl PendingRequests {
    pub(crate) const fn new() -> Self {
        Self {
            pending: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            last_sequence: Sequence(0),
            next_number: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.pending.len()
    }

    /// The number of the next message: 1 after the highest, skipping those of pending requests.
    pub(crate) fn next_sequence(&mut self) -> Sequence {
        loop {
            self.last_sequence = Sequence(self.last_sequence.0.checked_add(1).unwrap_or(1));
            // There are fewer pending requests than numbers, so this ends.
            if !self.pending.contains_key(&self.last_sequence) {
                return self.last_sequence;
            }
        }
    }

    /// Adds a request with the sequence number of its message.
    pub(crate) fn insert(&mut self, sequence: Sequence, deadline: Moment) -> RequestId {
        let request = RequestId {
            number: self.next_number,
            sequence,
        };
        self.next_number += 1;
        let waiter = PendingRequest {
            request,
            deadline,
            is_written: false,
        };
        self.pending.insert(sequence, waiter);
        self.deadlines.insert((deadline, sequence));
        request
    }

    /// Marks a request that has left the queue.
    pub(crate) fn mark_written(&mut self, sequence: Sequence) {
        if let Some(waiter) = self.pending.get_mut(&sequence) {
            waiter.is_written = true;
        }
    }

    /// Removes the request that a reply answers, if it is pending.
    pub(crate) fn take_answered(&mut self, sequence: Sequence) -> Option<RequestId> {
        self.pending
            .get(&sequence)
            .filter(|waiter| waiter.is_written)?;
        self.remove(sequence)
    }

    /// Cancels a request; returns the sequence number if the message is still queued.
    pub(crate) fn cancel(&mut self, request: RequestId) -> Option<Sequence> {
        let waiter = self.pending.get(&request.sequence)?;
        if waiter.request != request {
            return None;
        }
        let is_queued = !waiter.is_written;
        self.remove(request.sequence);
        is_queued.then_some(request.sequence)
    }

    /// The earliest deadline of a request.
    pub(crate) fn next_deadline(&self) -> Option<Moment> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// A request whose deadline has passed, to be cancelled.
    pub(crate) fn find_expired(&mut self, now: Moment) -> Option<RequestId> {
        let (deadline, sequence) = *self.deadlines.first()?;
        if deadline > now {
            return None;
        }
        Some(self.pending.get(&sequence)?.request)
    }

    /// Removes all requests.
    pub(crate) fn drain(&mut self) -> Vec<RequestId> {
        self.deadlines.clear();
        let waiters = std::mem::take(&mut self.pending);
        waiters.into_values().map(|waiter| waiter.request).collect()
    }

    fn remove(&mut self, sequence: Sequence) -> Option<RequestId> {
        let waiter = self.pending.remove(&sequence)?;
        self.deadlines.remove(&(waiter.deadline, sequence));
        Some(waiter.request)
    }
}

#[cfg(test)]
mod tests {
    use super::PendingRequests;
    use crate::frame::Sequence;
    use crate::time::Moment;

    #[test]
    fn numbers_begin_again_at_one_and_pass_over_those_that_are_waited_under() {
        let mut requests = PendingRequests::new();
        let first = requests.next_sequence();
        assert_eq!(first, Sequence(1));
        let waiting = requests.insert(first, Moment::ZERO);
        requests.last_sequence = Sequence(i32::MAX - 1);
        assert_eq!(requests.next_sequence(), Sequence(i32::MAX));
        assert_eq!(requests.next_sequence(), Sequence(2));

        requests.mark_written(first);
        assert_eq!(requests.take_answered(first), Some(waiting));
        let later = requests.insert(first, Moment::ZERO);
        assert_eq!(
            requests.cancel(waiting),
            None,
            "an old request is not a new one"
        );
        assert_eq!(requests.cancel(later), Some(first));
    }
}
