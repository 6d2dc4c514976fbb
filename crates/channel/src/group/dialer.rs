//! The dialer's side of groups: timing and ids of connections.
//!
//! The very first hello founds a group without naming it; the listener's answer contains id and
//! secret. Further connections follow after a while, one at a time, and present both. When a router
//! has lost all connections to its controller, it tries to attach to the existing group. A listener
//! that has forgotten the group closes that connection without an answer; then a group `<id>-1`,
//! `<id>-2` … is founded with the old secret. A link and the channel of an SDK end instead.

mod dial;
mod options;

pub use dial::{AnswerMismatchError, Dial, DialFailure};
pub use options::{ConnectionCounts, DialOptions};

use super::{Backoff, ChannelGrant, GroupId, GroupSecret};
use crate::channel_kind::Role;
use crate::hello::{Accepted, GroupHello};
use crate::time::Moment;
use std::time::Duration;

/// Decides which connections to dial, and when.
///
/// One dial is in progress at a time. Each ends with [`handle_accepted`](Self::handle_accepted) or
/// [`handle_failed`](Self::handle_failed), and each accepted connection with
/// [`handle_lost`](Self::handle_lost).
#[derive(Debug)]
pub struct GroupDialer {
    options: DialOptions,
    target: ConnectionCounts,
    active: ConnectionCounts,
    phase: Phase,
    group: Option<Group>,
    is_dialing: bool,
    failures: u32,
    /// Earliest next dial, after the gap and the backoff.
    not_before: Moment,
    /// Earliest next dial, after the gap alone.
    gap_until: Moment,
    /// When a new group gets its second connection.
    extend_from: Moment,
    version_retried: bool,
}

/// Purpose of the next connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// There is no group yet.
    Connect,
    /// There is a group, to which connections are added.
    Extend,
    /// The listener does not support groups: there is only one connection.
    Ungrouped,
    /// All connections are lost; the group may still exist.
    Attach,
    /// The group is gone and will be replaced.
    Replace,
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
    /// Creates a dialer that starts at once.
    pub const fn new(options: DialOptions, wanted: ConnectionCounts, now: Moment) -> Self {
        Self {
            options,
            target: wanted,
            active: ConnectionCounts {
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

    /// Changes the number of connections, for example as the answer to the first hello suggests.
    /// None is closed.
    pub const fn set_target(&mut self, wanted: ConnectionCounts) {
        self.target = wanted;
    }

    /// Stops dialing.
    pub const fn finish(&mut self) {
        self.phase = Phase::Finished;
    }

    /// Whether the group has ended. Create a new dialer to start over.
    pub const fn is_finished(&self) -> bool {
        matches!(self.phase, Phase::Finished)
    }

    /// When [`poll_dial`](Self::poll_dial) will return a dial, unless a connection is lost before.
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

    /// Handles an accepted connection. Returns the grant for attaching it to the channel.
    pub fn handle_accepted(
        &mut self,
        dial: &Dial,
        answer: &Accepted,
        random: u32,
        now: Moment,
    ) -> Result<ChannelGrant, AnswerMismatchError> {
        let grant = dial.verify_answer(answer).inspect_err(|_mismatch| {
            self.handle_failed(dial, DialFailure::Unreachable, random, now);
        })?;
        self.is_dialing = false;
        self.record_group(&grant);
        self.version_retried = false;
        if self.options.short_lived.is_zero() {
            self.failures = 0;
        }
        self.active.add(dial.role);
        if !matches!(self.phase, Phase::Extend | Phase::Finished) {
            let is_grouped = grant.secret().is_some();
            self.phase = if is_grouped {
                Phase::Extend
            } else {
                Phase::Ungrouped
            };
            self.extend_from = now + self.options.startup_delay;
        }
        Ok(grant)
    }

    /// Handles a failed dial. `random` is any random number.
    pub fn handle_failed(&mut self, dial: &Dial, failure: DialFailure, random: u32, now: Moment) {
        self.is_dialing = false;
        let knows_ours = failure
            == DialFailure::UnsupportedVersion {
                includes_ours: true,
            };
        if knows_ours && !std::mem::replace(&mut self.version_retried, true) {
            self.not_before = now;
            return;
        }
        let is_gone = matches!(failure, DialFailure::Closed | DialFailure::Rejected);
        if self.phase == Phase::Attach && is_gone && !dial.hello.is_first {
            self.phase = Phase::Replace;
        }
        self.back_off(random, now);
    }

    /// Handles the loss of an accepted connection after the time `lived`.
    pub fn handle_lost(&mut self, role: Role, lived: Duration, random: u32, now: Moment) {
        self.active.remove(role);
        self.phase = self.phase_after_loss();
        if lived < self.options.short_lived {
            self.back_off(random, now);
        } else {
            // Failures of another connection are no reason to delay this one.
            self.failures = 0;
            self.not_before = self.gap_until.max(now);
        }
    }

    /// Keeps the id and secret of the group from the first connection on.
    fn record_group(&mut self, grant: &ChannelGrant) {
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
            _ if kind.ends_without_default() && self.active.default == 0 => Phase::Finished,
            phase if self.active.default > 0 || self.active.high > 0 => phase,
            Phase::Ungrouped | Phase::Connect => Phase::Connect,
            Phase::Replace => Phase::Replace,
            Phase::Extend | Phase::Attach => Phase::Attach,
        }
    }

    fn back_off(&mut self, random: u32, now: Moment) {
        self.failures = self.failures.saturating_add(1);
        let backoff: Backoff = match self.phase {
            Phase::Connect => self.options.connect,
            _ => self.options.redial,
        };
        let pause = backoff.delay(self.failures, random);
        self.not_before = self.not_before.max(now + pause);
    }

    /// Role of the next connection, if one is needed.
    fn next_role(&self) -> Option<Role> {
        match self.phase {
            _ if self.is_dialing => None,
            Phase::Connect | Phase::Attach | Phase::Replace => Some(Role::Default),
            Phase::Extend if self.active.default < self.target.default => Some(Role::Default),
            Phase::Extend if self.active.high < self.target.high => Some(Role::High),
            Phase::Extend | Phase::Ungrouped | Phase::Finished => None,
        }
    }

    fn next_hello(&mut self) -> GroupHello {
        let is_first = matches!(self.phase, Phase::Connect | Phase::Replace);
        let group = match &mut self.group {
            Some(group) if self.phase != Phase::Connect => group,
            _ => {
                return GroupHello {
                    is_first,
                    ..GroupHello::default()
                };
            },
        };
        if self.phase == Phase::Replace {
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
