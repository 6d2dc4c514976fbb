//! A router made of the project's own parts: what a controller sees of a router of OpenZiti 2.1.

mod connector;
mod identity;

pub use identity::{RouterEnrollment, RouterIdentity};

use crate::tls_client::soon;
use connector::ControllerConnector;
use portcullis_channel::group::{ConnectionCounts, DialFailure, DialOptions};
use portcullis_channel::{
    BuildVersion, ChannelKind, ChannelOptions, ChannelSide, Frame, Priority, REQUEST_TIMEOUT,
    ReplyTo, UnixNanos,
};
use portcullis_transport::{
    ChannelHandle, Clock, Group, GroupSettings, Inbox, Transport, TransportLimits,
};
use portcullis_wire::capability::{Capabilities, RouterCapability};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::hello::{ControllerHello, RouterHello};
use portcullis_wire::control::peer::Listener;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::oneshot;

/// What a router says of itself, and how it connects.
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
}

/// A controller has not accepted a router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub failure: DialFailure,
    pub reason: String,
}

/// A router that is connected to a controller, and replaces connections that it loses.
///
/// Dropping it ends it. Any number of them may live in one process.
#[derive(Debug)]
pub struct TestRouter {
    pub id: String,
    pub handle: ChannelHandle,
    /// What the controller says of itself.
    pub controller: ControllerHello,
    /// The id under which the controller is known to routers.
    pub controller_id: String,
    inbox: Inbox,
    /// Messages that came before the one that was expected.
    passed_over: VecDeque<Frame>,
}

impl TestRouter {
    /// Connects as a router of version 2.1.
    pub async fn connect(address: SocketAddr, identity: &RouterIdentity) -> Self {
        Self::try_connect(address, identity, RouterOptions::default())
            .await
            .unwrap()
    }

    /// Connects, unless the first connection is refused.
    pub async fn try_connect(
        address: SocketAddr,
        identity: &RouterIdentity,
        options: RouterOptions,
    ) -> Result<Self, Refused> {
        let limits = TransportLimits::default();
        let transport = Transport::new(Clock::start(UnixNanos(0)), limits);
        let settings = GroupSettings {
            connections: options.connections,
            dialing: options.dialing,
            ..GroupSettings::new(
                identity.id.clone(),
                options.hello.to_headers(),
                options.channel,
            )
        };
        let connector = ControllerConnector::new(address, identity);
        let (refuse, mut refused) = oneshot::channel();
        let mut refuse = Some(refuse);
        let opening = Group::open(&transport, settings, connector, move |error| {
            let refusal = Refused {
                failure: error.failure(),
                reason: error.to_string(),
            };
            if let Some(refuse) = refuse.take() {
                let _ = refuse.send(refusal);
            }
        });
        let group = tokio::select! {
            group = opening => group,
            Ok(refusal) = &mut refused => return Err(refusal),
        };
        Ok(Self {
            id: identity.id.clone(),
            handle: group.handle,
            controller: ControllerHello::from_headers(&group.answer.headers).unwrap(),
            controller_id: group.answer.responder.unwrap(),
            inbox: group.inbox,
            passed_over: VecDeque::new(),
        })
    }

    /// Sends a message with the priority that routers give it.
    pub fn send(&self, message: &ControlMessage) {
        let encoded = message.encode().unwrap();
        self.handle.send(message.priority(), encoded).unwrap();
    }

    /// Sends a request, and waits for its reply.
    pub async fn request(&self, message: &ControlMessage) -> ControlMessage {
        let encoded = message.encode().unwrap();
        let reply = self
            .handle
            .request(message.priority(), encoded, REQUEST_TIMEOUT);
        let frame = soon(reply.unwrap()).await.unwrap();
        ControlMessage::decode(&frame.into_message()).unwrap()
    }

    pub fn reply(&self, request: &ReplyTo, message: &ControlMessage) {
        let encoded = message.encode().unwrap();
        self.handle
            .reply(request, message.priority(), encoded)
            .unwrap();
    }

    /// The next message that is no awaited reply.
    pub async fn next(&mut self) -> Frame {
        match self.passed_over.pop_front() {
            Some(frame) => frame,
            None => soon(self.inbox.next()).await.expect("an open channel"),
        }
    }

    /// The next message that `wanted` accepts, with what a reply to it needs. Others before it are kept
    /// for later.
    pub async fn expect<T>(
        &mut self,
        wanted: impl Fn(&ControlMessage) -> Option<T>,
    ) -> (T, ReplyTo) {
        let accept = |frame: &Frame| {
            let message = ControlMessage::decode(&frame.clone().into_message()).unwrap();
            wanted(&message).map(|found| (found, frame.reply_to()))
        };
        for place in 0..self.passed_over.len() {
            if let Some(found) = accept(&self.passed_over[place]) {
                self.passed_over.remove(place);
                return found;
            }
        }
        loop {
            let frame = soon(self.inbox.next()).await.expect("an open channel");
            match accept(&frame) {
                Some(found) => return found,
                None => self.passed_over.push_back(frame),
            }
        }
    }

    /// Waits until there are so many connections to the controller, as the router sees it.
    pub async fn has_connections(&self, count: usize) {
        soon(async {
            while self.handle.connections() != count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }

    /// Sends a message with a priority of the test's choosing.
    pub fn send_raw(&self, priority: Priority, message: portcullis_channel::Message) {
        self.handle.send(priority, message).unwrap();
    }
}
