//! The dialer's side: which connection of a group is dialed when, and with which id.
//!
//! The very first hello founds a group without naming it; the listener's answer brings id and secret. The
//! further connections follow after a while, one at a time, and show both. When all connections of a
//! router to its controller are lost, it tries to attach to the group as it was. The listener, which has
//! forgotten the group, closes that connection without an answer; then a group `<id>-1`, `<id>-2` … is
//! founded with the old secret. A link and the channel of an SDK end instead.

mod dial;
mod options;

pub use dial::{AnswerMismatch, Dial, DialFailure};
pub use options::{DialOptions, Wanted};

use super::{Backoff, Grant, GroupId, GroupSecret};
use crate::hello::{Accepted, GroupHello};
use crate::kind::Role;
use crate::time::Moment;
use std::time::Duration;

/// Says which connections to dial.
///
/// One dial is under way at a time. Each ends with [`handle_accepted`](Self::handle_accepted) or
/// [`handle_failed`](Self::handle_failed), and each connection that was accepted with
/// [`handle_lost`](Self::handle_lost).
#[derive(Debug)]
pub struct GroupDialer {
    options: DialOptions,
    wanted: Wanted,
    up: Wanted,
    phase: Phase,
    group: Option<Group>,
    is_dialing: bool,
    failures: u32,
    /// The pause after the last dial, and after failures.
    not_before: Moment,
    /// The pause after the last dial alone.
    gap_until: Moment,
    /// When a new group gets its second connection.
    extend_from: Moment,
    version_retried: bool,
}

/// What the next connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// There is no group yet.
    Connect,
    /// There is a group, to which connections are added.
    Extend,
    /// The listener knows no groups: one connection is all.
    Alone,
    /// All connections are lost; the group may still be there.
    Attach,
    /// The group is gone; one takes its place.
    Found,
    /// Nothing is dialed any more.
    Finished,
}

#[derive(Debug)]
struct Group {
    base: GroupId,
    current: GroupId,
    secret: GroupSecret,
    successors: u32,
}

impl GroupDialer {
    /// A dialer that begins at once.
    pub const fn new(options: DialOptions, wanted: Wanted, now: Moment) -> Self {
        Self {
            options,
            wanted,
            up: Wanted {
                default: 0,
                high: 0,
            },
            phase: Phase::Connect,
            group: None,
            is_dialing: false,
            failures: 0,
            not_before: now,
            gap_until: now,
            extend_from: now,
            version_retried: false,
        }
    }

    /// Changes how many connections there are to be, as the answer to the first hello suggests. None is
    /// closed.
    pub const fn want(&mut self, wanted: Wanted) {
        self.wanted = wanted;
    }

    /// Dials no more.
    pub const fn finish(&mut self) {
        self.phase = Phase::Finished;
    }

    /// Whether the group is over. A new dialer starts anew.
    pub const fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Finished)
    }

    /// When [`poll_dial`](Self::poll_dial) has something, unless a connection is lost before.
    pub fn poll_timeout(&self) -> Option<Moment> {
        let from = match self.phase {
            Phase::Extend => self.not_before.max(self.extend_from),
            _ => self.not_before,
        };
        self.next_role().map(|_| from)
    }

    /// The connection to dial now.
    pub fn poll_dial(&mut self, now: Moment) -> Option<Dial> {
        let role = self.next_role()?;
        self.poll_timeout().filter(|from| *from <= now)?;
        let hello = self.next_hello();
        self.is_dialing = true;
        self.gap_until = now + self.options.gap;
        self.not_before = self.gap_until;
        Some(Dial { role, hello })
    }

    /// A listener has accepted a connection. Returns what entitles it to be part of the channel.
    pub fn handle_accepted(
        &mut self,
        dial: &Dial,
        answer: &Accepted,
        random: u32,
        now: Moment,
    ) -> Result<Grant, AnswerMismatch> {
        let grant = dial.join(answer).inspect_err(|_mismatch| {
            self.handle_failed(dial, DialFailure::Unreachable, random, now);
        })?;
        self.is_dialing = false;
        self.remember(&grant);
        self.version_retried = false;
        if self.options.short_lived.is_zero() {
            self.failures = 0;
        }
        self.up.add(dial.role);
        if !matches!(self.phase, Phase::Extend | Phase::Finished) {
            let is_grouped = grant.secret().is_some();
            self.phase = if is_grouped {
                Phase::Extend
            } else {
                Phase::Alone
            };
            self.extend_from = now + self.options.startup_delay;
        }
        Ok(grant)
    }

    /// A dial came to nothing. `random` is any random number.
    pub fn handle_failed(&mut self, dial: &Dial, failure: DialFailure, random: u32, now: Moment) {
        self.is_dialing = false;
        let knows_ours = failure == DialFailure::OtherVersion { knows_ours: true };
        if knows_ours && !std::mem::replace(&mut self.version_retried, true) {
            self.not_before = now;
            return;
        }
        let is_gone = matches!(failure, DialFailure::Closed | DialFailure::Rejected);
        if self.phase == Phase::Attach && is_gone && !dial.hello.is_first {
            self.phase = Phase::Found;
        }
        self.back_off(random, now);
    }

    /// A connection that was accepted is lost, after it has lived for so long.
    pub fn handle_lost(&mut self, role: Role, lived: Duration, random: u32, now: Moment) {
        self.up.remove(role);
        self.phase = self.phase_after_loss();
        if lived < self.options.short_lived {
            self.back_off(random, now);
        } else {
            // Failures of another connection are no reason to let this one wait.
            self.failures = 0;
            self.not_before = self.gap_until.max(now);
        }
    }

    /// The group that the first connection has founded keeps its name and its secret from then on.
    fn remember(&mut self, grant: &Grant) {
        if let Some(secret) = grant.secret() {
            self.group.get_or_insert_with(|| Group {
                base: grant.id().clone(),
                current: grant.id().clone(),
                secret: secret.clone(),
                successors: 0,
            });
        }
    }

    fn phase_after_loss(&self) -> Phase {
        let kind = self.options.kind;
        match self.phase {
            Phase::Finished => Phase::Finished,
            _ if kind.ends_without_default() && self.up.default == 0 => Phase::Finished,
            phase if self.up.default > 0 || self.up.high > 0 => phase,
            Phase::Alone | Phase::Connect => Phase::Connect,
            Phase::Found => Phase::Found,
            Phase::Extend | Phase::Attach => Phase::Attach,
        }
    }

    fn back_off(&mut self, random: u32, now: Moment) {
        self.failures = self.failures.saturating_add(1);
        let backoff: Backoff = match self.phase {
            Phase::Connect => self.options.connect,
            _ => self.options.redial,
        };
        let pause = backoff.pause(self.failures, random);
        self.not_before = self.not_before.max(now + pause);
    }

    /// What the next connection is for; none if none is needed.
    fn next_role(&self) -> Option<Role> {
        match self.phase {
            _ if self.is_dialing => None,
            Phase::Connect | Phase::Attach | Phase::Found => Some(Role::Default),
            Phase::Extend if self.up.default < self.wanted.default => Some(Role::Default),
            Phase::Extend if self.up.high < self.wanted.high => Some(Role::High),
            Phase::Extend | Phase::Alone | Phase::Finished => None,
        }
    }

    fn next_hello(&mut self) -> GroupHello {
        let is_first = matches!(self.phase, Phase::Connect | Phase::Found);
        let group = match &mut self.group {
            Some(group) if self.phase != Phase::Connect => group,
            _ => {
                return GroupHello {
                    is_first,
                    ..GroupHello::default()
                };
            },
        };
        if self.phase == Phase::Found {
            group.successors = group.successors.saturating_add(1);
            group.current = group.base.successor(group.successors);
        }
        GroupHello {
            id: Some(group.current.clone()),
            secret: Some(group.secret.clone()),
            is_first,
        }
    }
}
