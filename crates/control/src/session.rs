//! One connected router.

use crate::client_sessions::SyncState;
use crate::events::AlertLimit;
use crate::model::{ModelOutlet, Sent};
use crate::outlet::Outlet;
use crate::peers::{PeerNews, PeerStatus};
use crate::questions::QuestionPlaces;
use crate::validation::{RouterTerminator, UnconfirmedTerminators, Validation};
use parking_lot::Mutex;
use portcullis_app::routers::ConnectedRouter;
use portcullis_channel::{
    BuildVersion, ChannelKind, Message, Priority, ReplyTo, ResultMessage, ResultStatus, Role,
    SendErrorKind,
};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::RouterId;
use portcullis_domain::router::RouterVersion;
use portcullis_domain::view::{LinkListener, RouterConnection, SyncStatus};
use portcullis_fabric::{Moment, RouterSession};
use portcullis_transport::Clock;
use portcullis_wire::EncodeError;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::edge_hello::{ClientHelloBody, EdgeAddress};
use portcullis_wire::control::hello::RouterHello;
use portcullis_wire::control::peer::{Listener, PeerStateChanges};
use portcullis_wire::control::terminator::ValidatedTerminators;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Notify;

/// A router with an open channel.
pub(crate) struct Session {
    pub(crate) router: ConnectedRouter,
    pub(crate) network: RouterSession,
    pub(crate) hello: RouterHello,
    pub(crate) connected_at: Timestamp,
    pub(crate) opened: Moment,
    pub(crate) peers: PeerNews,
    /// How far the router was told of sessions of clients.
    pub(crate) client_sessions: Mutex<SyncState>,
    pub(crate) questions: QuestionPlaces,
    pub(crate) alerts: Mutex<AlertLimit>,
    outlet: Arc<Outlet>,
    reported: Mutex<Reported>,
    validation: Mutex<Validation>,
    /// Told when there may be terminators to ask about earlier than was known.
    to_validate: Notify,
}

/// What the router has told of itself.
#[derive(Debug)]
struct Reported {
    listeners: Vec<Listener>,
    client_hello: Option<ClientHelloBody>,
    sync_status: SyncStatus,
}

/// What is known of a router when its session begins.
pub(crate) struct NewSession {
    pub(crate) router: ConnectedRouter,
    pub(crate) network: RouterSession,
    pub(crate) hello: RouterHello,
    pub(crate) connected_at: Timestamp,
    pub(crate) opened: Moment,
    pub(crate) outlet: Arc<Outlet>,
}

impl Session {
    pub(crate) fn new(new: NewSession) -> Self {
        let reported = Reported {
            listeners: new.hello.listeners.clone(),
            client_hello: None,
            sync_status: SyncStatus::Unknown,
        };
        Self {
            router: new.router,
            network: new.network,
            hello: new.hello,
            connected_at: new.connected_at,
            opened: new.opened,
            peers: PeerNews::default(),
            client_sessions: Mutex::default(),
            questions: QuestionPlaces::default(),
            alerts: Mutex::default(),
            outlet: new.outlet,
            reported: Mutex::new(reported),
            validation: Mutex::new(Validation::new(new.opened)),
            to_validate: Notify::new(),
        }
    }

    pub(crate) fn id(&self) -> &RouterId {
        self.router.id()
    }

    /// Closes the channel of the router.
    pub(crate) fn close(&self) {
        self.outlet.close();
    }

    /// Lets nobody wait for an answer of the router any more, whose session is over.
    pub(crate) fn end(&self) {
        self.outlet.end();
        self.questions.close();
    }

    pub(crate) const fn outlet(&self) -> &Arc<Outlet> {
        &self.outlet
    }

    /// Sends a message, unless the channel is closed.
    pub(crate) fn send(&self, message: &ControlMessage) {
        if let Some(encoded) = self.sendable(message.encode()) {
            self.outlet.send(message.priority(), encoded);
        }
    }

    /// Sends news, unless too much waits; whether they are sent.
    pub(crate) fn try_send(&self, message: &Message) -> bool {
        self.outlet.try_send(message.clone())
    }

    /// Sends news, unless too much waits, and tells when they are written.
    pub(crate) fn send_tracked(&self, message: Message) -> Result<Sent, SendErrorKind> {
        Ok(Box::pin(self.outlet.send_tracked(message)?))
    }

    pub(crate) fn reply(&self, to: &ReplyTo, message: &ControlMessage) {
        self.reply_encoded(to, message.encode());
    }

    pub(crate) fn reply_encoded(&self, to: &ReplyTo, message: Result<Message, EncodeError>) {
        if let Some(message) = self.sendable(message) {
            self.reply_with(to, message);
        }
    }

    /// Replies with a Result.
    pub(crate) fn reply_result(&self, to: &ReplyTo, result: Result<&str, &str>) {
        let (status, text) = match result {
            Ok(text) => (ResultStatus::Success, text),
            Err(text) => (ResultStatus::Failure, text),
        };
        let text = text.to_owned();
        self.reply_with(to, ResultMessage { status, text }.into_message());
    }

    fn reply_with(&self, to: &ReplyTo, message: Message) {
        self.outlet.reply(to, Priority::Default, message);
    }

    /// Sends what there was no room for as soon as there is, until the future is dropped.
    pub(crate) async fn send_waiting(&self) {
        self.outlet.run().await;
    }

    /// Whether the router has left so many replies unread that what it asks is turned away.
    pub(crate) fn is_full_of_replies(&self) -> bool {
        self.outlet.is_full_of_replies()
    }

    fn sendable(&self, message: Result<Message, EncodeError>) -> Option<Message> {
        message
            .inspect_err(|error| {
                tracing::error!(%error, router = %self.id(), "a message for a router cannot be encoded");
            })
            .ok()
    }

    /// The router as others are told of it.
    pub(crate) fn peer_status(&self) -> PeerStatus {
        PeerStatus::Connected {
            version: self.hello.version.version.clone(),
            listeners: self.reported.lock().listeners.clone(),
        }
    }

    pub(crate) fn set_listeners(&self, listeners: Vec<Listener>) {
        self.reported.lock().listeners = listeners;
    }

    pub(crate) fn set_client_hello(&self, hello: ClientHelloBody) {
        self.reported.lock().client_hello = Some(hello);
    }

    pub(crate) fn set_sync_status(&self, status: SyncStatus) {
        self.reported.lock().sync_status = status;
    }

    /// The router has to confirm that it has these terminators.
    pub(crate) fn expect_terminators(
        &self,
        terminators: impl Iterator<Item = RouterTerminator>,
        now: Moment,
    ) {
        self.validation.lock().add_known(terminators, now);
        self.to_validate.notify_one();
    }

    /// The router has to confirm later on that it still has a terminator, which it may have created now.
    pub(crate) fn expect_terminator(&self, terminator: RouterTerminator, now: Moment) {
        self.validation.lock().add_created(terminator, now);
        self.to_validate.notify_one();
    }

    /// Takes what the router confirms; returns the terminators that it does not have.
    pub(crate) fn confirm_terminators(
        &self,
        states: &ValidatedTerminators,
    ) -> Vec<RouterTerminator> {
        self.validation.lock().answered(states)
    }

    /// Waits until there is something to ask the router about its terminators.
    pub(crate) async fn validation_due(&self, clock: Clock) {
        loop {
            let deadline = self.validation.lock().deadline();
            let changed = self.to_validate.notified();
            match deadline {
                Some(deadline) => tokio::select! {
                    () = tokio::time::sleep_until(clock.instant(deadline)) => return,
                    () = changed => {},
                },
                None => changed.await,
            }
        }
    }

    /// Asks what is to be asked about terminators.
    pub(crate) fn ask_for_terminators(&self, now: Moment) {
        let questions = self.validation.lock().questions(now);
        for question in questions {
            self.send(&ControlMessage::ValidateTerminators(question));
        }
    }

    /// Terminators that the router has yet to confirm.
    pub(crate) fn unconfirmed_terminators(&self) -> UnconfirmedTerminators {
        self.validation.lock().unconfirmed()
    }

    /// What REST shows of the connection.
    pub(crate) fn connection(&self) -> RouterConnection {
        let reported = self.reported.lock();
        let hello = reported.client_hello.as_ref();
        RouterConnection {
            connected_since: Some(self.connected_at),
            disconnected_at: None,
            link_listeners: reported.listeners.iter().map(link_listener).collect(),
            channels: channels(&self.outlet.roles()),
            hostname: hello
                .map(|hello| hello.hostname.clone())
                .unwrap_or_default(),
            supported_protocols: hello.map(supported_protocols).unwrap_or_default(),
            sync_status: reported.sync_status,
            version: version(&self.hello),
        }
    }
}

impl ModelOutlet for Session {
    fn send(&self, message: Message) -> Result<Sent, SendErrorKind> {
        self.send_tracked(message)
    }
}

/// How many connections there are of each type.
fn channels(roles: &[Role]) -> BTreeMap<String, u32> {
    let mut channels = BTreeMap::new();
    for role in roles {
        let name = ChannelKind::Control
            .underlay_type(*role)
            .unwrap_or_default();
        *channels.entry(name.to_owned()).or_insert(0) += 1;
    }
    channels
}

fn link_listener(listener: &Listener) -> LinkListener {
    LinkListener {
        address: listener.address.clone(),
        protocol: listener.protocol.clone(),
        groups: listener.groups.clone(),
    }
}

/// The software of a router.
pub(crate) fn version(hello: &RouterHello) -> RouterVersion {
    let BuildVersion {
        version,
        revision,
        build_date,
        os,
        arch,
    } = hello.version.clone();
    RouterVersion {
        arch,
        build_date,
        os,
        revision,
        version,
    }
}

/// Addresses for clients by protocol; of several with the same protocol, the last one.
fn supported_protocols(hello: &ClientHelloBody) -> BTreeMap<String, String> {
    let address = |address: &EdgeAddress| {
        let EdgeAddress {
            protocol,
            hostname,
            port,
            ..
        } = address;
        (protocol.clone(), format!("{protocol}://{hostname}:{port}"))
    };
    if hello.listeners.is_empty() {
        // As routers before 0.24 said it: pairs of protocol and port.
        let pairs = hello.protocol_ports.iter();
        let pairs = pairs.filter_map(|pair| pair.split_once(':'));
        return pairs
            .map(|(protocol, port)| {
                let url = format!("{protocol}://{}:{port}", hello.hostname);
                (protocol.to_owned(), url)
            })
            .collect();
    }
    let listeners = hello.listeners.iter();
    let advertised = listeners.filter_map(|listener| listener.advertised.as_ref());
    advertised.map(address).collect()
}

/// What a router is to be told of others.
pub(crate) fn peer_changes(
    changes: impl Iterator<Item = (RouterId, PeerStatus)>,
) -> ControlMessage {
    ControlMessage::PeerStateChanges(PeerStateChanges {
        changes: changes
            .map(|(id, status)| status.into_change(&id))
            .collect(),
    })
}
