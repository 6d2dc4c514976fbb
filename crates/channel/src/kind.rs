//! The protocols that stand on channels, as far as channels differ by them.

use crate::frame::FrameLimits;
use crate::heartbeat::HeartbeatOptions;
use std::time::Duration;

/// What a channel is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelKind {
    /// Between a router and a controller: connections `ctrl.default` and `ctrl.high`.
    Control,
    /// Between two routers: connections `link.default` and `link.ack`.
    Link,
    /// Between an SDK and a router: connections `edge.default` and `edge.control`.
    Edge,
    /// Between an administrator's program and a controller: one connection, no hello.
    Management,
}

/// Who of the two a channel belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Opened its connections.
    Dialer,
    /// Accepted its connections.
    Listener,
}

/// What a connection does within its channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Carries everything, unless another one is there for it.
    Default,
    /// Carries what is sent with [`Priority::High`], and nothing else.
    High,
}

/// How urgent a message is. Messages of one priority keep their order, as far as connections allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Goes before the others: routes and circuits between controller and router, acknowledgements on a
    /// link, requests between SDK and router.
    High,
    /// All the rest: on a link and between SDK and router, data.
    Default,
}

impl Priority {
    /// Both, in the order in which they are sent.
    pub(crate) const ALL: [Self; 2] = [Self::High, Self::Default];
}

impl ChannelKind {
    /// What a connection is for by the type that its hello names (header 7). Every type but the urgent
    /// one counts as default, and so does none, as with peers that know no groups.
    pub fn role(self, underlay_type: Option<&str>) -> Role {
        match underlay_type {
            Some(text) if self.underlay_type(Role::High) == Some(text) => Role::High,
            _ => Role::Default,
        }
    }

    /// The type that the hello of such a connection names.
    pub const fn underlay_type(self, role: Role) -> Option<&'static str> {
        match (self, role) {
            (Self::Control, Role::Default) => Some("ctrl.default"),
            (Self::Control, Role::High) => Some("ctrl.high"),
            (Self::Link, Role::Default) => Some("link.default"),
            (Self::Link, Role::High) => Some("link.ack"),
            (Self::Edge, Role::Default) => Some("edge.default"),
            (Self::Edge, Role::High) => Some("edge.control"),
            (Self::Management, _) => None,
        }
    }

    /// Whether default connections carry urgent messages even while there are connections for them. On a
    /// link they do; elsewhere they only stand in for them.
    pub(crate) const fn default_always_carries_high(self) -> bool {
        matches!(self, Self::Link)
    }

    /// Whether all that is not urgent stays on one connection, so that its order holds. Reports about
    /// links rely on it. Links and SDKs use all connections they have, and have order within a circuit by
    /// other means.
    pub(crate) const fn keeps_order(self) -> bool {
        matches!(self, Self::Control | Self::Management)
    }

    /// Whether the channel ends with its last default connection, even if others are left.
    pub(crate) const fn ends_without_default(self) -> bool {
        !matches!(self, Self::Control)
    }

    /// Whether the channel outlives its last connection: a router redials its controller and goes on
    /// where it was; the controller, and everybody else, starts anew.
    pub(crate) const fn outlives_connections(self, side: Side) -> bool {
        matches!((self, side), (Self::Control, Side::Dialer))
    }

    /// Whether a ping is answered, by the controller alone.
    pub(crate) const fn answers_ping(self, side: Side) -> bool {
        matches!((self, side), (Self::Control, Side::Listener))
    }

    /// Whether latency probes are answered. An SDK closes its channel if they are not.
    pub(crate) const fn answers_latency(self) -> bool {
        matches!(self, Self::Link | Self::Edge)
    }

    /// How long frames from the other side may be. An SDK and an administrator's program have no reason
    /// to send what controllers and routers send.
    pub const fn frame_limits(self, side: Side) -> FrameLimits {
        const MIB: u32 = 1024 * 1024;
        match (self, side) {
            (Self::Link, _) => FrameLimits::LARGE.with_body(4 * MIB),
            (Self::Edge | Self::Management, Side::Listener) => FrameLimits::LARGE.with_body(MIB),
            _ => FrameLimits::LARGE,
        }
    }

    /// Heartbeats as real peers have them; none between SDK and router and for administrators.
    pub const fn heartbeats(self, side: Side) -> Option<HeartbeatOptions> {
        let usual = HeartbeatOptions {
            send_interval: Duration::from_secs(10),
            check_interval: Duration::from_secs(1),
            answer_within: Duration::from_millis(2),
            close_after: Duration::from_secs(30),
            grace: Duration::ZERO,
        };
        match (self, side) {
            (Self::Control, Side::Dialer) => Some(usual),
            (Self::Control, Side::Listener) => Some(HeartbeatOptions {
                grace: Duration::from_mins(1),
                ..usual
            }),
            (Self::Link, _) => Some(HeartbeatOptions {
                close_after: Duration::from_mins(1),
                grace: Duration::from_mins(2),
                ..usual
            }),
            (Self::Edge | Self::Management, _) => None,
        }
    }
}
