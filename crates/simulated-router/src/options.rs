//! What a router says of itself, and how it connects.

use portcullis_channel::group::{Backoff, ConnectionCounts, DialOptions, Jitter};
use portcullis_channel::{BuildVersion, ChannelKind, ChannelOptions, ChannelSide};
use portcullis_wire::capability::{Capabilities, RouterCapability};
use portcullis_wire::control::hello::RouterHello;
use portcullis_wire::control::peer::Listener;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct RouterOptions {
    pub hello: RouterHello,
    pub connections: ConnectionCounts,
    pub dialing: DialOptions,
    pub channel: ChannelOptions,
}

impl Default for RouterOptions {
    /// A router of version 2.1 with a listener for links and one connection.
    fn default() -> Self {
        Self {
            hello: RouterHello {
                version: BuildVersion {
                    version: "v2.1.0".to_owned(),
                    revision: "0000000".to_owned(),
                    build_date: "2026-01-01T00:00:00Z".to_owned(),
                    os: "linux".to_owned(),
                    arch: "amd64".to_owned(),
                },
                capabilities: Capabilities::of([
                    RouterCapability::MultiChannel,
                    RouterCapability::ConnectV2,
                    RouterCapability::ServiceSubscriptions,
                    RouterCapability::PostureChecks,
                    RouterCapability::BindSuccess,
                    RouterCapability::RouterDataModel,
                ]),
                listeners: vec![Listener {
                    address: "tls:127.0.0.1:15231".to_owned(),
                    protocol: "tls".to_owned(),
                    groups: vec!["default".to_owned()],
                    local_binding: "lo".to_owned(),
                }],
                control_listeners: Vec::new(),
                unreadable: Vec::new(),
            },
            connections: ConnectionCounts {
                default: 1,
                high: 0,
            },
            dialing: DialOptions::new(ChannelKind::Control),
            channel: ChannelOptions::new(ChannelKind::Control, ChannelSide::Dialer),
        }
    }
}

impl RouterOptions {
    /// Opens a connection for urgent messages as well, at once rather than after seconds.
    #[must_use]
    pub fn with_two_connections(mut self) -> Self {
        self.connections.high = 1;
        self.dialing.startup_delay = Duration::ZERO;
        self.dialing.gap = Duration::from_millis(10);
        self
    }

    /// Replaces connections that it has lost at once rather than after seconds.
    #[must_use]
    pub fn with_quick_redials(mut self) -> Self {
        self.dialing.gap = Duration::ZERO;
        self.dialing.redial = Backoff {
            initial: Duration::from_millis(20),
            max: Duration::from_millis(200),
            jitter: Jitter::Half,
        };
        self
    }
}
