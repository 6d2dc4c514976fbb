//! Dialing of links.

mod connector;

use std::sync::Arc;

use portcullis_channel::group::{ChannelGrant, ConnectionCounts, DialOptions, GroupId};
use portcullis_channel::headers::key;
use portcullis_channel::hello::{AnswerError, Grouping, Hello, RejectClass};
use portcullis_channel::{ChannelKind, ChannelSide, Headers, Role};
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use portcullis_router::links::{ConnectionLayout, Dial, DialFailure, LinkSettings, parse_address};
use portcullis_transport::{
    ChannelHandle, Connector as _, DialError, Group, GroupSettings, Inbox, Transport, dial,
};
use portcullis_wire::link::{LinkHello, SplitLinkPart};
use tokio::time::{Instant, timeout_at};

use crate::links::connections::Connections;
use crate::links::dial::connector::LinkConnector;
use crate::links::open_link::LinkChannels;
use crate::links::options::channel_options;
use crate::outgoing::Outgoing;
use crate::tls::Tls;

/// What all dials of a router share.
pub(super) struct Dialing {
    /// Id of this router.
    pub(super) router: Arc<str>,
    /// Of this software.
    pub(super) version: String,
    pub(super) settings: Arc<LinkSettings>,
    pub(super) tls: Arc<Tls>,
    pub(super) outgoing: Outgoing,
    pub(super) transport: Transport,
    pub(super) entropy: Arc<dyn Entropy>,
}

/// A link that another router has accepted.
pub(super) struct Dialed {
    pub(super) channels: LinkChannels,
    pub(super) inboxes: Vec<Inbox>,
    pub(super) connections: Arc<Connections>,
}

/// There is no link.
#[derive(Debug, thiserror::Error)]
pub(super) enum LinkDialError {
    #[error("links are dialed at addresses such as tls:router.example.test:10080")]
    Address,
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    #[error(transparent)]
    Dial(#[from] DialError),
}

impl LinkDialError {
    /// What it means for the next attempt.
    pub(super) fn failure(&self) -> DialFailure {
        match self {
            Self::Dial(DialError::Rejected(rejection)) if rejection.class == RejectClass::Busy => {
                DialFailure::Busy
            },
            _ => DialFailure::Failed,
        }
    }
}

impl Dialing {
    pub(super) async fn dial(&self, target: &Dial) -> Result<Dialed, LinkDialError> {
        let address = parse_address(target.ticket.address()).ok_or(LinkDialError::Address)?;
        let connections = Arc::new(Connections::default());
        let connector = LinkConnector::new(self, target, address, &connections);
        let (channels, inboxes) = match target.connections {
            ConnectionLayout::Multiple {
                data,
                acknowledgments,
            } => {
                let counts = ConnectionCounts {
                    default: data.into(),
                    high: acknowledgments.into(),
                };
                self.dial_group(target, connector, counts).await?
            },
            ConnectionLayout::Single => self.dial_single(target, connector).await?,
            ConnectionLayout::Pair => self.dial_pair(target, connector).await?,
        };
        Ok(Dialed {
            channels,
            inboxes,
            connections,
        })
    }

    /// Dials the first connection; the others follow by themselves.
    async fn dial_group(
        &self,
        target: &Dial,
        connector: LinkConnector,
        connections: ConnectionCounts,
    ) -> Result<(LinkChannels, Vec<Inbox>), LinkDialError> {
        let options = channel_options(&self.settings, ChannelSide::Dialer);
        let id = target.ticket.link().id.as_str().to_owned();
        let headers = self.hello(target, None).to_headers();
        let settings = GroupSettings {
            connections,
            dialing: DialOptions {
                startup_delay: target.dialer.startup_delay,
                ..DialOptions::new(ChannelKind::Link)
            },
            timeout: target.dialer.connect_timeout,
            ..GroupSettings::new(id, headers, options)
        };
        let group = Group::open_once(&self.transport, settings, connector).await?;
        let channels = LinkChannels {
            data: group.handle,
            acknowledgments: None,
        };
        Ok((channels, vec![group.inbox]))
    }

    async fn dial_single(
        &self,
        target: &Dial,
        mut connector: LinkConnector,
    ) -> Result<(LinkChannels, Vec<Inbox>), LinkDialError> {
        let headers = self.hello(target, None).to_headers();
        let dialing = self.dial_apart(target, &mut connector, Role::Default, headers);
        let (data, inbox) = dialing.await?;
        let channels = LinkChannels {
            data,
            acknowledgments: None,
        };
        Ok((channels, vec![inbox]))
    }

    async fn dial_pair(
        &self,
        target: &Dial,
        mut connector: LinkConnector,
    ) -> Result<(LinkChannels, Vec<Inbox>), LinkDialError> {
        let pair = entropy::uuid(self.entropy.as_ref())?;
        let headers = |part| {
            Headers::builder()
                .append(&self.hello(target, Some(part)).to_headers())
                .string(key::CONNECTION_ID, &pair)
                .build()
        };
        let payloads = headers(SplitLinkPart::Payloads);
        let dialing = self.dial_apart(target, &mut connector, Role::Default, payloads);
        let (data, data_inbox) = dialing.await?;
        let acknowledgments = headers(SplitLinkPart::Acknowledgements);
        let dialing = self.dial_apart(target, &mut connector, Role::High, acknowledgments);
        let (acknowledgments, inbox) = dialing.await?;
        let channels = LinkChannels {
            data,
            acknowledgments: Some(acknowledgments),
        };
        Ok((channels, vec![data_inbox, inbox]))
    }

    /// Dials a connection that is a channel of its own.
    async fn dial_apart(
        &self,
        target: &Dial,
        connector: &mut LinkConnector,
        role: Role,
        headers: Headers,
    ) -> Result<(ChannelHandle, Inbox), LinkDialError> {
        let id = target.ticket.link().id.as_str();
        let hello = Hello::new(id.to_owned(), None, Grouping::Ungrouped, headers);
        let deadline = Instant::now() + target.dialer.connect_timeout;
        let stream = timeout_at(deadline, connector.connect(role)).await;
        let stream = stream
            .map_err(|_elapsed| DialError::from(AnswerError::TimedOut))?
            .map_err(DialError::from)?;
        let dialed = dial(stream, &hello, deadline).await?;
        connector
            .check(&dialed.answer)
            .map_err(DialError::Unacceptable)?;
        let options = channel_options(&self.settings, ChannelSide::Dialer);
        let grant = ChannelGrant::ungrouped(GroupId::new(id).ok_or(EntropyError)?);
        Ok(self.transport.open(grant, options, dialed.connected))
    }

    fn hello(&self, target: &Dial, split_part: Option<SplitLinkPart>) -> LinkHello {
        let link = target.ticket.link();
        LinkHello {
            link_id: link.id.as_str().to_owned(),
            router_id: self.router.to_string(),
            version: self.version.clone(),
            binding: target.dialer.interface.clone().unwrap_or_default(),
            iteration: link.iteration,
            destination: Some(target.ticket.key().peer().as_str().to_owned()),
            split_part,
        }
    }
}
