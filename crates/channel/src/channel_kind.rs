//! The protocols on top of channels, as far as channels differ by them.

use crate::frame::FrameLimits;
use crate::heartbeat::HeartbeatOptions;
use std::time::Duration;

/// Protocol of a channel.
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

/// End of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelSide {
    /// The end that opens connections.
    Dialer,
    /// The end that accepts connections.
    Listener,
}

/// Role of a connection within its channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Carries everything, unless there is a dedicated connection for it.
    Default,
    /// Carries messages with [`Priority::High`] only.
    High,
}

/// Priority of a message. Messages of one priority keep their order, as far as connections allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Sent first: routes and circuits between controller and router, acknowledgements on a link,
    /// requests between SDK and router.
    High,
    /// Everything else, such as data on a link and between SDK and router.
    Default,
}

impl Priority {
    /// Both, in sending order.
    pub(crate) const ALL: [Self; 2] = [Self::High, Self::Default];
}

impl ChannelKind {
    /// The role of a connection by the type in its hello (header 7). Every type but the
    /// high-priority one counts as default, and so does a missing one, as with peers that do not
    /// support groups.
    pub fn role(self, underlay_type: Option<&str>) -> Role {
        match underlay_type {
            Some(text) if self.underlay_type(Role::High) == Some(text) => Role::High,
            _ => Role::Default,
        }
    }

    /// The connection type in a hello for this role.
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

    /// Whether default connections carry high-priority messages even while there are dedicated
    /// connections. On a link they do; elsewhere they are only a fallback.
    pub(crate) const fn default_always_carries_high(self) -> bool {
        matches!(self, Self::Link)
    }

    /// Whether default messages stay on one connection to keep their order, as reports about links
    /// require. Links and SDKs use all connections they have; there, a flow keeps its order.
    pub(crate) const fn keeps_order(self) -> bool {
        matches!(self, Self::Control | Self::Management)
    }

    /// Whether the channel ends with its last default connection, even if others are left.
    pub(crate) const fn ends_without_default(self) -> bool {
        !matches!(self, Self::Control)
    }

    /// Whether the channel survives the loss of all connections: a router redials its controller and
    /// continues; the controller and all others start over.
    pub(crate) const fn outlives_connections(self, side: ChannelSide) -> bool {
        matches!((self, side), (Self::Control, ChannelSide::Dialer))
    }

    /// Whether pings are answered, which only the controller does.
    pub(crate) const fn answers_ping(self, side: ChannelSide) -> bool {
        matches!((self, side), (Self::Control, ChannelSide::Listener))
    }

    /// Whether latency probes are answered. An SDK closes its channel if they are not.
    pub(crate) const fn answers_latency(self) -> bool {
        matches!(self, Self::Link | Self::Edge)
    }

    /// Size limits for frames from the peer. Administrators' programs have no reason to send as much as
    /// controllers and routers. SDKs send what a program writes at once as one message, which links carry as
    /// it is, since it may be encrypted.
    pub const fn frame_limits(self, side: ChannelSide) -> FrameLimits {
        const MIB: u32 = 1024 * 1024;
        match (self, side) {
            (Self::Link, _) | (Self::Edge, ChannelSide::Listener) => {
                FrameLimits::LARGE.with_body(16 * MIB)
            },
            (Self::Management, ChannelSide::Listener) => FrameLimits::LARGE.with_body(MIB),
            _ => FrameLimits::LARGE,
        }
    }

    /// Heartbeat options of existing peers; none between SDK and router and for administrators.
    pub const fn heartbeats(self, side: ChannelSide) -> Option<HeartbeatOptions> {
        let usual = HeartbeatOptions {
            send_interval: Duration::from_secs(10),
            check_interval: Duration::from_secs(1),
            answer_within: Duration::from_millis(2),
            close_after: Duration::from_secs(30),
            grace: Duration::ZERO,
        };
        match (self, side) {
            (Self::Control, ChannelSide::Dialer) => Some(usual),
            (Self::Control, ChannelSide::Listener) => Some(HeartbeatOptions {
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
