//! Options of group dialers.

use crate::channel_kind::{ChannelKind, Role};
use crate::group::{Backoff, Jitter};
use std::time::Duration;

/// Number of connections of a group by role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionCounts {
    /// Connections that carry everything; at least one.
    pub default: usize,
    /// Connections for high-priority messages only.
    pub high: usize,
}

/// Timing of a group dialer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DialOptions {
    pub kind: ChannelKind,
    /// Delay between the first connection of a group and the next.
    pub startup_delay: Duration,
    /// Minimum time between two dials.
    pub gap: Duration,
    /// Backoff until there is a group.
    pub connect: Backoff,
    /// Backoff from then on.
    pub redial: Backoff,
    /// A connection that lives shorter than this counts as a failure; zero disables this.
    pub short_lived: Duration,
}

impl DialOptions {
    /// Same as existing dialers: a router opens its second connection to the controller after 5 s
    /// and leaves 1 s between dials; links open theirs after 3 s and all at once. Redials back off
    /// from 2 s to 60 s, first connections from 50 ms to 5 min.
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
                initial: Duration::from_millis(50),
                max: Duration::from_mins(5),
                jitter: Jitter::Half,
            },
            redial: Backoff {
                initial: Duration::from_secs(2),
                max: Duration::from_mins(1),
                jitter: Jitter::None,
            },
            short_lived: Duration::from_secs(short_lived),
        }
    }
}

impl ConnectionCounts {
    pub(super) const fn add(&mut self, role: Role) {
        let count = self.count_mut(role);
        *count = count.saturating_add(1);
    }

    pub(super) const fn remove(&mut self, role: Role) {
        let count = self.count_mut(role);
        *count = count.saturating_sub(1);
    }

    const fn count_mut(&mut self, role: Role) -> &mut usize {
        match role {
            Role::Default => &mut self.default,
            Role::High => &mut self.high,
        }
    }
}
