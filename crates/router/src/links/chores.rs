//! What is to be done now or later.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;

use crate::links::names::Link;
use crate::links::target::Dial;
use crate::time::after;

/// What the program around is to do.
#[derive(Debug, PartialEq)]
pub enum Action {
    /// Dials; [`Links`](crate::links::Links) hears what came of it.
    Dial(Dial),
    /// Closes a link, and says so when it is closed.
    Close(Link, Why),
    /// Tells the controllers that a link is a duplicate, so that they move its circuits before it is closed.
    ReportDuplicate(Link),
}

/// Why a link is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// There was a link for the same purpose already.
    Duplicate,
    /// Another link for the same purpose took its place.
    Replaced,
    /// The other router announces another address.
    AddressChanged,
    /// The listener is gone, or shares no group with the dialer any more.
    NotWanted,
    /// The other router was removed from the network.
    RouterRemoved,
}

/// What lies ahead besides dialing.
#[derive(Debug, Default)]
pub(super) struct Chores(Vec<(Timestamp, Chore)>);

#[derive(Clone, Debug)]
enum Chore {
    Report(Link),
    Close(Link, Why),
}

impl Chores {
    pub(super) fn report(&mut self, link: Link, now: Timestamp) {
        self.0.push((now, Chore::Report(link)));
    }

    /// Closes a link after a while; whatever was asked for before no longer holds.
    pub(super) fn close(&mut self, link: Link, why: Why, delay: Duration, now: Timestamp) {
        self.closed(&link);
        self.0.push((after(now, delay), Chore::Close(link, why)));
    }

    /// Forgets that a link had to be closed: it is.
    pub(super) fn closed(&mut self, link: &Link) {
        self.0.retain(|(_, chore)| !chore.closes(link));
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        self.0.iter().map(|(due, _)| *due).min()
    }

    /// Takes out what is due, the oldest first.
    pub(super) fn take(&mut self, now: Timestamp) -> Vec<Action> {
        let mut due: Vec<_> = self.0.extract_if(.., |(due, _)| *due <= now).collect();
        due.sort_by_key(|(due, _)| *due);
        let action = |(_, chore)| match chore {
            Chore::Report(link) => Action::ReportDuplicate(link),
            Chore::Close(link, why) => Action::Close(link, why),
        };
        due.into_iter().map(action).collect()
    }
}

impl Chore {
    fn closes(&self, link: &Link) -> bool {
        matches!(self, Self::Close(closing, _) if closing == link)
    }
}
