//! How many connections a group has, and how fast they are dialed.

use crate::group::{Backoff, Jitter};
use crate::kind::{ChannelKind, Role};
use std::time::Duration;

/// How many connections a group is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// That carry everything; at least one.
    pub default: usize,
    /// For urgent messages alone.
    pub high: usize,
}

/// How a group is dialed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DialOptions {
    /// What the channel is used for.
    pub kind: ChannelKind,
    /// From the first connection of a group to the next.
    pub startup_delay: Duration,
    /// Between two dials, at least.
    pub gap: Duration,
    /// After a failure before there is a group.
    pub connect: Backoff,
    /// After a failure from then on.
    pub redial: Backoff,
    /// A connection that lives shorter than this counts as a failure; zero if none does.
    pub short_lived: Duration,
}

impl DialOptions {
    /// As real dialers do it: a router has its second connection to the controller after 5 s and leaves
    /// 1 s between dials; links have theirs after 3 s and all at once. Redials back off from 2 s to 60 s,
    /// first connections from 50 ms to 5 min.
    pub const fn new(kind: ChannelKind) -> Self {
        let (startup_delay, gap, short_lived) = match kind {
            ChannelKind::Control => (5, 1, 0),
            ChannelKind::Link => (3, 0, 30),
            ChannelKind::Edge | ChannelKind::Management => (0, 0, 0),
        };
        Self {
            kind,
            startup_delay: Duration::from_secs(startup_delay),
            gap: Duration::from_secs(gap),
            connect: Backoff {
                first: Duration::from_millis(50),
                most: Duration::from_mins(5),
                jitter: Jitter::Half,
            },
            redial: Backoff {
                first: Duration::from_secs(2),
                most: Duration::from_mins(1),
                jitter: Jitter::None,
            },
            short_lived: Duration::from_secs(short_lived),
        }
    }
}

impl Wanted {
    pub(super) const fn add(&mut self, role: Role) {
        let count = self.of(role);
        *count = count.saturating_add(1);
    }

    pub(super) const fn remove(&mut self, role: Role) {
        let count = self.of(role);
        *count = count.saturating_sub(1);
    }

    const fn of(&mut self, role: Role) -> &mut usize {
        match role {
            Role::Default => &mut self.default,
            Role::High => &mut self.high,
        }
    }
}
