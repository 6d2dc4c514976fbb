//! The edge: SDKs get in, dial and host.
//!
//! ```text
//! listener -> login -> ChannelTask: SdkChannel <- SdkHandle <- Rights, Hosts, HostDialer, ends of circuits
//!                          |
//!                          +-> Circuits: ends in the router, or SDKs as destinations of the relay
//!                          +-> Rights (access), Hosts (terminators), Attendance (who is connected)
//! ```
//!
//! Each channel of an SDK has one task. What circuits carry to an SDK does not pass through it: it goes
//! straight to the queue of the channel, and what has no room there is held back in its circuit, or sent again
//! by the other end. So an SDK that reads nothing holds up its own circuits only.
//!
//! Memory of a channel: what [`EdgeLimits`] and [`TransportLimits`](portcullis_transport::TransportLimits) say,
//! and 4096 messages that wait for room. Idle, it takes some 35 KiB with its TLS session, and wakes only when
//! its token expires. All channels of an identity have one share of the router's memory, and their circuits, too.

mod attendance;
mod channel_task;
mod circuits;
mod destination;
mod dialer;
mod hosts;
mod input;
mod listener;
mod local_side;
mod login;
mod metrics;
mod outbox;
mod sending;
#[cfg(test)]
mod tests;
mod web_socket;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use portcullis_channel::group::GroupLimits;
use portcullis_channel::{BuildVersion, ReplyTo};
use portcullis_domain::entropy::{self, Entropy, EntropyError};
use portcullis_listener::{Limits, StreamService};
use portcullis_metrics::MetricRegistry;
use portcullis_router::access::AccessControl;
use portcullis_router::edge::{
    ControllerId, EdgeLimits, EdgeListenerSettings, EdgeSettings, Hosting, IdentityId, Presence,
    PresenceReports, SdkPeer,
};
use portcullis_transport::{Groups, Observer};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::{ValidateTerminators, ValidatedTerminators};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::attendance::Attendance;
use self::dialer::HostDialer;
use self::hosts::Hosts;
use self::listener::SdkListener;
use self::metrics::EdgeMetrics;
use self::web_socket::WebSocketListener;
use crate::access::{ClientTrust, ModelFile, Rights, Verifier};
use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::ends::Ends;
use crate::listeners::{Protocol, Unasked};
use crate::refusal_log::RefusalLog;
use crate::routes::Dialer;
use crate::sdk_channels::{Command, SdkChannels, SdkHandle};
use crate::tls::Tls;

/// How long a router that stops waits for controllers to answer what its clients have asked.
const LEAVE_TIME: Duration = Duration::from_secs(3);

/// What SDKs are told when the router stops.
const STOPPING: &str = "the router is shutting down";

/// The edge of a router.
#[derive(Clone)]
pub(crate) struct Edge {
    shared: Arc<Shared>,
}

/// What an edge is made of.
pub(crate) struct EdgeParts {
    /// What SDKs are told of this program.
    pub(crate) version: BuildVersion,
    pub(crate) settings: EdgeSettings,
    /// `None` if controllers are not told who is connected.
    pub(crate) reports: Option<PresenceReports>,
    pub(crate) model_file: ModelFile,
    pub(crate) tls: Arc<Tls>,
    pub(crate) controllers: Arc<Controllers>,
    pub(crate) ends: Ends,
    pub(crate) metrics: Arc<MetricRegistry>,
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Is shown all messages, if there is one.
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

/// What the tasks of the edge share.
struct Shared {
    router: Arc<str>,
    version: BuildVersion,
    clock: RouterClock,
    limits: EdgeLimits,
    entropy: Arc<dyn Entropy>,
    controllers: Arc<Controllers>,
    ends: Ends,
    channels: Arc<SdkChannels>,
    rights: Arc<Rights>,
    trust: ClientTrust,
    tls: Arc<Tls>,
    hosts: Arc<Hosts>,
    presence: Attendance,
    metrics: EdgeMetrics,
    groups: Groups<SdkPeer>,
    refusals: RefusalLog,
    /// The tasks of channels.
    clients: TaskTracker,
    observer: Option<Arc<dyn Observer>>,
    stop: CancellationToken,
}

impl Edge {
    /// Reads the file of the data model, and starts the tasks of the edge, which end with `stop`.
    pub(crate) fn start(parts: EdgeParts) -> Result<Self, EntropyError> {
        let clock = *parts.ends.relay().clock();
        let now = clock.timestamp();
        let limits = parts.settings.limits;
        let replica = parts.model_file.read(&entropy::uuid(&*parts.entropy)?);
        let control = AccessControl::new(replica, Verifier, parts.settings.heartbeat_interval, now);
        let channels = Arc::new(SdkChannels::default());
        let controllers = &parts.controllers;
        let rights = Arc::new(Rights::new(
            control,
            Arc::clone(controllers),
            Arc::clone(&channels),
            clock,
        ));
        let hosts = Arc::new(Hosts::new(
            Hosting::new(Arc::clone(&parts.entropy), limits),
            Arc::clone(controllers),
            Arc::clone(&channels),
            parts.tasks.clone(),
            clock,
        ));
        let shared = Arc::new(Shared {
            router: Arc::clone(parts.ends.relay().router()),
            version: parts.version,
            clock,
            limits,
            entropy: parts.entropy,
            trust: ClientTrust::new(Arc::clone(&rights), Arc::clone(&parts.tls)),
            tls: parts.tls,
            presence: Attendance::new(
                Presence::new(limits, parts.reports, now),
                Arc::clone(controllers),
                clock,
            ),
            metrics: EdgeMetrics::new(&parts.metrics),
            groups: Groups::new(clock.of_channels(), GroupLimits::default()),
            refusals: RefusalLog::of_clients(clock),
            controllers: parts.controllers,
            ends: parts.ends,
            observer: parts.observer,
            channels,
            rights,
            hosts,
            clients: TaskTracker::new(),
            stop: parts.stop,
        });
        parts.metrics.add_source(&shared);
        shared.spawn_tasks(parts.model_file, &parts.tasks);
        Ok(Self { shared })
    }

    /// Lets SDKs in at a listener: both those that ask for the protocol and those that ask for none.
    pub(crate) fn protocol(&self, settings: &EdgeListenerSettings) -> Protocol {
        let sdks = SdkListener::new(Arc::clone(&self.shared), settings);
        let (alpn, service): (_, Arc<dyn StreamService>) = match settings.web_sockets {
            Some(web_sockets) => {
                let tls = Arc::clone(&self.shared.tls);
                let service = WebSocketListener::new(sdks, tls, web_sockets);
                (web_socket::PROTOCOL, Arc::new(service))
            },
            None => (listener::PROTOCOL, Arc::new(sdks)),
        };
        let is_web = settings.web_sockets.is_some();
        Protocol {
            alpn,
            unasked: if is_web {
                Unasked::IfNoOther
            } else {
                Unasked::Always
            },
            wants_certificates: !is_web,
            service,
            max_unknown: settings
                .waiting_clients
                .max(Limits::default().max_half_open)
                .min(self.shared.limits.channels),
        }
    }

    /// Of the binding `edge`.
    pub(crate) fn dialer(&self) -> Arc<dyn Dialer> {
        Arc::new(HostDialer {
            hosts: Arc::clone(&self.shared.hosts),
            channels: Arc::clone(&self.shared.channels),
        })
    }

    /// Who may do what.
    pub(crate) fn rights(&self) -> &Arc<Rights> {
        &self.shared.rights
    }

    pub(crate) fn limits(&self) -> &EdgeLimits {
        &self.shared.limits
    }

    /// Reads what is hosted.
    pub(crate) fn with_hosting<R>(&self, read: impl FnOnce(&Hosting) -> R) -> R {
        self.shared.hosts.with(read)
    }

    /// Reads who is connected.
    pub(crate) fn with_presence<R>(&self, read: impl FnOnce(&Presence) -> R) -> R {
        self.shared.presence.with(read)
    }

    /// The channels of all SDKs.
    pub(crate) fn channels(&self) -> Vec<Arc<SdkHandle>> {
        self.shared.channels.all()
    }

    /// The channels of an identity.
    pub(crate) fn channels_of(&self, identity: &IdentityId) -> Vec<Arc<SdkHandle>> {
        let channels = self.shared.presence.channels_of(identity).into_iter();
        channels
            .filter_map(|channel| self.shared.channels.get(channel))
            .collect()
    }

    /// Number of open channels.
    #[cfg(test)]
    pub(crate) fn clients(&self) -> usize {
        self.shared.presence.len()
    }

    /// A control channel is open.
    pub(crate) fn connected(&self, controller: &ControllerId) {
        self.shared.rights.connected(controller);
        self.shared.hosts.controller_connected();
        self.shared.presence.controller_connected();
    }

    /// It has ended.
    pub(crate) fn disconnected(&self, controller: &ControllerId) {
        self.shared.rights.disconnected(controller);
    }

    /// Which of a controller's terminators there are, as far as SDKs host them or nobody has to.
    pub(crate) fn validate(&self, question: &ValidateTerminators) -> ValidatedTerminators {
        self.shared.hosts.validate(question)
    }

    /// Handles a message of a controller about the data model, sessions or terminators. Returns any other
    /// one.
    pub(crate) fn handle(
        &self,
        from: &ControllerId,
        request: &ReplyTo,
        message: ControlMessage,
    ) -> Option<ControlMessage> {
        use ControlMessage as Says;
        let shared = &self.shared;
        match message {
            Says::DataState(_)
            | Says::ChangeSet(_)
            | Says::CurrentIndex(_)
            | Says::ApiSessionsAdded(_)
            | Says::ApiSessionsUpdated(_)
            | Says::ApiSessionsRemoved(_)
            | Says::SessionsRemoved(_) => shared.rights.receive(from, message),
            Says::ValidateDataState(question) => {
                let answer = Says::DataStateValidation(shared.rights.validate(question));
                shared.controllers.reply(from, request, &answer);
            },
            Says::CreateTerminatorAnswerV2(answer) => shared.hosts.create_answered(answer),
            Says::ValidateTerminatorsV1(question) => shared.hosts.validate_v1(&question),
            other => return Some(other),
        }
        None
    }
}

impl Shared {
    fn spawn_tasks(self: &Arc<Self>, model_file: ModelFile, tasks: &TaskTracker) {
        let spawn = |task: BoxFuture<'static, ()>| {
            tasks.spawn(self.stop.clone().run_until_cancelled_owned(task));
        };
        let shared = Arc::clone(self);
        spawn(Box::pin(async move { shared.rights.run().await }));
        let shared = Arc::clone(self);
        spawn(Box::pin(async move { shared.presence.run().await }));
        spawn(Box::pin(Arc::clone(&self.hosts).run()));
        let (file, rights) = (model_file.clone(), Arc::clone(&self.rights));
        spawn(Box::pin(async move { file.keep(rights).await }));
        tasks.spawn(Arc::clone(self).end(model_file));
    }

    /// Waits for the end of the router, and takes leave of all clients.
    async fn end(self: Arc<Self>, model_file: ModelFile) {
        self.stop.cancelled().await;
        for handle in self.channels.all() {
            handle.command(Command::End(STOPPING.to_owned()));
        }
        self.wait_for_clients().await;
        model_file.write(&self.rights).await;
    }

    /// Waits until all channels have ended, but not for answers that do not come.
    async fn wait_for_clients(&self) {
        self.clients.close();
        let _some_are_left = timeout(LEAVE_TIME, self.clients.wait()).await;
    }
}
