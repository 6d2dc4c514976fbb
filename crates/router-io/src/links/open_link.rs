//! A link that is open.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use portcullis_channel::{Frame, Liveness, Priority, Role, SendErrorKind};
use portcullis_forwarding::Hop;
use portcullis_router::links::{Link, LinkKey};
use portcullis_transport::{ChannelHandle, Inbox};
use portcullis_wire::control::link::{Fault, FaultSubject, LinkState, RouterLink};
use portcullis_wire::link::LinkMessage;
use tokio::time::interval;

use crate::circuit_message::CircuitMessage;
use crate::links::connections::Connections;
use crate::links::counters::Counters;
use crate::relay::{Destination, Relay};

/// How often it is looked whether a link is silent, and the silence that is worth a warning.
const SILENCE_CHECK: Duration = Duration::from_secs(10);
const SILENCE: Duration = Duration::from_secs(30);

/// A link, whether or not it carries anything: duplicates do not.
#[derive(Debug)]
pub(super) struct OpenLink {
    pub(super) key: LinkKey,
    pub(super) link: Link,
    /// Address that was dialed; none if the other router has dialed.
    pub(super) dialed: Option<String>,
    pub(super) channels: LinkChannels,
    pub(super) connections: Arc<Connections>,
    pub(super) counters: Counters,
}

/// The channels of a link.
#[derive(Debug)]
pub(super) struct LinkChannels {
    pub(super) data: ChannelHandle,
    /// Only with routers before 1.6.6.
    pub(super) acknowledgments: Option<ChannelHandle>,
}

impl LinkChannels {
    pub(super) fn all(&self) -> impl Iterator<Item = &ChannelHandle> {
        [&self.data].into_iter().chain(&self.acknowledgments)
    }

    pub(super) fn roles(&self) -> Vec<Role> {
        self.all().flat_map(ChannelHandle::roles).collect()
    }

    fn get(&self, priority: Priority) -> &ChannelHandle {
        match (priority, &self.acknowledgments) {
            (Priority::High, Some(channel)) => channel,
            _ => &self.data,
        }
    }
}

impl OpenLink {
    pub(super) fn close(&self) {
        self.channels.all().for_each(ChannelHandle::close);
    }

    pub(super) fn is_closed(&self) -> bool {
        let mut channels = self.channels.all();
        channels.any(|channel| channel.close_reason().is_some())
    }

    pub(super) fn liveness(&self) -> Liveness {
        self.channels.data.liveness().unwrap_or_default()
    }

    /// What controllers are told of a link that this router has dialed.
    pub(super) fn report(&self) -> Option<RouterLink> {
        Some(RouterLink {
            id: self.link.id.as_str().to_owned(),
            destination: self.key.peer().as_str().to_owned(),
            protocol: self.key.protocol().to_owned(),
            dial_address: self.dialed.clone()?,
            iteration: self.link.iteration,
            connections: Some(self.connections.get()),
        })
    }

    pub(super) fn state(&self) -> LinkState {
        LinkState {
            link_id: self.link.id.as_str().to_owned(),
            link_iteration: self.link.iteration,
            connections: Some(self.connections.get()),
        }
    }

    /// Hands what comes to the relay, from the hop of the link, until the link is closed.
    pub(super) async fn carry(
        self: &Arc<Self>,
        inboxes: Vec<Inbox>,
        hop: Option<Hop>,
        relay: &Arc<Relay>,
    ) {
        let reading = inboxes.into_iter().map(|inbox| async move {
            let (link, relay) = (Arc::clone(self), Arc::clone(relay));
            inbox
                .handle(move |frame| link.received(frame, hop, &relay))
                .await;
            // A link of two channels ends with either.
            self.close();
        });
        let reading = join_all(reading);
        tokio::select! {
            _all_ended = reading => {},
            () = self.watch_silence() => {},
        }
    }

    fn received(&self, frame: Frame, hop: Option<Hop>, relay: &Relay) {
        self.counters.received(frame.wire_len());
        let message = LinkMessage::decode(&frame.into_message()).ok();
        let message = message.and_then(|message| CircuitMessage::try_from(message).ok());
        let Some(message) = message else {
            self.counters.unreadable();
            return;
        };
        // A duplicate must carry nothing.
        if let Some(hop) = hop
            && !relay.forward_or_drop(hop, message)
        {
            self.counters.dropped_receiving();
        }
    }

    /// Warns of silence, once for each.
    async fn watch_silence(&self) {
        let mut ticks = interval(SILENCE_CHECK);
        let mut is_silent = false;
        loop {
            ticks.tick().await;
            let silence = self.liveness().unanswered_for;
            if silence >= SILENCE && !is_silent {
                tracing::warn!(
                    link = %self.link.id,
                    router = %self.key.peer(),
                    ?silence,
                    "a link does not answer"
                );
            }
            is_silent = silence >= SILENCE;
        }
    }
}

impl Destination for OpenLink {
    fn deliver(&self, message: CircuitMessage) -> Result<(), CircuitMessage> {
        let flow = message.flow();
        let message = LinkMessage::from(message);
        let priority = message.priority();
        let Ok(encoded) = message.encode() else {
            // Too long to be sent at all.
            self.counters.dropped_sending();
            return Ok(());
        };
        let bytes = encoded.wire_len();
        match self.channels.get(priority).send_in(flow, priority, encoded) {
            Ok(_sequence) => {
                self.counters.sent(bytes);
                Ok(())
            },
            Err(error) if error.why == SendErrorKind::QueueFull => {
                CircuitMessage::try_from(message).map_or(Ok(()), Err)
            },
            // Nothing waits for a link that is closed: it is repeated end to end.
            Err(_closed) => {
                self.counters.dropped_sending();
                Ok(())
            },
        }
    }

    fn dropped(&self, _message: &CircuitMessage) {
        self.counters.dropped_forwarding();
    }

    fn kind(&self) -> &'static str {
        "link"
    }

    fn room(&self, message: &CircuitMessage) -> BoxFuture<'static, ()> {
        let flow = message.flow();
        let priority = LinkMessage::from(message.clone()).priority();
        let channel = self.channels.get(priority);
        Box::pin(channel.writable_in(flow, priority))
    }

    fn unrouted(&self, _circuit: &str) {}
}

/// What controllers are told when a link is closed, or is to be.
pub(super) fn fault(link: &Link, subject: FaultSubject) -> Fault {
    Fault {
        subject,
        id: link.id.as_str().to_owned(),
        iteration: link.iteration,
    }
}
