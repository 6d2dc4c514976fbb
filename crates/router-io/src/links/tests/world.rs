//! Routers, their network, and what stands between them.

mod network;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use portcullis_channel::{HeartbeatOptions, Role};
use portcullis_domain::clock::Clock as _;
use portcullis_forwarding::ForwardingOptions;
use portcullis_listener::Limits;
use portcullis_router::circuits::QueueSize;
use portcullis_router::links::{
    BackoffPolicy, ConnectionLayout, Dialer, GroupNames, LinkListener, LinkSettings,
};
use portcullis_system::{SystemClock, SystemEntropy};
use portcullis_wire::control::peer::{self, PeerState, PeerStateChange, PeerStateChanges};
use portcullis_yaml::syntax::HostPort;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::controller::{self, Enrolled, Told};
use crate::channel_traces::ChannelTraces;
use crate::clock::RouterClock;
use crate::controllers::Controllers;
use crate::links::{LinkManager, LinkParts, LinkView};
use crate::listeners::Listeners;
use crate::relay::Relay;
use crate::socket_mark::SocketMark;
use crate::tls::Tls;

pub(super) use self::network::TestNetwork;

/// The group of all routers in tests.
pub(super) const GROUP: &str = "default";

/// Routers of one network and its controller.
pub(super) struct World {
    pub(super) network: TestNetwork,
    pub(super) enrolled: Enrolled,
}

pub(super) struct TestRouter {
    pub(super) id: String,
    pub(super) relay: Arc<Relay>,
    pub(super) manager: Arc<LinkManager>,
    pub(super) tls: Arc<Tls>,
    pub(super) told: Told,
    pub(super) controllers: Arc<Controllers>,
    pub(super) address: SocketAddr,
    pub(super) stop: CancellationToken,
    pub(super) running: JoinHandle<()>,
}

impl World {
    pub(super) fn new() -> Self {
        Self {
            network: TestNetwork::new(),
            enrolled: Enrolled::default(),
        }
    }

    /// Starts a router that the controller knows.
    pub(super) async fn router(&self, id: &str) -> TestRouter {
        self.router_with(id, settings()).await
    }

    pub(super) async fn router_with(&self, id: &str, settings: LinkSettings) -> TestRouter {
        let credentials = self.network.credentials(id);
        let fingerprint = network::fingerprint(&credentials);
        self.enrolled.lock().insert(id.to_owned(), fingerprint);
        TestRouter::start(id, Tls::new(credentials).unwrap(), settings, &self.enrolled).await
    }
}

impl TestRouter {
    pub(super) async fn start(
        id: &str,
        tls: impl Into<Arc<Tls>>,
        settings: LinkSettings,
        enrolled: &Enrolled,
    ) -> Self {
        let clock = RouterClock::start(SystemClock.now());
        let controllers = Arc::new(Controllers::new(Duration::from_secs(5)));
        let told = controller::connect(&controllers, enrolled).await;
        let options = ForwardingOptions::default();
        let relay = Relay::new(id.into(), options, Arc::clone(&controllers), clock);
        let (relay, tls) = (Arc::new(relay), tls.into());
        let manager = LinkManager::new(LinkParts {
            mark: SocketMark::default(),
            router: id.into(),
            version: "v2.1.0".to_owned(),
            settings,
            dials: QueueSize {
                waiting: 10,
                workers: 4,
            },
            relay: Arc::clone(&relay),
            metrics: Arc::default(),
            controllers: Arc::clone(&controllers),
            tls: Arc::clone(&tls),
            clock,
            entropy: Arc::new(SystemEntropy),
            observer: None,
            traces: ChannelTraces::new(
                id.into(),
                clock,
                Arc::clone(&controllers),
                TaskTracker::new(),
            ),
        });
        let mut listeners = Listeners::new(Limits::default());
        for (place, protocol) in manager.protocols() {
            let added = listeners.add("`link.listeners`", &place, protocol);
            added.await.unwrap();
        }
        let bound = listeners.bind().unwrap();
        let address = bound.addresses().next().unwrap();
        let stop = CancellationToken::new();
        bound.serve(&tls, &TaskTracker::new(), &stop);
        let running = tokio::spawn(Arc::clone(&manager).run(stop.clone()));
        Self {
            id: id.to_owned(),
            relay,
            manager,
            tls,
            told,
            controllers,
            address,
            stop,
            running,
        }
    }

    /// Learns of another router at an address.
    pub(super) fn learn(&self, id: &str, version: &str, address: SocketAddr) {
        // All listen on the same interface.
        let own = self.manager.announcements().remove(0);
        let interface = own.local_binding;
        self.manager.peers_changed(&PeerStateChanges {
            changes: vec![PeerStateChange {
                id: id.to_owned(),
                version: version.to_owned(),
                state: PeerState::Healthy,
                listeners: vec![peer::Listener {
                    address: format!("tls:localhost:{}", address.port()),
                    protocol: "tls".to_owned(),
                    groups: vec![GROUP.to_owned()],
                    local_binding: interface,
                }],
            }],
        });
    }

    pub(super) fn learn_of(&self, other: &Self) {
        self.learn(&other.id, "v2.1.0", other.address);
    }

    /// The links that may carry something.
    pub(super) fn used(&self) -> Vec<LinkView> {
        let views = self.manager.views().into_iter();
        views.filter(|link| link.is_used).collect()
    }

    /// Waits for one link, of so many connections.
    pub(super) async fn linked(&self, connections: usize) -> LinkView {
        let mut found = None;
        wait_until(|| {
            let links = self.used();
            found = links
                .into_iter()
                .find(|link| link.roles.len() == connections);
            found.is_some()
        })
        .await;
        found.unwrap()
    }

    /// The connections of the only link, by role.
    pub(super) fn roles(&self) -> BTreeMap<Role, usize> {
        let mut roles = BTreeMap::new();
        for role in self.used().into_iter().flat_map(|link| link.roles) {
            *roles.entry(role).or_default() += 1;
        }
        roles
    }
}

impl Drop for TestRouter {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Settings with short times.
pub(super) fn settings() -> LinkSettings {
    let millis = Duration::from_millis;
    let backoff = BackoffPolicy::new(millis(50), millis(200), 1.5).unwrap();
    LinkSettings {
        dialers: vec![Dialer {
            from: None,
            interface: None,
            groups: GroupNames::new([GROUP]),
            healthy: backoff,
            unhealthy: backoff,
            startup_delay: millis(20),
            connections: ConnectionLayout::Multiple {
                data: 3,
                acknowledgments: 1,
            },
            split: true,
            connect_timeout: millis(3_000),
        }],
        listeners: vec![LinkListener {
            bind: HostPort {
                host: "127.0.0.1".to_owned(),
                port: 0,
            },
            advertise: "tls:localhost:10080".to_owned(),
            interface: None,
            groups: GroupNames::new([GROUP]),
            connect_timeout: millis(3_000),
            max_unknown: 16,
        }],
        heartbeats: HeartbeatOptions {
            send_interval: millis(1_000),
            check_interval: millis(100),
            answer_within: millis(2),
            close_after: millis(20_000),
            grace: millis(20_000),
        },
        payload_queue: 128,
        acknowledgment_queue: 64,
    }
}

/// Waits until a condition holds.
pub(super) async fn wait_until(mut holds: impl FnMut() -> bool) {
    let waiting = async {
        while !holds() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(30), waiting)
        .await
        .expect("it comes to that");
}
