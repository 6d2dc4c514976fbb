//! Removing terminators at controllers.

use std::collections::BTreeSet;
use std::time::Duration;

use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::RemoveTerminators;

use crate::edge::{RequestId, TerminatorId};

/// Most terminators of one message.
const BATCH: usize = 50;
/// First pause after a failure; the next ones double.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// Terminators that no controller has confirmed to have removed. One message of them is on its way at a time.
#[derive(Debug, Default)]
pub(crate) struct Removals {
    waiting: BTreeSet<TerminatorId>,
    sent: Option<(RequestId, BTreeSet<TerminatorId>)>,
    is_paused: bool,
    failures: u32,
}

/// What follows from an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    /// It is one to another question.
    NotAsked,
    Done,
    /// To be [retried](Removals::retry) after this.
    RetryAfter(Duration),
}

impl Removals {
    /// How long a controller may take before what it was asked is [retried](Self::retry).
    pub(crate) const ANSWER_TIME: Duration = Duration::from_secs(5);

    pub(crate) fn add(&mut self, id: TerminatorId) {
        self.waiting.insert(id);
    }

    /// Removes a terminator no longer. Returns whether no controller was asked to.
    pub(crate) fn cancel(&mut self, id: &TerminatorId) -> bool {
        self.waiting.remove(id);
        let sent = self.sent.as_ref();
        !sent.is_some_and(|(_, sent)| sent.contains(id))
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len() + self.sent.as_ref().map_or(0, |(_, sent)| sent.len())
    }

    /// Takes what was sent back, if it was not answered, and ends a pause.
    pub(crate) fn retry(&mut self) {
        self.is_paused = false;
        if let Some((_, sent)) = self.sent.take() {
            self.waiting.extend(sent);
        }
    }

    /// The outcome of a removal: whether a controller has confirmed it.
    pub(crate) fn answered(&mut self, request: RequestId, is_done: bool) -> Answered {
        if self.sent.as_ref().map(|(sent, _)| *sent) != Some(request) {
            return Answered::NotAsked;
        }
        if is_done {
            self.sent = None;
            self.failures = 0;
            return Answered::Done;
        }
        self.retry();
        self.is_paused = true;
        let factor = 1u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        self.failures += 1;
        Answered::RetryAfter(FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE))
    }

    /// What to ask a controller now, if there is something.
    pub(crate) fn next(&mut self, request: RequestId) -> Option<ControlMessage> {
        let batch = self.next_batch()?;
        let ids = batch.iter().map(|id| id.as_str().to_owned());
        let message = RemoveTerminators {
            terminator_ids: ids.collect(),
        };
        self.sent = Some((request, batch));
        Some(ControlMessage::RemoveTerminators(message))
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
