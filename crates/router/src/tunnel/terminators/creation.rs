//! Creating terminators at controllers.

use std::time::Duration;

use bytes::Bytes;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::CreateTerminatorResult;
use portcullis_wire::control::tunnel::{CreateTunnelTerminator, CreateTunnelTerminatorAnswer};
use portcullis_wire::peer_data::PeerData;
use portcullis_wire::{RetryHint, Secret};

use super::{
    Stage, Terminator, TerminatorAction, TerminatorId, Timer, TunnelTerminators, wire_precedence,
};
use crate::time::after;

/// How long a controller may take.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// First pause after an answer that a controller is busy; the next ones double.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// How long a controller that has connected has to ask for the terminators that it knows.
const VALIDATION_TIME: Duration = Duration::from_secs(10);
/// Removals that answers which come too late may add to.
const MAX_REMOVALS: usize = 10_000;

impl TunnelTerminators {
    /// Handles an answer of a controller, which names the terminator that it is about.
    pub fn create_answered(&mut self, answer: CreateTunnelTerminatorAnswer, now: Timestamp) {
        let has_succeeded = answer.result == CreateTerminatorResult::Success;
        let id = TerminatorId::from(answer.terminator_id.as_str());
        self.creating.remove(&id);
        match self.table.get(&id).map(|found| found.stage) {
            Some(_) if has_succeeded => self.established(&id),
            Some(Stage::Creating) => self.refused(&id, answer, now),
            Some(_) => {},
            None => {
                self.timers.clear(&Timer::Create(id.clone()));
                // It was created, perhaps after its removal.
                if has_succeeded && self.removals.len() < MAX_REMOVALS {
                    self.removals.add(id);
                }
            },
        }
        self.proceed(now);
    }

    pub(super) fn create_queued(&mut self, now: Timestamp) {
        while self.creating.len() < self.most_creations
            && let Some((_, id)) = self.queue.pop_first()
        {
            let Some(terminator) = self.table.get_mut(&id) else {
                continue;
            };
            terminator.stage = Stage::Creating;
            terminator.has_changed = false;
            terminator.was_sent = true;
            let message = create(&id, terminator, now);
            self.timers
                .set(Timer::Create(id.clone()), after(now, ANSWER_TIME));
            self.creating.insert(id);
            self.tell(message);
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
        if let Some(terminator) = self.table.get_mut(id) {
            self.last_turn += 1;
            terminator.stage = Stage::Queued {
                turn: self.last_turn,
            };
            self.queue.insert(self.last_turn, id.clone());
        }
    }

    pub(super) fn create_what_was_missed(&mut self, now: Timestamp) {
        let all = self.table.iter();
        let all: Vec<_> = all.map(|(id, one)| (id.clone(), one.stage)).collect();
        for (id, stage) in all {
            match stage {
                Stage::Queued { .. } => {},
                Stage::Creating | Stage::Paused => self.create_again(&id),
                Stage::Established => {
                    let at = after(now, VALIDATION_TIME);
                    self.timers.set(Timer::Create(id), at);
                },
            }
        }
    }

    /// A controller has the terminator.
    fn established(&mut self, id: &TerminatorId) {
        self.stop_creating(id);
        let Some(terminator) = self.table.get_mut(id) else {
            return;
        };
        terminator.stage = Stage::Established;
        terminator.delays = 0;
        let has_changed = terminator.has_changed;
        if !std::mem::replace(&mut terminator.was_told, true) {
            self.actions
                .push_back(TerminatorAction::Created(id.clone()));
        }
        if has_changed {
            self.send_update(id);
        }
    }

    /// A controller has asked for the terminator, so it has it.
    pub(super) fn confirmed(&mut self, id: &TerminatorId) {
        match self.table.get(id).map(|found| found.stage) {
            Some(Stage::Established) => self.timers.clear(&Timer::Create(id.clone())),
            // What has changed is still to be told.
            Some(Stage::Queued { .. }) | None => {},
            Some(Stage::Creating | Stage::Paused) => {
                self.creating.remove(id);
                self.established(id);
            },
        }
    }

    /// Gives up the turn of a terminator, or the wait for an answer or for another attempt.
    pub(super) fn stop_creating(&mut self, id: &TerminatorId) {
        let Some(terminator) = self.table.get_mut(id) else {
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
            self.timers.clear(&Timer::Create(id.clone()));
        }
    }

    fn refused(&mut self, id: &TerminatorId, answer: CreateTunnelTerminatorAnswer, now: Timestamp) {
        self.stop_creating(id);
        let Some(terminator) = self.table.get_mut(id) else {
            return;
        };
        let is_busy = answer.result == CreateTerminatorResult::FailedBusy
            || answer.retry_hint == RetryHint::Busy;
        if is_busy {
            terminator.delays += 1;
            let at = after(now, pause(terminator.delays));
            self.timers.set(Timer::Create(id.clone()), at);
            return;
        }
        self.forget(id);
        self.actions.push_back(TerminatorAction::Ended {
            id: id.clone(),
            reason: answer.reason,
        });
    }
}

fn create(id: &TerminatorId, terminator: &Terminator, now: Timestamp) -> ControlMessage {
    let terms = &terminator.terms;
    let since_epoch = now.duration_since(Timestamp::UNIX_EPOCH);
    ControlMessage::CreateTunnelTerminator(CreateTunnelTerminator {
        service_id: terminator.key.service.as_str().to_owned(),
        address: id.as_str().to_owned(),
        // The key for encryption is another one for each dial, and comes with the route.
        peer_data: PeerData::new(),
        cost: terms.cost.into(),
        precedence: wire_precedence(terms.precedence),
        instance_id: terms.instance.clone().unwrap_or_default(),
        instance_secret: Secret::new(Bytes::new()),
        start_millis: millis(since_epoch),
    })
}

fn millis(elapsed: SignedDuration) -> i64 {
    i64::try_from(elapsed.as_millis()).unwrap_or_default()
}

/// The pause after so many attempts.
fn pause(attempts: u32) -> Duration {
    let factor = 1u32.checked_shl(attempts.saturating_sub(1));
    let pause = FIRST_PAUSE.saturating_mul(factor.unwrap_or(u32::MAX));
    pause.min(LONGEST_PAUSE)
}
