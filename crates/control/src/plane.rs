//! The control plane: what all connections of routers share.

use crate::channel_watch::ChannelWatch;
use crate::client_sessions::{ClientSessions, Wanted};
use crate::enforcement::{self, Enforcement};
use crate::events::RecentReports;
use crate::frame_counts::FrameCounts;
use crate::identities::ConnectedIdentities;
use crate::identity_traces::IdentityTraces;
use crate::model::ModelPublisher;
use crate::network::{LiveFabric, Outputs};
use crate::places::Places;
use crate::sessions::Sessions;
use crate::traces::Traces;
use crate::traffic::ChannelTraffic;
use portcullis_app::App;
use portcullis_channel::group::GroupLimits;
use portcullis_channel::{BuildVersion, UnixNanos};
use portcullis_domain::Env;
use portcullis_domain::clock::Timestamp;
use portcullis_fabric::{FabricOptions, Moment};
use portcullis_transport::{Clock, Groups, Observer, Transport, TransportLimits};
use portcullis_wire::capability::{Capabilities, ControllerCapability};
use portcullis_wire::control::hello::ControllerHello;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What a controller can do for routers.
const CAPABILITIES: [ControllerCapability; 6] = [
    ControllerCapability::CreateTerminatorV2,
    ControllerCapability::DialedLinksOnly,
    ControllerCapability::CreateCircuitV2,
    ControllerCapability::RouterDataModel,
    ControllerCapability::GroupedConnections,
    ControllerCapability::LegacySessionsAreJwts,
];

/// Options of a [`ControlPlane`](crate::ControlPlane).
#[derive(Debug, Clone)]
pub struct ControlOptions {
    /// What the controller calls itself towards routers. They compare it with what they need, so it
    /// follows OpenZiti's versions.
    pub version: BuildVersion,
    pub fabric: FabricOptions,
    /// How long a channel of a router is safe from being replaced by another one.
    pub takeover_after: Duration,
    /// How often it is told how dials have ended.
    pub report_interval: Duration,
    /// How long after its start it is told how the dials of a minute have ended; at least a minute.
    pub interval_age: Duration,
    /// Maximum number of connections of routers; a further one is refused.
    pub max_connections: usize,
}

pub(crate) struct Plane {
    pub(crate) app: Arc<App>,
    pub(crate) hello: ControllerHello,
    pub(crate) transport: Transport,
    pub(crate) traces: Arc<Traces>,
    pub(crate) identity_traces: Arc<IdentityTraces>,
    pub(crate) network: Arc<LiveFabric>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) identities: Arc<ConnectedIdentities>,
    pub(crate) report_interval: Duration,
    pub(crate) interval_age: Duration,
    pub(crate) recent_reports: RecentReports,
    pub(crate) client_sessions: ClientSessions,
    pub(crate) model: Arc<ModelPublisher>,
    pub(crate) enforcement: Enforcement,
    /// By the fingerprints that routers have proved.
    pub(crate) groups: Groups<String>,
    pub(crate) places: Places,
    pub(crate) traffic: Arc<ChannelTraffic>,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

/// What the tasks of a control plane wait for.
pub(crate) struct Inboxes {
    pub(crate) outputs: Outputs,
    /// Routers that want all sessions of clients.
    pub(crate) wanted: Wanted,
    /// What may end rights.
    pub(crate) enforced: enforcement::Inbox,
}

impl Plane {
    pub(crate) fn new(
        app: Arc<App>,
        options: ControlOptions,
        stop: CancellationToken,
    ) -> (Self, Inboxes) {
        let wall = u64::try_from(app.env().now().as_nanosecond()).unwrap_or_default();
        let clock = Clock::start(UnixNanos(wall));
        let identity_traces = Arc::new(IdentityTraces::new(&app));
        let (network, outputs) =
            LiveFabric::new(options.fabric, clock, Arc::clone(&identity_traces));
        let (client_sessions, wanted) = ClientSessions::new();
        let (enforcement, enforced) = Enforcement::new();
        let model = Arc::new(ModelPublisher::new(Arc::clone(&app), clock));
        let traces = Arc::new(Traces::new(clock));
        traces.register(app.metrics());
        let traffic = ChannelTraffic::register(app.metrics().registry());
        let watch: Arc<dyn Observer> = Arc::new(ChannelWatch {
            frames: FrameCounts::register(app.metrics()),
            traffic: Arc::clone(&traffic),
            traces: Arc::clone(&traces),
        });
        let transport = Transport::new(clock, TransportLimits::default());
        let plane = Self {
            app,
            hello: ControllerHello {
                version: options.version,
                capabilities: Capabilities::of(CAPABILITIES),
            },
            transport: transport.observed(Some(watch)),
            traces,
            identity_traces,
            network,
            sessions: Arc::new(Sessions::new(options.takeover_after)),
            identities: Arc::default(),
            report_interval: options.report_interval,
            interval_age: options.interval_age,
            recent_reports: RecentReports::default(),
            client_sessions,
            model,
            enforcement,
            groups: Groups::new(clock, GroupLimits::default()),
            places: Places::new(options.max_connections),
            traffic,
            tasks: TaskTracker::new(),
            stop,
        };
        let inboxes = Inboxes {
            outputs,
            wanted,
            enforced,
        };
        (plane, inboxes)
    }

    pub(crate) fn now(&self) -> Moment {
        self.transport.clock().now().mono
    }

    /// A moment on the wall clock.
    pub(crate) fn wall_time(&self, moment: Moment) -> Timestamp {
        wall_time(self.app.env(), self.transport.clock(), moment)
    }

    /// Version of the list of controllers. It never changes while the controller runs, and is higher
    /// after the next start, when it may be another.
    pub(crate) fn addresses_index(&self) -> u64 {
        let started = self.app.network().serving_state().controller.started_at;
        u64::try_from(started.as_second()).unwrap_or(1).max(1)
    }

    /// The id under which routers know this controller.
    pub(crate) fn controller_id(&self) -> String {
        self.app.network().serving_state().controller.id.to_string()
    }
}

/// A moment on the wall clock.
pub(crate) fn wall_time(env: &Env, clock: Clock, moment: Moment) -> Timestamp {
    let now = clock.now().mono;
    let time = env.now();
    time.checked_sub(now.since(moment)).unwrap_or(time)
}
