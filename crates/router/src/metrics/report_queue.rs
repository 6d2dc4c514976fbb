//! Reports that wait for a controller.

use std::collections::VecDeque;

use portcullis_wire::control::metrics::Metrics;

/// Reports in the order in which they were made. When there is no room, the oldest is dropped: the latest tell
/// most.
#[derive(Debug)]
pub struct ReportQueue {
    waiting: VecDeque<Metrics>,
    limit: usize,
    dropped: u64,
}

impl ReportQueue {
    /// A queue for `limit` reports, at least for one.
    pub fn new(limit: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            limit: limit.max(1),
            dropped: 0,
        }
    }

    pub fn push(&mut self, report: Metrics) {
        if self.waiting.len() >= self.limit {
            self.waiting.pop_front();
            self.dropped += 1;
        }
        self.waiting.push_back(report);
    }

    /// Sends the reports in order, until one cannot be sent.
    pub fn send(&mut self, mut try_send: impl FnMut(&Metrics) -> bool) {
        while self.waiting.front().is_some_and(&mut try_send) {
            self.waiting.pop_front();
        }
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many reports were never sent.
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(id: &str) -> Metrics {
        Metrics {
            event_id: id.to_owned(),
            ..Metrics::default()
        }
    }

    #[test]
    fn reports_wait_in_order_and_the_oldest_are_dropped() {
        let mut queue = ReportQueue::new(2);
        for id in ["a", "b", "c"] {
            queue.push(report(id));
        }
        assert_eq!((queue.len(), queue.dropped()), (2, 1));
        let mut sent = Vec::new();
        queue.send(|report| {
            let is_sent = sent.is_empty();
            if is_sent {
                sent.push(report.event_id.clone());
            }
            is_sent
        });
        assert_eq!(sent, ["b"]);
        queue.send(|report| {
            sent.push(report.event_id.clone());
            true
        });
        assert_eq!(sent, ["b", "c"]);
        assert!(queue.is_empty());
    }
}
