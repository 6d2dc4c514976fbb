//! Binds: new ones, those that take others over, and those that end.

use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids;
use portcullis_wire::{ErrorCode, RetryHint};

use super::terminator::Terminator;
use super::{HostTimer, Hosting};
use crate::edge::host_exchange::{BindKey, BindRequest, HostEvent};
use crate::edge::names::{ChannelId, TerminatorId};
use crate::edge::refusal::Refusal;

/// What becomes of a bind of a listener that is bound already.
enum Earlier {
    None,
    /// It is the same one again.
    Same,
    /// It is older than the one that there is.
    Newer,
    /// It takes the terminator over.
    TakenOver(TerminatorId),
    /// It takes the place of the other one.
    Replaced(TerminatorId),
}

impl Hosting {
    pub(super) fn bind(&mut self, request: BindRequest, now: Timestamp) {
        let bind = request.bind;
        match self.earlier(&request) {
            Earlier::Same => self.repeat_answer(bind),
            Earlier::Newer => {
                let refusal = Refusal::text("a newer bind of the listener exists");
                self.event(bind, HostEvent::Refused(refusal));
            },
            Earlier::TakenOver(id) => self.take_over(&id, request, now),
            // One that is replaced may still have to be removed.
            Earlier::None | Earlier::Replaced(_) if self.len() >= self.limits.terminators => {
                let refusal = Refusal::busy("the router has too many terminators");
                self.event(bind, HostEvent::Refused(refusal));
            },
            Earlier::None | Earlier::Replaced(_)
                if self.queue.len() >= self.limits.creations.waiting =>
            {
                let refusal = Refusal::busy("too many terminators wait for controllers");
                self.event(bind, HostEvent::Refused(refusal));
            },
            Earlier::Replaced(id) => {
                self.drop_terminator(&id, newer_terminator());
                self.add(request, now);
            },
            Earlier::None => self.add(request, now),
        }
    }

    pub(super) fn unbind(&mut self, bind: BindKey) {
        if let Some(terminator) = self.table.of_bind(bind) {
            let id = terminator.id.clone();
            self.forget(&id);
        }
    }

    /// All binds of a channel end.
    pub(super) fn end(&mut self, channel: ChannelId) {
        for bind in self.table.binds_of(channel) {
            self.unbind(bind);
        }
    }

    /// Ends a bind, and has its terminator removed.
    pub(super) fn drop_terminator(&mut self, id: &TerminatorId, refusal: Refusal) {
        if let Some(bind) = self.forget(id) {
            self.event(bind, HostEvent::Ended(refusal));
        }
    }

    /// Removes a terminator here, and then at the controllers.
    fn forget(&mut self, id: &TerminatorId) -> Option<BindKey> {
        self.stop_creating(id);
        let terminator = self.table.remove(id.as_str())?;
        self.timers.clear(&HostTimer::Inspect(id.clone()));
        self.timers.clear(&HostTimer::Health(id.clone()));
        if terminator.was_sent {
            self.removals.add(id.clone());
        }
        Some(terminator.bind)
    }

    fn earlier(&self, request: &BindRequest) -> Earlier {
        if self.table.of_bind(request.bind).is_some() {
            return Earlier::Same;
        }
        let Some(existing) = self.table.of_place(&request.place()) else {
            return Earlier::None;
        };
        let id = existing.id.clone();
        let keeps_id = request.listener.is_some()
            && existing.terms.public_key == request.terms.public_key
            && existing.terms.instance_secret == request.terms.instance_secret;
        if existing.bind.channel == request.bind.channel
            && existing.bind.connection > request.bind.connection
            && request.listener.is_some()
        {
            Earlier::Newer
        } else if keeps_id {
            Earlier::TakenOver(id)
        } else {
            Earlier::Replaced(id)
        }
    }

    fn add(&mut self, request: BindRequest, now: Timestamp) {
        let bind = request.bind;
        let Ok(id) = ids::long(&*self.entropy) else {
            let refusal = Refusal::busy("the router has no random numbers");
            return self.event(bind, HostEvent::Refused(refusal));
        };
        let id = TerminatorId::from(id);
        self.table.insert(Terminator::new(id.clone(), request, now));
        self.event(bind, HostEvent::Bound);
        self.enqueue(&id);
        self.inspect(&id, now);
    }

    /// The answers to a bind, once more.
    fn repeat_answer(&mut self, bind: BindKey) {
        self.event(bind, HostEvent::Bound);
        let terminator = self.table.of_bind(bind);
        if terminator.is_some_and(Terminator::is_established) {
            self.event(bind, HostEvent::Established);
        }
    }

    /// A bind takes over id and state of an earlier one, so that dials on their way arrive.
    fn take_over(&mut self, id: &TerminatorId, request: BindRequest, now: Timestamp) {
        let Some(earlier) = self.table.remove(id.as_str()) else {
            return;
        };
        self.event(earlier.bind, HostEvent::Ended(newer_terminator()));
        let bind = request.bind;
        let has_same_terms = earlier.terms == request.terms;
        let terminator = Terminator {
            stage: earlier.stage,
            was_sent: earlier.was_sent,
            has_changed: earlier.has_changed || !has_same_terms,
            health: earlier.health,
            ..Terminator::new(id.clone(), request, now)
        };
        let is_established = terminator.is_established();
        self.table.insert(terminator);
        self.event(bind, HostEvent::Bound);
        if is_established && has_same_terms {
            self.established(id);
        } else if is_established {
            // A controller compares, and changes what differs.
            self.enqueue(id);
        }
        self.inspect(id, now);
    }
}

fn newer_terminator() -> Refusal {
    Refusal::hinted(
        ErrorCode::Internal,
        RetryHint::Default,
        "newer terminator found for listener id",
    )
}
