//! The channel of an SDK.

use std::collections::VecDeque;
use std::time::Duration;

use portcullis_channel::group::{ChannelGrant, ConnectionCounts, GroupId, GroupSecret};
use portcullis_channel::hello::{Accepted, GroupHello, Grouping, Hello};
use portcullis_channel::{
    ChannelKind, ChannelOptions, ChannelSide, Frame, Headers, Message, Priority, ReplyTo, UnixNanos,
};
use portcullis_transport::{
    ChannelHandle, Clock, Connector, DialError, Dialed, Group, GroupSettings, Inbox, Stream,
    Transport, TransportLimits, dial,
};
use portcullis_wire::Token;
use portcullis_wire::edge::{EdgeMessage, SdkHello, StateClosed, StateConnected};
use tokio::time::{Instant, timeout};

use crate::messages::bind;

/// Time for anything that a router does at once.
const SOON: Duration = Duration::from_secs(20);
/// What it says of itself.
const NAME: &str = "an SDK";
const OPTIONS: ChannelOptions = ChannelOptions::new(ChannelKind::Edge, ChannelSide::Dialer);

/// An SDK that has connected.
pub struct Sdk {
    pub channel: ChannelHandle,
    inbox: Inbox,
    /// Of the router, to the hello.
    pub answer: Accepted,
    /// What was read while something else was looked for.
    unread: VecDeque<Frame>,
}

/// Says hello, as one with this token of an API session.
pub async fn greet<S: Stream>(
    stream: S,
    token: Option<&str>,
    grouping: Grouping,
) -> Result<Dialed<S>, DialError> {
    let kind = match &grouping {
        Grouping::Grouped(_) => Some("edge.default".to_owned()),
        Grouping::Ungrouped => None,
    };
    let hello = Hello::new(NAME.to_owned(), kind, grouping, headers(token));
    dial(stream, &hello, Instant::now() + SOON).await
}

fn headers(token: Option<&str>) -> Headers {
    let api_session_token = token.map(|token| Token::new(token.to_owned()));
    SdkHello { api_session_token }.to_headers()
}

/// The grouping of the first connection of a channel.
pub fn first_of_group() -> Grouping {
    Grouping::Grouped(GroupHello {
        is_first: true,
        ..GroupHello::default()
    })
}

/// The grouping of a further connection.
pub fn further(id: GroupId, secret: GroupSecret) -> Grouping {
    Grouping::Grouped(GroupHello {
        id: Some(id),
        secret: Some(secret),
        is_first: false,
    })
}

/// Whatever the router sends may wait there only shortly.
fn transport() -> Transport {
    let limits = TransportLimits {
        inbox_bytes: 64 * 1024,
        ..TransportLimits::default()
    };
    Transport::new(Clock::start(UnixNanos(0)), limits)
}

impl Sdk {
    /// Connects over a stream, by a channel with one connection.
    pub async fn connect(stream: impl Stream, token: Option<&str>) -> Result<Self, DialError> {
        Ok(Self::open(greet(stream, token, Grouping::Ungrouped).await?))
    }

    /// Connects by a channel of so many connections, and dials those that are lost again.
    pub async fn connect_group(
        connector: impl Connector,
        token: Option<&str>,
        connections: ConnectionCounts,
    ) -> Result<Self, DialError> {
        let settings = GroupSettings {
            connections,
            timeout: SOON,
            ..GroupSettings::new(NAME.to_owned(), headers(token), OPTIONS)
        };
        let group = Group::open_once(&transport(), settings, connector).await?;
        Ok(Self::of_channel(group.handle, group.inbox, group.answer))
    }

    /// Opens the channel of a connection whose hello was answered. It holds back 64 KiB that nobody reads.
    pub fn open(dialed: Dialed<impl Stream>) -> Self {
        let grant = ChannelGrant::ungrouped(GroupId::new("sdk").unwrap());
        let (channel, inbox) = transport().open(grant, OPTIONS, dialed.connected);
        Self::of_channel(channel, inbox, dialed.answer)
    }

    const fn of_channel(channel: ChannelHandle, inbox: Inbox, answer: Accepted) -> Self {
        Self {
            channel,
            inbox,
            answer,
            unread: VecDeque::new(),
        }
    }

    /// Sends as soon as there is room. Returns whether that came about, which it does not once the channel is closed.
    pub async fn says(&self, message: EdgeMessage) -> bool {
        let priority = message.priority();
        let mut encoded = message.encode().unwrap();
        while self.channel.close_reason().is_none() {
            match self.channel.send(priority, encoded) {
                Ok(_) => return true,
                Err(error) => encoded = error.message,
            }
            self.channel.writable(priority).await;
        }
        false
    }

    /// Sends an answer.
    pub fn replies(&self, request: &ReplyTo, message: &EdgeMessage) {
        let encoded = message.encode().unwrap();
        self.channel
            .reply(request, message.priority(), encoded)
            .unwrap();
    }

    /// Sends a request; returns the answer.
    pub async fn asks(&self, message: EdgeMessage) -> EdgeMessage {
        let (priority, encoded) = (message.priority(), message.encode().unwrap());
        self.asks_raw(priority, encoded).await
    }

    /// Sends anything; returns the answer.
    pub async fn asks_raw(&self, priority: Priority, message: Message) -> EdgeMessage {
        let reply = self.channel.request(priority, message, SOON).unwrap();
        EdgeMessage::decode(&reply.await.unwrap().into_message()).unwrap()
    }

    /// The next message; `None` once the router has closed the channel.
    pub async fn hears(&mut self) -> Option<(EdgeMessage, ReplyTo)> {
        let frame = match self.unread.pop_front() {
            Some(frame) => frame,
            None => timeout(SOON, self.inbox.next()).await.unwrap()?,
        };
        let request = frame.reply_to();
        let message = EdgeMessage::decode(&frame.into_message()).unwrap();
        Some((message, request))
    }

    /// The first message that is looked for. Others that have come before it are kept.
    pub async fn finds<R>(&mut self, find: impl Fn(&EdgeMessage, &ReplyTo) -> Option<R>) -> R {
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
    pub async fn hears_nothing(&mut self) -> bool {
        let waiting = Duration::from_millis(300);
        self.unread.is_empty() && timeout(waiting, self.inbox.next()).await.is_err()
    }

    /// Waits until the router has closed the channel.
    pub async fn is_put_off(&self) {
        timeout(SOON, self.channel.closed()).await.unwrap();
    }

    /// Hosts a service, until a controller has its terminator.
    pub async fn binds(&mut self, token: &str, listener: &str, uses_xgress: bool) {
        let bind = bind(token, listener, uses_xgress);
        let answer = self.asks(EdgeMessage::Bind(bind)).await;
        assert!(
            matches!(answer, EdgeMessage::StateConnected(_)),
            "{answer:?}"
        );
        self.finds(|message, _| matches!(message, EdgeMessage::BindSuccess(_)).then_some(()))
            .await;
    }

    /// Dials, until there is a connection.
    pub async fn dials(&self, dial: EdgeMessage) -> Result<StateConnected, StateClosed> {
        match self.asks(dial).await {
            EdgeMessage::StateConnected(connected) => Ok(connected),
            EdgeMessage::StateClosed(closed) => Err(closed),
            other => panic!("{other:?}"),
        }
    }
}
