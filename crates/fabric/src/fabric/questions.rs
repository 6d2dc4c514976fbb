//! When routers are asked what they carry.
//!
//! Each is asked when it connects, and once more a little later: by then it has done what it was told in
//! an earlier session. As long as it carries circuits that may be adopted, it is asked again.

use super::Fabric;
use crate::circuits::Action;
use crate::{RouterSession, RouterSlot};
use portcullis_channel::Moment;
use std::collections::BTreeSet;
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(30);

/// Routers that are to be asked, and when.
#[derive(Debug, Default)]
pub(super) struct Questions {
    due: BTreeSet<(Moment, RouterSession)>,
}

impl Questions {
    pub(super) fn deadline(&self) -> Option<Moment> {
        self.due.first().map(|(at, _)| *at)
    }

    fn take_due(&mut self, now: Moment) -> Option<RouterSession> {
        let (at, session) = *self.due.first()?;
        (at <= now).then(|| {
            self.due.pop_first();
            session
        })
    }
}

impl Fabric {
    /// Asks a router that has connected.
    pub(super) fn ask_first(&mut self, session: RouterSession, now: Moment) {
        self.ask(session.router());
        self.questions.due.insert((now + INTERVAL, session));
    }

    /// Asks a router if it is connected.
    pub(super) fn ask(&mut self, router: RouterSlot) {
        if let Some(to) = self.network.session(router) {
            self.actions.push_back(Action::AskForCircuits { to });
        }
    }

    pub(super) fn ask_again(&mut self, now: Moment) {
        while let Some(session) = self.questions.take_due(now) {
            if !self.network.is_current(session) {
                continue;
            }
            self.ask(session.router());
            if self.adoption.has_carrier(session.router()) {
                self.questions.due.insert((now + INTERVAL, session));
            }
        }
    }
}
