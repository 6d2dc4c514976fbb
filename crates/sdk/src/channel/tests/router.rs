//! A router whose part is played by hand, over a stream in memory.

use crate::channel::{OpenedChannel, RouterChannel, Stop, Updates};
use crate::sessions::Sessions;
use portcullis_channel::group::{ChannelGrant, GroupId};
use portcullis_channel::hello::Grouping;
use portcullis_channel::{ChannelKind, ChannelOptions, ChannelSide, Headers, Role, UnixNanos};
use portcullis_client::Url;
use portcullis_domain::ids::IdentityId;
use portcullis_domain::posture::Report;
use portcullis_edge_session::{ApiSession, SessionKind, SessionState};
use portcullis_sdk_proto as proto;
use portcullis_sdk_proto::{EdgeOptions, RouterTerms};
use portcullis_system::SystemClock;
use portcullis_transport::{
    ChannelHandle, Clock, Inbox, Incoming, Transport, TransportLimits, dial,
};
use portcullis_wire::Token;
use portcullis_wire::capability::{Capabilities, RouterCapability};
use portcullis_wire::edge::{EdgeMessage, InspectRequest};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

const SOON: Duration = Duration::from_secs(20);

/// The token of a session of OpenID Connect.
pub(super) const JWT: &str = "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl";

/// The router's end of a channel.
pub(super) struct Router {
    handle: ChannelHandle,
    inbox: Inbox,
    /// Where the SDK has its session from.
    states: watch::Sender<SessionState>,
    stop: watch::Sender<Stop>,
}

/// A channel of a legacy session.
pub(super) async fn connected() -> (RouterChannel, Router) {
    connected_by("97b1c2b4-5f0a-4f0b-8f0a-0e5ad2a8a001").await
}

/// A channel to a router that ends circuits itself, over a stream that holds little.
pub(super) async fn connected_by(token: &str) -> (RouterChannel, Router) {
    connected_with(token, &[]).await
}

/// The same by a program that has found out its posture before.
pub(super) async fn connected_with(token: &str, posture: &[Report]) -> (RouterChannel, Router) {
    let (near, far) = tokio::io::duplex(16 * 1024);
    let clock = Clock::start(UnixNanos(1));
    let limits = TransportLimits {
        inbox_bytes: 64 * 1024,
        ..TransportLimits::default()
    };
    let transport = Transport::new(clock, limits);
    let session = proto::ApiSession {
        token: Token::new(token.to_owned()),
        expires_at: None,
    };
    let hello = session.hello("a program".to_owned(), Role::Default, Grouping::Ungrouped);
    let deadline = Instant::now() + SOON;
    let grant = || ChannelGrant::ungrouped(GroupId::new("r1").unwrap());
    let listening = async {
        let incoming = Incoming::read(far, deadline).await.unwrap();
        let headers = Headers::empty();
        incoming.accept(&grant(), "r1", &headers).await.unwrap()
    };
    let (dialed, accepted) = tokio::join!(dial(near, &hello, deadline), listening);
    let dialed = dialed.unwrap();
    let options = |side| ChannelOptions::new(ChannelKind::Edge, side);
    let (handle, inbox) = transport.open(grant(), options(ChannelSide::Listener), accepted);
    let (states, seen) = watch::channel(SessionState::LoggingIn);
    let (stop, stopped) = watch::channel(Stop::Never);
    let router = Router {
        handle,
        inbox,
        states,
        stop,
    };

    let terms = RouterTerms {
        capabilities: Capabilities::of([RouterCapability::PostureChecks]),
        ..RouterTerms::from_answer(&dialed.answer)
    };
    let options = options(ChannelSide::Dialer);
    let (handle, inbox) = transport.open(grant(), options, dialed.connected);
    let parts = OpenedChannel {
        handle,
        inbox,
        terms,
        session,
        hello_time: Duration::from_millis(1),
    };
    let updates = Updates {
        sessions: Sessions::new(seen, clock, Arc::new(SystemClock)),
        posture: watch::channel(Arc::from(posture)).1,
        stop: stopped,
    };
    let options = EdgeOptions {
        max_segment: crate::MAX_MESSAGE,
        ..EdgeOptions::default()
    };
    (
        RouterChannel::start(&transport, parts, updates, options),
        router,
    )
}

impl Router {
    /// The next message, beside probes.
    pub(super) async fn hears(&mut self) -> EdgeMessage {
        let frame = timeout(SOON, self.inbox.next()).await.unwrap();
        EdgeMessage::decode(&frame.unwrap().into_message()).unwrap()
    }

    /// Why the next offer is refused.
    pub(super) async fn hears_refusal(&mut self) -> String {
        match self.hears().await {
            EdgeMessage::DialFailed(failed) => failed.reason,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn says(&self, message: &EdgeMessage) {
        let encoded = message.encode().unwrap();
        self.handle.send(message.priority(), encoded).unwrap();
    }

    /// Says it as soon as there is room.
    pub(super) async fn sends(&self, message: &EdgeMessage) {
        let priority = message.priority();
        let mut encoded = message.encode().unwrap();
        while let Err(error) = self.handle.send(priority, encoded) {
            assert_eq!(self.handle.close_reason(), None);
            encoded = error.message;
            timeout(SOON, self.handle.writable(priority)).await.unwrap();
        }
    }

    /// The SDK has another session, or another token of the same one.
    pub(super) fn session_is(&self, kind: SessionKind, token: &str) {
        self.states
            .send_replace(SessionState::Open(Arc::new(ApiSession {
                kind,
                token: token.into(),
                expires_at: None,
                identity: IdentityId::from_wire("alice"),
                controller: Url::parse("https://controller.example").unwrap(),
            })));
    }

    /// The program is done with its channels.
    pub(super) fn stop(&self, stop: Stop) {
        self.stop.send_replace(stop);
    }

    /// Waits until the other side has read all that was said before.
    pub(super) async fn settles(&mut self) {
        let names = EdgeMessage::InspectRequest(InspectRequest::default());
        let encoded = names.encode().unwrap();
        let reply = self
            .handle
            .request(names.priority(), encoded, SOON)
            .unwrap();
        reply.await.unwrap();
    }

    /// Loses its connection.
    pub(super) async fn goes(self) {
        self.handle.close();
        self.handle.closed().await;
    }

    /// Whether the other side has closed the channel.
    pub(super) async fn is_left(&mut self) -> bool {
        timeout(SOON, self.inbox.next()).await.unwrap().is_none()
    }
}
