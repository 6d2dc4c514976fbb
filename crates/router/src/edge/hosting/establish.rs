//! Creating terminators at controllers.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::{
    CreateTerminatorAnswerV2, CreateTerminatorResult, CreateTerminatorV2,
};
use portcullis_wire::peer_data;
use portcullis_wire::{RetryHint, Secret};

use super::terminator::{Stage, Terminator};
use super::{HostTimer, Hosting, recipient};
use crate::edge::host_exchange::HostEvent;
use crate::edge::names::TerminatorId;
use crate::edge::refusal::Refusal;
use crate::time::after;

/// How long a controller may take.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// The refusal in a row that ends the bind.
const LAST_REFUSAL: u32 = 3;
/// First pause before another attempt; the next ones double.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// How long a controller that has connected has to ask for the terminators that it knows.
const VALIDATION_TIME: Duration = Duration::from_secs(10);

impl Hosting {
    /// Handles an answer of a controller, which names the terminator that it is about.
    pub fn create_answered(&mut self, answer: CreateTerminatorAnswerV2, now: Timestamp) {
        let has_succeeded = answer.result == CreateTerminatorResult::Success;
        self.creating.remove(&*answer.terminator_id);
        match self.table.get(&answer.terminator_id) {
            Some(terminator) => {
                let (id, stage) = (terminator.id.clone(), terminator.stage);
                if has_succeeded {
                    self.established(&id);
                } else if stage == Stage::Creating {
                    self.refused(&id, answer, now);
                }
            },
            None => self.answered_too_late(answer.terminator_id.into(), has_succeeded),
        }
        self.proceed(now);
    }

    /// A terminator that is gone here was created, perhaps after its removal, or was not.
    fn answered_too_late(&mut self, id: TerminatorId, was_created: bool) {
        self.timers.clear(&HostTimer::Create(id.clone()));
        if was_created && self.len() < self.limits.terminators {
            self.removals.add(id);
        }
    }

    pub(super) fn create_queued(&mut self, now: Timestamp) {
        while self.creating.len() < self.limits.creations.workers
            && let Some((_, id)) = self.queue.pop_first()
        {
            if let Some(terminator) = self.table.get_mut(id.as_str()) {
                terminator.stage = Stage::Creating;
                terminator.has_changed = false;
                terminator.was_sent = true;
                terminator.last_attempt = Some(now);
                let message = create(terminator);
                let to = recipient(&terminator.session);
                let deadline = after(now, ANSWER_TIME);
                self.timers.set(HostTimer::Create(id.clone()), deadline);
                self.creating.insert(id);
                self.tell(to, message);
            }
        }
    }

    /// A pause is over, an answer did not come, or a controller has not asked for the terminator.
    pub(super) fn create_again(&mut self, id: &TerminatorId) {
        self.stop_creating(id);
        self.creating.remove(id);
        self.enqueue(id);
    }

    /// Has a terminator created when it is its turn.
    pub(super) fn enqueue(&mut self, id: &TerminatorId) {
        if let Some(terminator) = self.table.get_mut(id.as_str()) {
            self.last_turn += 1;
            terminator.stage = Stage::Queued {
                turn: self.last_turn,
            };
            self.queue.insert(self.last_turn, id.clone());
        }
    }

    pub(super) fn create_what_was_missed(&mut self, now: Timestamp) {
        let all: Vec<_> = self
            .table
            .iter()
            .map(|one| (one.id.clone(), one.stage))
            .collect();
        for (id, stage) in all {
            match stage {
                Stage::Queued { .. } => {},
                Stage::Creating | Stage::Paused => self.create_again(&id),
                Stage::Established => {
                    let at = after(now, VALIDATION_TIME);
                    self.timers.set(HostTimer::Create(id), at);
                },
            }
        }
    }

    /// A controller has the terminator.
    pub(super) fn established(&mut self, id: &TerminatorId) {
        self.stop_creating(id);
        let Some(terminator) = self.table.get_mut(id.as_str()) else {
            return;
        };
        terminator.stage = Stage::Established;
        terminator.refusals = 0;
        terminator.delays = 0;
        let (bind, has_changed) = (terminator.bind, terminator.has_changed);
        let was_told = std::mem::replace(&mut terminator.was_told, true);
        if !was_told {
            self.event(bind, HostEvent::Established);
        }
        if has_changed {
            self.enqueue(id);
        }
    }

    /// A controller has asked for the terminator, so it has it.
    pub(super) fn confirmed(&mut self, id: &TerminatorId) {
        match self.table.get(id.as_str()).map(|found| found.stage) {
            Some(Stage::Established) => self.timers.clear(&HostTimer::Create(id.clone())),
            // It is about an earlier bind that was taken over: what has changed is still to be told.
            Some(Stage::Queued { .. }) | None => {},
            Some(Stage::Creating | Stage::Paused) => {
                self.creating.remove(id);
                self.established(id);
            },
        }
    }

    /// Gives up the turn of a terminator, or the wait for an answer or for another attempt.
    pub(super) fn stop_creating(&mut self, id: &TerminatorId) {
        let Some(terminator) = self.table.get_mut(id.as_str()) else {
            return;
        };
        match terminator.stage {
            Stage::Queued { turn } => {
                self.queue.remove(&turn);
                terminator.stage = Stage::Paused;
            },
            Stage::Creating => terminator.stage = Stage::Paused,
            Stage::Paused | Stage::Established => {},
        }
        if !self.creating.contains(id) {
            self.timers.clear(&HostTimer::Create(id.clone()));
        }
    }

    fn refused(&mut self, id: &TerminatorId, answer: CreateTerminatorAnswerV2, now: Timestamp) {
        self.stop_creating(id);
        let Some(terminator) = self.table.get_mut(id.as_str()) else {
            return;
        };
        let is_busy = answer.result == CreateTerminatorResult::FailedBusy
            || answer.retry_hint == RetryHint::Busy;
        let attempts = if is_busy {
            terminator.delays += 1;
            terminator.delays
        } else {
            terminator.refusals += 1;
            terminator.refusals
        };
        let is_final = answer.retry_hint != RetryHint::Default || attempts >= LAST_REFUSAL;
        if is_final && !is_busy {
            let refusal = Refusal::hinted(answer.code, answer.retry_hint, answer.reason);
            return self.drop_terminator(id, refusal);
        }
        let at = after(now, pause(attempts));
        self.timers.set(HostTimer::Create(id.clone()), at);
    }
}

fn create(terminator: &Terminator) -> ControlMessage {
    let terms = &terminator.terms;
    let key = terms.public_key.clone();
    let peer_data = key.map(|key| (peer_data::PUBLIC_KEY, Secret::new(key)));
    ControlMessage::CreateTerminatorV2(CreateTerminatorV2 {
        address: terminator.id.as_str().to_owned(),
        session_token: terminator.token.clone(),
        fingerprints: terminator.fingerprints.to_vec(),
        peer_data: peer_data.into_iter().collect(),
        cost: terms.cost.into(),
        precedence: terms.precedence,
        instance_id: terms.instance.clone(),
        instance_secret: terms.instance_secret.clone(),
        api_session_token: terminator.session.token.clone(),
    })
}

/// The pause after so many attempts.
fn pause(attempts: u32) -> Duration {
    let factor = 1u32.checked_shl(attempts.saturating_sub(1));
    let pause = FIRST_PAUSE.saturating_mul(factor.unwrap_or(u32::MAX));
    pause.min(LONGEST_PAUSE)
}
