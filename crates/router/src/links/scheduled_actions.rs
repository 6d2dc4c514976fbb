//! Actions of the link state machine, and those pending for later.

use std::time::Duration;

use portcullis_domain::clock::Timestamp;

use crate::links::dial_target::Dial;
use crate::links::names::Link;
use crate::time::after;

/// An action for the embedding program.
#[derive(Debug, PartialEq)]
pub enum Action {
    /// Dial and report the result to [`Links`](crate::links::Links).
    Dial(Dial),
    /// Close a link and report when it is closed.
    Close(Link, LinkCloseReason),
    /// Report a duplicate link to the controllers, so that they move its circuits before it is
    /// closed.
    ReportDuplicate(Link),
}

/// The reason why a link is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkCloseReason {
    /// There already was a link with the same key.
    Duplicate,
    /// Another link with the same key replaced it.
    Replaced,
    /// The other router announces another address.
    AddressChanged,
    /// The listener is gone, or has no common group with the dialer any more.
    NotWanted,
    /// The other router was removed from the network.
    RouterRemoved,
}

/// Pending actions other than dialing.
#[derive(Debug, Default)]
pub(super) struct ScheduledActions(Vec<(Timestamp, ScheduledAction)>);

#[derive(Clone, Debug)]
enum ScheduledAction {
    Report(Link),
    Close(Link, LinkCloseReason),
}

impl ScheduledActions {
    pub(super) fn schedule_report(&mut self, link: Link, now: Timestamp) {
        self.0.push((now, ScheduledAction::Report(link)));
    }

    /// Schedules closing a link, replacing any earlier schedule for it.
    pub(super) fn schedule_close(
        &mut self,
        link: Link,
        why: LinkCloseReason,
        delay: Duration,
        now: Timestamp,
    ) {
        self.cancel_close(&link);
        self.0
            .push((after(now, delay), ScheduledAction::Close(link, why)));
    }

    /// Cancels closing a link that is already closed.
    pub(super) fn cancel_close(&mut self, link: &Link) {
        self.0.retain(|(_, chore)| !chore.closes(link));
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        self.0.iter().map(|(due, _)| *due).min()
    }

    /// Removes and returns due actions, oldest first.
    pub(super) fn take_due(&mut self, now: Timestamp) -> Vec<Action> {
        let mut due: Vec<_> = self.0.extract_if(.., |(due, _)| *due <= now).collect();
        due.sort_by_key(|(due, _)| *due);
        let action = |(_, chore)| match chore {
            ScheduledAction::Report(link) => Action::ReportDuplicate(link),
            ScheduledAction::Close(link, why) => Action::Close(link, why),
        };
        due.into_iter().map(action).collect()
    }
}

impl ScheduledAction {
    fn closes(&self, link: &Link) -> bool {
        matches!(self, Self::Close(closing, _) if closing == link)
    }
}
