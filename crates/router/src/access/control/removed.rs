//! Sessions for services that were removed lately.

use crate::time::after;
use portcullis_domain::clock::Timestamp;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// How long a removed session is remembered. Its token would be good for a year; who shows it later is
/// refused by the controller.
const MEMORY: Duration = Duration::from_mins(10);
/// Most that are remembered.
const MOST: usize = 10_000;

/// Ids of sessions that do not count any more, though their tokens may.
#[derive(Debug, Clone, Default)]
pub(super) struct RemovedSessions {
    ids: BTreeMap<String, Timestamp>,
    order: VecDeque<String>,
}

impl RemovedSessions {
    pub(super) fn insert(&mut self, id: String, now: Timestamp) {
        if self.ids.insert(id.clone(), after(now, MEMORY)).is_none() {
            self.order.push_back(id);
        }
        while self.order.len() > MOST || self.is_first_over(now) {
            if let Some(id) = self.order.pop_front() {
                self.ids.remove(&id);
            }
        }
    }

    pub(super) fn contains(&self, id: &str, now: Timestamp) -> bool {
        self.ids.get(id).is_some_and(|end| now < *end)
    }

    fn is_first_over(&self, now: Timestamp) -> bool {
        let first = self.order.front().and_then(|id| self.ids.get(id));
        first.is_some_and(|end| *end <= now)
    }
}
