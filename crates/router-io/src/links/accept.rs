//! Links that other routers dial: every connection is verified alike.

use std::net::IpAddr;
use std::sync::Arc;

use portcullis_channel::group::{Attachment, ChannelGrant, GroupId, Registration, Reservation};
use portcullis_channel::headers::key;
use portcullis_channel::hello::RejectClass;
use portcullis_channel::{ChannelSide, Headers};
use portcullis_listener::{Connection, Greeting};
use portcullis_pki::Fingerprint;
use portcullis_router::links::{LINK_PROTOCOL, Link, LinkId, LinkKey, LinkListener, RouterId};
use portcullis_transport::{ChannelHandle, Inbox, Incoming, Place, Stream};
use portcullis_wire::link::{LinkHello, SplitLinkPart};
use tokio::time::sleep;

use crate::group_credentials::group_credentials;
use crate::links::connections::Connections;
use crate::links::halves::{Half, PAIRING, PairKey, Paired};
use crate::links::manager::LinkManager;
use crate::links::open_link::{LinkChannels, OpenLink};
use crate::links::options::channel_options;
use crate::links::verification::verify_chain;
use crate::refusal_log::shown;

/// Links that a router may have dialed to this one, with duplicates that are not closed yet.
pub(super) const MAX_ACCEPTED: usize = 32;

/// A connection whose certificate is trusted.
struct Candidate<S> {
    /// Where it comes from.
    peer: IpAddr,
    incoming: Incoming<S>,
    hello: LinkHello,
    leaf: Fingerprint,
    key: LinkKey,
}

/// A link would be one too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotAccepted {
    #[error("another link has this id")]
    IdTaken,
    #[error("the router has too many links")]
    TooMany,
}

impl NotAccepted {
    /// What the router is told: neither passes soon.
    const fn class(self) -> RejectClass {
        match self {
            Self::IdTaken => RejectClass::NotPermitted,
            Self::TooMany => RejectClass::Unspecified,
        }
    }
}

/// Where the place of a link in the registry of groups is given back.
pub(super) type GroupPlace = Registration<Fingerprint>;

impl<S> Candidate<S> {
    fn link(&self) -> Link {
        Link {
            id: LinkId::from_wire(self.hello.link_id.as_str()),
            iteration: self.hello.iteration,
        }
    }
}

impl LinkManager {
    /// Judges a connection, and makes it part of a link.
    pub(super) async fn accept<S: Stream>(
        self: &Arc<Self>,
        listener: &LinkListener,
        connection: &Connection,
        incoming: Incoming<S>,
        greeting: Greeting,
    ) {
        let candidate = match self.judge(listener, connection, &incoming) {
            Ok((hello, leaf, key)) => Candidate {
                peer: connection.peer.ip(),
                incoming,
                hello,
                leaf,
                key,
            },
            Err(reason) => {
                tracing::debug!(peer = %connection.peer, reason, "a link is refused");
                incoming.reject(RejectClass::NotPermitted, &reason).await;
                return;
            },
        };
        greeting.finish();
        if let Some(part) = candidate.hello.split_part {
            self.accept_half(candidate, part).await;
            return;
        }
        let Ok(generated) = group_credentials(self.entropy()) else {
            return;
        };
        let hello = candidate.incoming.hello();
        match self.groups.place(&candidate.leaf, hello, generated).await {
            Ok(Place::First(reservation)) => self.accept_first(candidate, reservation).await,
            Ok(Place::Further(attachment)) => self.attach(candidate, attachment).await,
            // Closed without an answer: the dialer begins anew.
            Err(reason) => {
                tracing::debug!(link = %candidate.link().id, %reason, "a connection belongs to no link");
            },
        }
    }

    /// The hello, fingerprint of the leaf and key of the link, or why there is none.
    fn judge<S: Stream>(
        &self,
        listener: &LinkListener,
        connection: &Connection,
        incoming: &Incoming<S>,
    ) -> Result<(LinkHello, Fingerprint, LinkKey), String> {
        let hello = LinkHello::from_hello(incoming.hello()).map_err(|error| error.to_string())?;
        if let Some(meant) = &hello.destination
            && **meant != *self.router()
        {
            return Err(format!("this is router {}", self.router()));
        }
        if *hello.router_id == *self.router() {
            return Err("a router has no link to itself".to_owned());
        }
        let now = self.clock().timestamp();
        let authorities = self.tls().authorities();
        let leaf = verify_chain(&connection.client_certificates, &authorities, now)
            .map_err(|error| error.to_string())?;
        let key = LinkKey::new(
            RouterId::from_wire(hello.router_id.as_str()),
            LINK_PROTOCOL,
            Some(hello.binding.as_str()),
            listener.interface.as_deref(),
        );
        Ok((hello, leaf, key))
    }

    /// Verifies the router of a new link by a controller. The dialer is told why it is refused.
    async fn confirm<S: Stream>(&self, candidate: Candidate<S>) -> Option<Candidate<S>> {
        let router = candidate.hello.router_id.as_str();
        let result = match self.may_accept(&candidate.key, &candidate.link().id) {
            Ok(()) => self.verification.confirm(router, candidate.leaf).await,
            Err(error) => {
                let (class, reason) = (error.class(), error.to_string());
                candidate.incoming.reject(class, &reason).await;
                return None;
            },
        };
        match result {
            Ok(()) => Some(candidate),
            Err(error) => {
                if self.refusals.admits(candidate.peer) {
                    tracing::warn!(
                        router = shown(router),
                        fingerprint = %candidate.leaf,
                        %error,
                        "a link is refused: the router is not verified"
                    );
                }
                let reason = error.to_string();
                candidate.incoming.reject(error.class(), &reason).await;
                None
            },
        }
    }

    async fn accept_first<S: Stream>(
        self: &Arc<Self>,
        candidate: Candidate<S>,
        reservation: Reservation<Fingerprint>,
    ) {
        let Some(candidate) = self.confirm(candidate).await else {
            self.groups.abandon(reservation);
            return;
        };
        let (key, link) = (candidate.key.clone(), candidate.link());
        let grant = reservation.grant().clone();
        let Some((channel, inbox)) = self.answer(candidate, grant).await else {
            self.groups.abandon(reservation);
            return;
        };
        let place = match self.groups.open(reservation, channel.clone()) {
            Ok(place) => place,
            Err(error) => {
                tracing::debug!(link = %link.id, %error, "a link was not accepted");
                channel.close();
                return;
            },
        };
        let channels = LinkChannels {
            data: channel,
            acknowledgments: None,
        };
        self.accepted(key, link, channels, vec![inbox], Some(place));
    }

    /// One more connection: same certificate, link, group and secret as the first one.
    async fn attach<S: Stream>(
        &self,
        candidate: Candidate<S>,
        attachment: Attachment<ChannelHandle>,
    ) {
        let Attachment { channel, grant } = attachment;
        let link = candidate.link().id;
        let room = match channel.reserve(grant) {
            Ok(room) => room,
            Err(error) => {
                tracing::debug!(%link, %error, "a connection of a link is refused");
                let reason = error.to_string();
                candidate.incoming.reject(RejectClass::Busy, &reason).await;
                return;
            },
        };
        let headers = Headers::empty();
        let accepting = candidate
            .incoming
            .accept(room.grant(), self.router(), &headers);
        match accepting.await {
            Ok(connected) => {
                if let Err(error) = room.attach(connected) {
                    tracing::debug!(%link, %error, "a connection of a link is refused");
                }
            },
            Err(error) => tracing::debug!(%link, %error, "a connection of a link failed"),
        }
    }

    async fn accept_half<S: Stream>(
        self: &Arc<Self>,
        candidate: Candidate<S>,
        part: SplitLinkPart,
    ) {
        let headers = &candidate.incoming.hello().headers;
        let pair = PairKey {
            leaf: candidate.leaf,
            key: candidate.key.clone(),
            link: candidate.link(),
            connection: headers
                .string(key::CONNECTION_ID)
                .unwrap_or_default()
                .to_owned(),
        };
        let Some(id) = GroupId::new(pair.connection.as_str()) else {
            return;
        };
        let Some(place) = self.halves.place(&pair) else {
            let reason = "the router has too many halves of links that wait";
            tracing::debug!(peer = %candidate.peer, reason, "half of a link is refused");
            candidate.incoming.reject(RejectClass::Busy, reason).await;
            return;
        };
        let Some(candidate) = self.confirm(candidate).await else {
            return;
        };
        let (key, link) = (candidate.key.clone(), candidate.link());
        let opened = self.answer(candidate, ChannelGrant::ungrouped(id)).await;
        let Some((channel, inbox)) = opened else {
            return;
        };
        let half = Half {
            part,
            channel: channel.clone(),
            inbox,
            _place: place,
        };
        match self.halves.add(pair.clone(), half) {
            Paired::Waiting => {
                sleep(PAIRING).await;
                self.halves.give_up(&pair, &channel);
            },
            Paired::Complete(channels, inboxes) => {
                self.accepted(key, link, channels, inboxes, None);
            },
            Paired::Refused => {
                tracing::debug!(link = %link.id, "half of a link is refused");
            },
        }
    }

    /// Answers the first hello of a channel.
    async fn answer<S: Stream>(
        &self,
        candidate: Candidate<S>,
        grant: ChannelGrant,
    ) -> Option<(ChannelHandle, Inbox)> {
        let link = candidate.link().id;
        let headers = Headers::empty();
        let accepting = candidate.incoming.accept(&grant, self.router(), &headers);
        match accepting.await {
            Ok(connected) => {
                let options = channel_options(self.settings(), ChannelSide::Listener);
                Some(self.transport().open(grant, options, connected))
            },
            Err(error) => {
                tracing::debug!(%link, %error, "a link was not accepted");
                None
            },
        }
    }

    fn accepted(
        self: &Arc<Self>,
        key: LinkKey,
        link: Link,
        channels: LinkChannels,
        inboxes: Vec<Inbox>,
        place: Option<GroupPlace>,
    ) {
        let link = OpenLink {
            key,
            link,
            dialed: None,
            channels,
            connections: Arc::new(Connections::default()),
            counters: self.counters(),
        };
        self.open_accepted(Arc::new(link), inboxes, place);
    }
}
