//! What the state machine of links wants done.

use std::sync::Arc;

use portcullis_domain::clock::Timestamp;
use portcullis_router::links::{Action, Dial, DialFailure, Link};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::link::FaultSubject;

use super::{LinkManager, State};
use crate::links::open_link::{OpenLink, fault};

/// What is left to do when the lock is free again.
#[derive(Default)]
struct Work {
    dials: Vec<Dial>,
    closings: Vec<Arc<OpenLink>>,
    duplicates: Vec<Link>,
}

impl LinkManager {
    /// Changes the state by an event, and does what follows from it.
    pub(super) fn act<R>(self: &Arc<Self>, change: impl FnOnce(&mut State, Timestamp) -> R) -> R {
        let mut state = self.state.lock();
        let now = self.clock.timestamp();
        let result = change(&mut state, now);
        let work = state.take_work(now);
        drop(state);
        self.changed.notify_one();
        for dial in work.dials {
            self.tasks.spawn(Arc::clone(self).dial(dial));
        }
        for link in work.duplicates {
            let fault = fault(&link, FaultSubject::LinkDuplicate);
            self.controllers.tell_all(&ControlMessage::Fault(fault));
        }
        for link in work.closings {
            link.close();
        }
        result
    }
}

impl State {
    fn take_work(&mut self, now: Timestamp) -> Work {
        let mut work = Work::default();
        for action in self.links.poll(now) {
            match action {
                Action::Dial(dial) => self.queue(dial, now),
                Action::Close(link, why) => {
                    tracing::debug!(link = %link.id, ?why, "closing a link");
                    work.closings.extend(self.open.get(&link).cloned());
                },
                Action::ReportDuplicate(link) => work.duplicates.push(link),
            }
        }
        while let Some(dial) = self.dials.start() {
            work.dials.push(dial);
        }
        work
    }

    fn queue(&mut self, dial: Dial, now: Timestamp) {
        if let Err(full) = self.dials.push(dial) {
            let ticket = full.0.ticket;
            tracing::warn!(
                router = %ticket.key().peer(),
                "a link is not dialed now: too many dials wait, see `forwarder.linkDialQueueLength`"
            );
            self.links.dial_failed(ticket, DialFailure::Failed, now);
        }
    }
}
