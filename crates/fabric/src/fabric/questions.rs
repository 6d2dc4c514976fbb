//! When routers are asked what they carry.
//!
//! Each is asked when it connects, and once more a little later: by then it has done what it was told in
//! an earlier session. As long as it carries circuits that may be adopted, it is asked again.

use super::Fabric;
use crate::circuits::Action;
use crate::{RouterSession, RouterSlot};
use portcullis_channel::Moment;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(30);

/// Routers that are to be asked, and when.
#[derive(Debug, Default)]
pub(super) struct Questions {
    due: BTreeSet<(Moment, RouterSession)>,
    /// When connected routers were asked last.
    asked: BTreeMap<RouterSlot, Moment>,
}

impl Questions {
    pub(super) fn deadline(&self) -> Option<Moment> {
        self.due.first().map(|(at, _)| *at)
    }

    pub(super) fn forget(&mut self, router: RouterSlot) {
        self.asked.remove(&router);
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
        self.ask(session, now);
        self.questions.due.insert((now + INTERVAL, session));
    }

    /// Asks a router unless it was asked a short time ago, whatever others complain of.
    pub(super) fn ask_sometimes(&mut self, router: RouterSlot, now: Moment) {
        let asked = self.questions.asked.get(&router);
        let is_recent = asked.is_some_and(|asked| now.since(*asked) < INTERVAL);
        if let Some(session) = self.network.session(router)
            && !is_recent
        {
            self.ask(session, now);
        }
    }

    fn ask(&mut self, to: RouterSession, now: Moment) {
        self.questions.asked.insert(to.router(), now);
        self.actions.push_back(Action::AskForCircuits { to });
    }

    pub(super) fn ask_again(&mut self, now: Moment) {
        while let Some(session) = self.questions.take_due(now) {
            if !self.network.is_current(session) {
                continue;
            }
            self.ask(session, now);
            if self.adoption.has_carrier(session.router()) {
                self.questions.due.insert((now + INTERVAL, session));
            }
        }
    }
}
