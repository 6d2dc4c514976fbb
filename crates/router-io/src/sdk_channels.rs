//! The open channels of SDKs, as others reach them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use parking_lot::RwLock;
use portcullis_router::edge::{
    ApiSession, BindKey, ChannelId, CircuitEnded, EdgeLimits, EndId, Flow, HostEvent, IdentityId,
    Offer, ServiceSessionId,
};
use portcullis_transport::ChannelHandle;
use portcullis_wire::Secret;
use portcullis_wire::control::route::RouteOutcome;
use portcullis_wire::edge::ConnectionId;
use portcullis_wire::xgress::Control;
use portcullis_xgress::Side;
use tokio::sync::{Notify, mpsc, oneshot};

/// The channels of all SDKs of a router.
#[derive(Debug, Default)]
pub(crate) struct SdkChannels {
    open: RwLock<BTreeMap<ChannelId, Arc<SdkHandle>>>,
    last: AtomicU64,
}

/// What others hold of the channel of an SDK.
#[derive(Debug)]
pub(crate) struct SdkHandle {
    pub(crate) id: ChannelId,
    pub(crate) identity: IdentityId,
    pub(crate) channel: ChannelHandle,
    commands: mpsc::Sender<Command>,
    noticed: AtomicU8,
    notices: Notify,
}

/// What others want of a channel. Each is bounded by what it is about: there are at most two ends of each circuit,
/// and few events of a bind.
#[derive(Debug)]
pub(crate) enum Command {
    Offer(Box<Offer>, oneshot::Sender<RouteOutcome>),
    Host(BindKey, Box<HostEvent>),
    /// A circuit has ended without the SDK.
    CircuitEnded(EndId, CircuitEnded),
    /// A trace, or the answer to one. May be dropped.
    Control(EndId, Box<Control>),
    Renew(Arc<ApiSession>),
    EndServiceSessions(Arc<[ServiceSessionId]>),
    /// For a reason.
    End(String),
    /// Asks the SDK for a value.
    Inspect(SdkQuestion, oneshot::Sender<Result<Secret<String>, String>>),
}

/// What an SDK is asked about itself, or about one of its connections.
#[derive(Debug)]
pub(crate) struct SdkQuestion {
    pub(crate) connection: Option<ConnectionId>,
    /// Such as `context`.
    pub(crate) name: String,
}

/// An end of a circuit at an SDK.
#[derive(Debug, Clone)]
pub(crate) struct SdkEnd {
    pub(crate) sdk: Arc<SdkHandle>,
    pub(crate) connection: ConnectionId,
    pub(crate) side: Side,
    pub(crate) flow: Flow,
}

/// Something that is only looked at, so that it does not matter how often it was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notice {
    /// Rights may be lost.
    Review = 1,
    /// The services of the identity may have changed.
    Services = 2,
    /// The state of the posture may have changed.
    Posture = 4,
}

/// The notices of a channel that it has not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Notices(u8);

impl SdkChannels {
    /// A number for a channel.
    pub(crate) fn next_id(&self) -> ChannelId {
        ChannelId(self.last.fetch_add(1, Ordering::Relaxed) + 1)
    }

    pub(crate) fn add(&self, handle: Arc<SdkHandle>) {
        self.open.write().insert(handle.id, handle);
    }

    pub(crate) fn remove(&self, channel: ChannelId) {
        self.open.write().remove(&channel);
    }

    pub(crate) fn get(&self, channel: ChannelId) -> Option<Arc<SdkHandle>> {
        self.open.read().get(&channel).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<SdkHandle>> {
        self.open.read().values().cloned().collect()
    }

    pub(crate) fn command(&self, channel: ChannelId, command: Command) {
        if let Some(handle) = self.get(channel) {
            handle.command(command);
        }
    }

    pub(crate) fn notice(&self, channel: ChannelId, notice: Notice) {
        if let Some(handle) = self.get(channel) {
            handle.notice(notice);
        }
    }
}

impl SdkHandle {
    /// The handle, and where its commands come out.
    pub(crate) fn new(
        id: ChannelId,
        identity: IdentityId,
        channel: ChannelHandle,
        limits: &EdgeLimits,
    ) -> (Arc<Self>, mpsc::Receiver<Command>) {
        let (commands, receiver) = mpsc::channel(most_commands(limits));
        let handle = Self {
            id,
            identity,
            channel,
            commands,
            noticed: AtomicU8::new(0),
            notices: Notify::new(),
        };
        (Arc::new(handle), receiver)
    }

    /// Hands over a command. If there is no room, the channel has stood still for long, and is closed.
    pub(crate) fn command(&self, command: Command) {
        use mpsc::error::TrySendError;
        if let Err(TrySendError::Full(_)) = self.commands.try_send(command) {
            tracing::warn!(channel = self.id.0, identity = %self.identity, "the channel of a client is closed: it takes nothing");
            self.channel.close();
        }
    }

    /// Hands over something that may be dropped.
    pub(crate) fn suggest(&self, command: Command) {
        let _is_dropped = self.commands.try_send(command);
    }

    /// Asks the SDK. The answer is JSON; the error says for people why there is none.
    pub(crate) async fn ask(&self, question: SdkQuestion) -> Result<Secret<String>, String> {
        let (answer, asked) = oneshot::channel();
        self.suggest(Command::Inspect(question, answer));
        let unavailable = |_dropped| Err("the client is not available".to_owned());
        asked.await.unwrap_or_else(unavailable)
    }

    pub(crate) fn notice(&self, notice: Notice) {
        self.noticed.fetch_or(notice as u8, Ordering::AcqRel);
        self.notices.notify_one();
    }

    /// Waits for notices, and takes them.
    pub(crate) async fn noticed(&self) -> Notices {
        loop {
            self.notices.notified().await;
            let noticed = self.noticed.swap(0, Ordering::AcqRel);
            if noticed != 0 {
                return Notices(noticed);
            }
        }
    }
}

impl Notices {
    pub(crate) const fn contains(self, notice: Notice) -> bool {
        self.0 & notice as u8 != 0
    }
}

/// All circuits of a channel may end at once, and several things may happen to each bind.
const fn most_commands(limits: &EdgeLimits) -> usize {
    limits.connections + 4 * limits.binds + limits.pending_offers + 64
}
