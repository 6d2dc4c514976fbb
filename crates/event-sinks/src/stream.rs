//! Events for whoever follows them over a connection.

use crate::bus::{EventBus, Subscriber};
use portcullis_events::{Line, Subscription};
use std::collections::VecDeque;
use std::sync::Arc;

/// Events from a subscription on, as lines. It ends when it is dropped.
#[derive(Debug)]
pub struct EventStream {
    bus: EventBus,
    subscriber: Arc<Subscriber>,
    /// Lines of the last event that were not received yet.
    lines: VecDeque<Line>,
}

impl EventBus {
    /// Follows events from now on; at most `capacity` wait to be received. Each subscription has its own
    /// events, also where two want the same.
    pub fn subscribe(&self, subscriptions: Vec<Subscription>, capacity: usize) -> EventStream {
        EventStream {
            bus: self.clone(),
            subscriber: self.add(None, subscriptions, capacity),
            lines: VecDeque::new(),
        }
    }
}

impl EventStream {
    /// Waits for the next line; `None` once the bus is closed and everything was received. Nothing is lost
    /// if the wait is given up.
    pub async fn recv(&mut self) -> Option<Line> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                return Some(line);
            }
            let delivery = self.subscriber.queue.recv().await?;
            self.lines.extend(self.subscriber.lines(&delivery));
        }
    }

    /// Number of events that were dropped because too many waited.
    pub fn dropped(&self) -> u64 {
        self.subscriber.queue.dropped()
    }
}

impl Drop for EventStream {
    fn drop(&mut self) {
        self.bus.remove(&self.subscriber);
    }
}
