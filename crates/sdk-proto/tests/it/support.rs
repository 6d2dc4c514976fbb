//! What several tests need: an SDK, and the router's part by hand.

use bytes::Bytes;
use portcullis_channel::{Frame, FrameLimits, Message, Moment, Now, Sequence, UnixNanos};
use portcullis_e2e_encryption::{Header, KeyPair};
use portcullis_sdk_proto::{
    ApiSession, BindRequest, DialKeys, DialRequest, EdgeChannel, EdgeEvent, EdgeOptions, Read,
    RouterTerms, ServiceReference,
};
use portcullis_wire::Token;
use portcullis_wire::capability::{Capabilities, RouterCapability};
use portcullis_wire::edge::{ConnectionId, EdgeMessage, StateConnected};
use std::time::Duration;

/// Milliseconds since 1970 at the start.
const WALL_MILLIS: u64 = 0x0197_0000_ad5d;

pub(crate) const JWT: &str = "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl";
pub(crate) const SERVICE_JWT: &str = "eyJhbGciOiJFUzI1NiJ9.e30.c2VydmljZQ";

pub(crate) fn at(mono: Moment) -> Now {
    let wall = UnixNanos(WALL_MILLIS * 1_000_000 + mono.as_micros() * 1_000);
    Now { mono, wall }
}

pub(crate) fn at_ms(millis: u64) -> Now {
    at(Moment::from_micros(millis * 1_000))
}

pub(crate) fn token(text: &str) -> Token {
    Token::new(text.to_owned())
}

/// A router as of 2.1.
pub(crate) fn modern() -> RouterTerms {
    let all = [
        RouterCapability::MultiChannel,
        RouterCapability::ConnectV2,
        RouterCapability::ServiceSubscriptions,
        RouterCapability::PostureChecks,
        RouterCapability::BindSuccess,
    ];
    RouterTerms {
        router_id: Some("router-1".to_owned()),
        version: None,
        capabilities: Capabilities::of(all),
    }
}

/// A router that says nothing of what it can do.
pub(crate) fn old() -> RouterTerms {
    RouterTerms {
        capabilities: Capabilities::from_mask(0),
        ..modern()
    }
}

pub(crate) fn oidc() -> ApiSession {
    ApiSession {
        token: token(JWT),
        expires_at: None,
    }
}

/// An SDK with a clock.
#[derive(Debug)]
pub(crate) struct Sdk {
    pub(crate) channel: EdgeChannel,
    pub(crate) now: Now,
    heard: i32,
}

impl Sdk {
    pub(crate) fn new(terms: RouterTerms) -> Self {
        Self::with(&oidc(), terms, EdgeOptions::default())
    }

    pub(crate) fn with(session: &ApiSession, terms: RouterTerms, options: EdgeOptions) -> Self {
        let now = at_ms(0);
        Self {
            channel: EdgeChannel::new(session, terms, options, now),
            now,
            heard: 0,
        }
    }

    /// Lets time pass; deadlines are kept.
    pub(crate) fn passes(&mut self, time: Duration) {
        let end = self.now.mono + time;
        while let Some(due) = self.channel.poll_timeout().filter(|due| *due <= end) {
            self.now = at(due.max(self.now.mono));
            self.channel.handle_timeout(self.now);
        }
        self.now = at(end);
    }

    pub(crate) fn hears_raw(&mut self, message: Message) {
        self.heard += 1;
        let frame = Frame::new(message, Sequence(self.heard), &FrameLimits::LARGE).unwrap();
        self.channel.handle_frame(frame, self.now);
    }

    pub(crate) fn hears(&mut self, message: &EdgeMessage) {
        self.hears_raw(message.encode().unwrap());
    }

    /// All that it has for the router.
    pub(crate) fn says(&mut self) -> Vec<EdgeMessage> {
        let mut all = Vec::new();
        while let Some(outgoing) = self.channel.poll_transmit(self.now) {
            all.push(EdgeMessage::decode(&outgoing.message).unwrap());
        }
        all
    }

    /// The one message that it has for the router.
    pub(crate) fn says_one(&mut self) -> EdgeMessage {
        let mut all = self.says();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    pub(crate) fn events(&mut self) -> Vec<EdgeEvent> {
        std::iter::from_fn(|| self.channel.poll_event()).collect()
    }

    pub(crate) fn event(&mut self) -> EdgeEvent {
        let mut all = self.events();
        assert_eq!(all.len(), 1, "{all:?}");
        all.remove(0)
    }

    pub(crate) fn dials(&mut self, request: DialRequest) -> ConnectionId {
        self.channel.dial(request, self.now).unwrap()
    }

    /// An open connection whose circuit ends here, or in the router.
    pub(crate) fn connects(&mut self, uses_xgress: bool) -> ConnectionId {
        let connection = self.dials(dial());
        self.says_one();
        self.hears(&EdgeMessage::StateConnected(StateConnected {
            connection,
            circuit_id: Some("abc".to_owned()),
            uses_xgress,
            ..StateConnected::default()
        }));
        assert!(matches!(self.event(), EdgeEvent::Connected(_)));
        connection
    }

    pub(crate) fn writes(&mut self, connection: ConnectionId, data: &'static str) {
        let mut data = Bytes::from_static(data.as_bytes());
        let length = data.len();
        let written = self.channel.write(connection, &mut data, self.now);
        assert_eq!(written, Ok(length));
    }

    pub(crate) fn reads(&mut self, connection: ConnectionId) -> Option<Read> {
        self.channel.read(connection, self.now).unwrap()
    }
}

pub(crate) fn dial() -> DialRequest {
    DialRequest::new(ServiceReference::Id("svc1".to_owned()))
}

pub(crate) fn bind() -> BindRequest {
    BindRequest {
        session: token(SERVICE_JWT),
        listener_id: Some(Bytes::from_static(b"listener")),
        instance_id: None,
        instance_secret: None,
        keys: None,
        cost: None,
        precedence: None,
        prefers_xgress: true,
    }
}

pub(crate) fn data(text: &'static str) -> Read {
    Read::Data(Bytes::from_static(text.as_bytes()))
}

pub(crate) fn pair(secret: u8) -> KeyPair {
    KeyPair::from_secret([secret; 32]).unwrap()
}

pub(crate) fn header(byte: u8) -> Header {
    Header([byte; Header::LEN])
}

pub(crate) fn dial_keys(secret: u8) -> DialKeys {
    DialKeys {
        pair: pair(secret),
        header: header(secret),
    }
}
