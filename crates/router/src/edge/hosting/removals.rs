//! Removing terminators at controllers.

use std::collections::BTreeSet;
use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::RemoveTerminators;

use super::{HostAction, HostTimer, Hosting};
use crate::edge::action::RequestId;
use crate::edge::names::TerminatorId;
use crate::time::after;

/// Most terminators of one message.
const BATCH: usize = 50;
/// How long a controller may take.
const ANSWER_TIME: Duration = Duration::from_secs(5);
/// First pause after a failure; the next ones double.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Terminators that no controller has confirmed to have removed.
#[derive(Debug, Default)]
pub(super) struct Removals {
    waiting: BTreeSet<TerminatorId>,
    sent: Option<(RequestId, BTreeSet<TerminatorId>)>,
    is_paused: bool,
    failures: u32,
}

impl Removals {
    pub(super) fn add(&mut self, id: TerminatorId) {
        self.waiting.insert(id);
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.sent.as_ref().map_or(0, |(_, sent)| sent.len())
    }

    /// Takes what was sent back, if it was not answered, and ends a pause.
    pub(super) fn retry(&mut self) {
        self.is_paused = false;
        if let Some((_, sent)) = self.sent.take() {
            self.waiting.extend(sent);
        }
    }

    fn next_batch(&mut self) -> Option<BTreeSet<TerminatorId>> {
        if self.is_paused || self.sent.is_some() || self.waiting.is_empty() {
            return None;
        }
        let rest = match self.waiting.iter().nth(BATCH).cloned() {
            Some(first) => self.waiting.split_off(&first),
            None => BTreeSet::new(),
        };
        Some(std::mem::replace(&mut self.waiting, rest))
    }
}

impl Hosting {
    /// The outcome of a removal: whether a controller has confirmed it.
    pub fn removal_answered(&mut self, request: RequestId, is_done: bool, now: Timestamp) {
        let removals = &mut self.removals;
        if removals.sent.as_ref().map(|(sent, _)| *sent) != Some(request) {
            return;
        }
        self.timers.clear(&HostTimer::Remove);
        if is_done {
            removals.sent = None;
            removals.failures = 0;
        } else {
            removals.retry();
            removals.is_paused = true;
            let factor = 1u32.checked_shl(removals.failures).unwrap_or(u32::MAX);
            removals.failures += 1;
            let pause = FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE);
            self.timers.set(HostTimer::Remove, after(now, pause));
        }
        self.proceed(now);
    }

    pub(super) fn remove_queued(&mut self, now: Timestamp) {
        let Some(batch) = self.removals.next_batch() else {
            return;
        };
        self.last_request += 1;
        let request = RequestId(self.last_request);
        let ids = batch.iter().map(|id| id.as_str().to_owned());
        let message = RemoveTerminators {
            terminator_ids: ids.collect(),
        };
        self.removals.sent = Some((request, batch));
        self.timers.set(HostTimer::Remove, after(now, ANSWER_TIME));
        self.actions.push_back(HostAction::Remove {
            request,
            message: Box::new(ControlMessage::RemoveTerminators(message)),
        });
    }
}
