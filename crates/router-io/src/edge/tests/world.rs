//! A router's edge on the loopback, with a controller.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use portcullis_channel::BuildVersion;
use portcullis_domain::clock::Timestamp;
use portcullis_forwarding::ForwardingOptions;
use portcullis_listener::Limits;
use portcullis_memory_budget::MemoryBudget;
use portcullis_metrics::MetricRegistry;
use portcullis_router::circuits::{ForwarderSettings, QueueSize};
use portcullis_router::edge::{
    ControllerId, EdgeLimits, EdgeListenerSettings, EdgeSettings, PresenceReports,
    WebSocketSettings,
};
use portcullis_simulated_sdk::Sdk;
use portcullis_xgress::Options;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::controller::{self, Controller};
use super::network::{Network, SERVICE, Seeded};
use super::sdk::enter;
use crate::access::ModelFile;
use crate::channel_pair::control_channel;
use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::edge::{Edge, EdgeParts};
use crate::ends::Ends;
use crate::listeners::{BoundListeners, Listeners};
use crate::relay::Relay;
use crate::routes::{Dialers, Routes};
use crate::tls::Tls;

pub(super) const ROUTER: &str = "Q-3v6L3R3";
/// How long controllers may take for circuits of SDKs in browsers.
pub(super) const WEB_CIRCUIT_TIME: Duration = Duration::from_secs(2);
/// The second at which networks begin.
pub(super) const START: i64 = 1_900_000_000;

pub(super) struct World {
    pub(super) network: Network,
    pub(super) edge: Edge,
    pub(super) address: SocketAddr,
    /// For SDKs in browsers.
    pub(super) web_address: SocketAddr,
    pub(super) controllers: Arc<Controllers>,
    pub(super) clock: RouterClock,
    pub(super) stop: CancellationToken,
    pub(super) tasks: TaskTracker,
    pub(super) metrics: Arc<MetricRegistry>,
    pub(super) memory: Arc<MemoryBudget>,
    pub(super) ends: Ends,
    routes: Arc<Routes>,
    folder: tempfile::TempDir,
}

impl World {
    /// A router that no controller is connected to.
    pub(super) fn start() -> Self {
        Self::with(EdgeLimits::default())
    }

    pub(super) fn with(limits: EdgeLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let now = Timestamp::from_second(START).unwrap();
        Self::in_folder(limits, Network::new(now), folder)
    }

    fn in_folder(limits: EdgeLimits, network: Network, folder: tempfile::TempDir) -> Self {
        let clock = RouterClock::start(network.now);
        let controllers = Arc::new(Controllers::new(Duration::from_secs(5)));
        let options = ForwardingOptions::default();
        let relay = Relay::new(ROUTER.into(), options, Arc::clone(&controllers), clock);
        let memory = Arc::new(MemoryBudget::new(1 << 30));
        let relay = Arc::new(relay.within(Arc::clone(&memory)));
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let tls = Arc::new(Tls::new(network.router()).unwrap());
        let metrics = Arc::new(MetricRegistry::default());
        let ends = Ends::new(Arc::clone(&relay), &metrics, tasks.clone());
        let settings = EdgeSettings {
            limits,
            heartbeat_interval: Duration::from_mins(1),
            save_interval: Duration::from_secs(30),
        };
        let parts = EdgeParts {
            reports: Some(PresenceReports::default()),
            version: "v0.0.0|local|2020-01-01 01:01:01|linux|amd64"
                .parse::<BuildVersion>()
                .unwrap(),
            settings,
            model_file: ModelFile::new(folder.path().join("edge.db"), Duration::from_millis(10)),
            tls: Arc::clone(&tls),
            controllers: Arc::clone(&controllers),
            ends: ends.clone(),
            metrics: Arc::clone(&metrics),
            entropy: Arc::new(Seeded::new(2)),
            observer: None,
            tasks: tasks.clone(),
            stop: stop.clone(),
        };
        let edge = Edge::start(parts).unwrap();
        let bound = bind(&edge);
        let mut addresses = bound.addresses();
        let address = addresses.next().unwrap();
        let web_address = addresses.next().unwrap();
        drop(addresses);
        bound.serve(&tls, &TaskTracker::new(), &stop);
        let queue = QueueSize {
            waiting: 100,
            workers: 10,
        };
        let forwarder = ForwarderSettings {
            forwarding: options,
            link_dials: queue,
            rate_limited: queue,
            service_dials: queue,
            service_dial_pause: Duration::ZERO,
        };
        let dialers: Dialers = [("edge".to_owned(), edge.dialer())].into();
        let routes = Routes::new(
            relay,
            Arc::clone(&controllers),
            dialers,
            &forwarder,
            tasks.clone(),
        );
        Self {
            network,
            edge,
            address,
            web_address,
            controllers,
            clock,
            stop,
            tasks,
            metrics,
            memory,
            ends,
            routes,
            folder,
        }
    }

    /// A router whose controller has told it of some identities.
    pub(super) async fn connected(identities: &[&str]) -> (Self, Arc<Controller>) {
        let world = Self::start();
        let controller = world.connect(identities).await;
        world.model_has_arrived().await;
        (world, controller)
    }

    /// Connects a controller.
    pub(super) async fn connect(&self, identities: &[&str]) -> Arc<Controller> {
        let id = ControllerId::from("instance-1");
        let (near, far) = control_channel().await;
        let model = self.network.model(identities);
        let controller = Controller::start(far.handle, far.inbox, model);
        let (edge, routes) = (self.edge.clone(), Arc::clone(&self.routes));
        tokio::spawn(controller::dispatch(near.inbox, id.clone(), edge, routes));
        self.controllers.add(id.clone(), near.handle);
        self.edge.connected(&id);
        controller
    }

    pub(super) async fn model_has_arrived(&self) {
        loop {
            let news = self.edge.rights().news();
            if self
                .edge
                .rights()
                .with_model(|model| model.public_keys().next().is_some())
            {
                return;
            }
            news.await;
        }
    }

    /// The same router after a restart.
    pub(super) async fn restart(self) -> Self {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        Self::in_folder(EdgeLimits::default(), self.network, self.folder)
    }

    /// An SDK that hosts [`SERVICE`], and is the end of its circuits or leaves that to the router.
    pub(super) async fn host(&self, identity: &str, uses_xgress: bool) -> Sdk {
        let mut host = self.sdk(identity).await;
        let token = self.network.service_token(identity, SERVICE, "Bind");
        host.binds(&token, "listener", uses_xgress).await;
        host
    }

    /// An SDK that has connected.
    pub(super) async fn sdk(&self, identity: &str) -> Sdk {
        let pair = self.network.identity(identity);
        let token = self.network.access_token(identity, &pair, 1000);
        enter(self.address, &self.network, &pair, Some(&token))
            .await
            .unwrap()
    }
}

/// Binds a listener of each kind.
fn bind(edge: &Edge) -> BoundListeners {
    let listening = EdgeListenerSettings {
        address: String::new(),
        web_sockets: None,
        hello_time: Duration::from_secs(2),
        waiting_clients: 17,
        write_time: None,
        queue_frames: None,
        circuit_time: EdgeLimits::default().circuit_time,
        end_options: Options::default(),
    };
    let for_browsers = EdgeListenerSettings {
        circuit_time: WEB_CIRCUIT_TIME,
        web_sockets: Some(WebSocketSettings::default()),
        ..listening.clone()
    };
    let mut listeners = Listeners::new(Limits::default());
    for (address, settings) in [("127.0.0.1:0", listening), ("127.0.0.2:0", for_browsers)] {
        let protocol = edge.protocol(&settings);
        listeners
            .add_at("`listeners`", vec![address.parse().unwrap()], protocol)
            .unwrap();
    }
    listeners.bind().unwrap()
}
