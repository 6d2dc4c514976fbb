//! An SDK.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use portcullis_channel::group::{ChannelGrant, GroupId, GroupSecret};
use portcullis_channel::hello::{Accepted, GroupHello, Grouping, Hello};
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, Frame, Message, ReplyTo, UnixNanos,
};
use portcullis_transport::{
    ChannelHandle, Clock, DialError, Dialed, Inbox, Transport, TransportLimits, dial,
};
use portcullis_wire::edge::{
    Bind, ConnectV2, ConnectionId, Data, DataFlags, EdgeMessage, SdkHello, StateClosed,
    StateConnected,
};
use portcullis_wire::{Secret, Token};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{ServerName, UnixTime};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::network::{Network, Pair};
use super::world::START;

/// Time for anything that a router does at once.
const SOON: Duration = Duration::from_secs(20);

pub(super) struct Sdk {
    pub(super) channel: ChannelHandle,
    inbox: Inbox,
    pub(super) answer: Accepted,
    /// What was read while something else was looked for.
    unread: VecDeque<Frame>,
}

/// The time at which the certificates of a network are new.
#[derive(Debug)]
struct AtStart;

impl TimeProvider for AtStart {
    fn current_time(&self) -> Option<UnixTime> {
        let start = u64::try_from(START).unwrap();
        Some(UnixTime::since_unix_epoch(Duration::from_secs(start)))
    }
}

/// A connection with TLS.
pub(super) async fn connect(
    address: SocketAddr,
    network: &Network,
    pair: Option<&Pair>,
    protocols: &[&str],
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots
        .add(network.root.certificate().as_rustls().clone())
        .unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_details(provider, Arc::new(AtStart))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match pair {
        Some(pair) => config
            .with_client_auth_cert(pair.chain.clone(), pair.key())
            .unwrap(),
        None => config.with_no_client_auth(),
    };
    config.alpn_protocols = protocols
        .iter()
        .map(|name| name.as_bytes().to_vec())
        .collect();
    let socket = TcpStream::connect(address).await?;
    let name = ServerName::try_from("localhost").unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    connector.connect(name, socket).await
}

/// Says hello.
pub(super) async fn greet(
    stream: TlsStream<TcpStream>,
    token: Option<&str>,
    grouping: Grouping,
) -> Result<Dialed<TlsStream<TcpStream>>, DialError> {
    let headers = SdkHello {
        api_session_token: token.map(|token| Token::new(token.to_owned())),
    };
    let kind = match &grouping {
        Grouping::Grouped(_) => Some("edge.default".to_owned()),
        Grouping::Ungrouped => None,
    };
    let hello = Hello::new("an SDK".to_owned(), kind, grouping, headers.to_headers());
    dial(stream, &hello, Instant::now() + SOON).await
}

pub(super) fn first_of_group() -> Grouping {
    Grouping::Grouped(GroupHello {
        is_first: true,
        ..GroupHello::default()
    })
}

pub(super) fn further(id: GroupId, secret: GroupSecret) -> Grouping {
    Grouping::Grouped(GroupHello {
        id: Some(id),
        secret: Some(secret),
        is_first: false,
    })
}

impl Sdk {
    pub(super) async fn connect(
        address: SocketAddr,
        network: &Network,
        pair: &Pair,
        token: Option<&str>,
    ) -> Result<Self, DialError> {
        let stream = connect(address, network, Some(pair), &[]).await?;
        Ok(Self::open(greet(stream, token, Grouping::Ungrouped).await?))
    }

    pub(super) fn open(dialed: Dialed<TlsStream<TcpStream>>) -> Self {
        let clock = Clock::start(UnixNanos(0));
        // Whatever the router sends may wait here only shortly.
        let limits = TransportLimits {
            inbox_bytes: 64 * 1024,
            ..TransportLimits::default()
        };
        let transport = Transport::new(clock, limits);
        let grant = ChannelGrant::ungrouped(GroupId::new("sdk").unwrap());
        let options = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Dialer);
        let (channel, inbox) = transport.open(grant, options, dialed.connected);
        Self {
            channel,
            inbox,
            answer: dialed.answer,
            unread: VecDeque::new(),
        }
    }

    /// Sends as soon as there is room.
    pub(super) async fn says(&self, message: EdgeMessage) {
        let priority = message.priority();
        let mut encoded = message.encode().unwrap();
        loop {
            match self.channel.send(priority, encoded) {
                Ok(_) => return,
                Err(error) => encoded = error.message,
            }
            self.channel.writable(priority).await;
        }
    }

    pub(super) fn replies(&self, request: &ReplyTo, message: &EdgeMessage) {
        let encoded = message.encode().unwrap();
        self.channel
            .reply(request, message.priority(), encoded)
            .unwrap();
    }

    pub(super) async fn asks(&self, message: EdgeMessage) -> EdgeMessage {
        let (priority, encoded) = (message.priority(), message.encode().unwrap());
        self.asks_raw(priority, encoded).await
    }

    pub(super) async fn asks_raw(
        &self,
        priority: portcullis_channel::Priority,
        message: Message,
    ) -> EdgeMessage {
        let reply = self.channel.request(priority, message, SOON).unwrap();
        EdgeMessage::decode(&reply.await.unwrap().into_message()).unwrap()
    }

    /// The next message; `None` once the router has closed the channel.
    pub(super) async fn hears(&mut self) -> Option<(EdgeMessage, ReplyTo)> {
        let frame = match self.unread.pop_front() {
            Some(frame) => frame,
            None => timeout(SOON, self.inbox.next()).await.unwrap()?,
        };
        let request = frame.reply_to();
        let message = EdgeMessage::decode(&frame.into_message()).unwrap();
        Some((message, request))
    }

    /// The first message that is looked for. Others that have come before it are kept.
    pub(super) async fn finds<R>(
        &mut self,
        find: impl Fn(&EdgeMessage, &ReplyTo) -> Option<R>,
    ) -> R {
        let mut passed = VecDeque::new();
        loop {
            let frame = match self.unread.pop_front() {
                Some(frame) => frame,
                None => timeout(SOON, self.inbox.next()).await.unwrap().unwrap(),
            };
            let message = EdgeMessage::decode(&frame.clone().into_message()).unwrap();
            if let Some(found) = find(&message, &frame.reply_to()) {
                passed.append(&mut self.unread);
                self.unread = passed;
                return found;
            }
            passed.push_back(frame);
        }
    }

    /// Whether nothing arrives for a while.
    pub(super) async fn hears_nothing(&mut self) -> bool {
        let waiting = Duration::from_millis(300);
        self.unread.is_empty() && timeout(waiting, self.inbox.next()).await.is_err()
    }

    /// Waits until the router has closed the channel.
    pub(super) async fn is_put_off(&self) {
        timeout(SOON, self.channel.closed()).await.unwrap();
    }

    /// Hosts a service, until a controller has its terminator.
    pub(super) async fn binds(&mut self, token: &str, listener: &str, uses_xgress: bool) {
        let bind = bind(token, listener, uses_xgress);
        let answer = self.asks(EdgeMessage::Bind(bind)).await;
        assert!(
            matches!(answer, EdgeMessage::StateConnected(_)),
            "{answer:?}"
        );
        self.finds(|message, _| matches!(message, EdgeMessage::BindSuccess(_)).then_some(()))
            .await;
    }

    pub(super) async fn dials(&self, dial: EdgeMessage) -> Result<StateConnected, StateClosed> {
        match self.asks(dial).await {
            EdgeMessage::StateConnected(connected) => Ok(connected),
            EdgeMessage::StateClosed(closed) => Err(closed),
            other => panic!("{other:?}"),
        }
    }
}

pub(super) fn bind(token: &str, listener: &str, uses_xgress: bool) -> Bind {
    Bind {
        connection: ConnectionId(1),
        session_token: Token::new(token.to_owned()),
        listener_id: Some(Bytes::copy_from_slice(listener.as_bytes())),
        router_provides_connections: true,
        supports_bind_success: true,
        uses_xgress,
        ..Bind::default()
    }
}

/// A dial of a service by its id.
pub(super) fn dial_v2(id: u32, service: &str, uses_xgress: bool) -> EdgeMessage {
    EdgeMessage::ConnectV2(ConnectV2 {
        connection: ConnectionId(id),
        service: service.to_owned(),
        uses_xgress,
        ..ConnectV2::default()
    })
}

pub(super) fn data(id: ConnectionId, bytes: impl Into<Bytes>, flags: DataFlags) -> EdgeMessage {
    EdgeMessage::Data(Data {
        connection: id,
        data: Secret::new(bytes.into()),
        flags,
        ..Data::default()
    })
}
