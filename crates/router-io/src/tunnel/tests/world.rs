//! A router with a tunneler, which dials what it hosts itself.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_router::access::{AccessControl, Replica};
use portcullis_router::circuits::{ForwarderSettings, QueueSize};
use portcullis_router::edge::ControllerId;
#[cfg(target_os = "linux")]
use portcullis_router::tunnel::InterceptSettings;
use portcullis_router::tunnel::{TunnelMode, TunnelSettings};
use portcullis_seeded_random::Random;
use portcullis_transport::Inbox;
use portcullis_tunnel::TunnelOptions;
use portcullis_tunnel_config::Protocol;
use portcullis_tunneler::{ProxyPort, ProxyRule};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{
    Action, Config, ConfigType, Event, Identity, PolicyType, RelatedEntity, Service, ServicePolicy,
    ServicePolicyChange, Subject,
};
use portcullis_xgress::Options;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::time::timeout;

use super::controller::Controller;
use crate::access::{Rights, Verifier};
use crate::channel_pair::control_channel;
use crate::routes::{Dialers, Routes};
use crate::sdk_channels::SdkChannels;
use crate::testing::{TestRouter, controller_id};
use crate::tunnel::{IdleTunnel, InterceptionError, RouterTunnel, TunnelParts};

/// The router, and its identity.
pub(super) const ROUTER: &str = "router";
/// A service without encryption, and one with it.
pub(super) const PLAIN: &str = "wiki";
pub(super) const ENCRYPTED: &str = "vault";

/// Longer than anything here takes.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// A tunneler whose identity may dial and host both services, each of which has a port.
pub(super) struct World {
    pub(super) router: TestRouter,
    pub(super) rights: Arc<Rights>,
    pub(super) controller: Arc<Controller>,
    pub(super) tunnel: RouterTunnel,
    routes: Arc<Routes>,
    ports: Vec<SocketAddr>,
}

/// Random numbers that are the same each time.
struct Seeded(parking_lot::Mutex<Random>);

impl Entropy for Seeded {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let mut random = self.0.lock();
        bytes.fill_with(|| u8::try_from(random.below(256)).unwrap());
        Ok(())
    }
}

impl World {
    /// The servers of both services are of this protocol, at this address.
    pub(super) async fn start(protocol: Protocol, server: SocketAddr) -> Self {
        let ports: Vec<_> = [free_port(), free_port()].into();
        let rules = [PLAIN, ENCRYPTED].iter().zip(&ports);
        let rules = rules.map(|(service, address)| ProxyRule {
            service: (*service).into(),
            port: ProxyPort {
                binding: Some(address.ip().to_string()),
                protocol,
                port: address.port(),
            },
        });
        let mode = TunnelMode::Proxy(rules.collect());
        let started = Self::start_in_mode(mode, ports, protocol, server).await;
        started.expect("nothing is intercepted")
    }

    /// The same without ports: the kernel intercepts.
    #[cfg(target_os = "linux")]
    pub(super) async fn start_intercepting(
        settings: InterceptSettings,
        protocol: Protocol,
        server: SocketAddr,
    ) -> Result<Self, InterceptionError> {
        let mode = TunnelMode::Intercept(Box::new(settings));
        Self::start_in_mode(mode, Vec::new(), protocol, server).await
    }

    async fn start_in_mode(
        mode: TunnelMode,
        ports: Vec<SocketAddr>,
        protocol: Protocol,
        server: SocketAddr,
    ) -> Result<Self, InterceptionError> {
        let router = TestRouter::new(ROUTER);
        let clock = *router.relay.clock();
        let control = AccessControl::new(
            Replica::new("run"),
            Verifier,
            Duration::from_mins(1),
            clock.timestamp(),
        );
        let channels = Arc::new(SdkChannels::default());
        let controllers = Arc::clone(&router.controllers);
        let rights = Arc::new(Rights::new(control, controllers, channels, clock));
        let keeping = Arc::clone(&rights);
        tokio::spawn(async move { keeping.run().await });

        let tunnel = IdleTunnel::new(TunnelParts {
            settings: TunnelSettings {
                entry: 0,
                mode,
                initiating_end: Options::default(),
                terminating_end: Options::default(),
                idle_time: Duration::from_mins(1),
            },
            options: TunnelOptions {
                settle_delay: Duration::ZERO,
                ..TunnelOptions::default()
            },
            router: ROUTER.into(),
            rights: Arc::clone(&rights),
            controllers: Arc::clone(&router.controllers),
            ends: router.ends.clone(),
            entropy: Arc::new(Seeded(parking_lot::Mutex::new(Random::from_seed(1)))),
            most_creations: 5,
            tasks: router.tasks.clone(),
        });
        let tunnel = tunnel.intercepting().await?;
        let reached = tunnel.tunnel();
        tunnel.start(&router.tasks, &router.stop);
        let dialers: Dialers = [("tunnel".to_owned(), reached.dialer())].into();
        let queue = QueueSize {
            waiting: 100,
            workers: 10,
        };
        let forwarder = ForwarderSettings {
            forwarding: portcullis_forwarding::ForwardingOptions::default(),
            link_dials: queue,
            rate_limited: queue,
            service_dials: queue,
            service_dial_pause: Duration::ZERO,
        };
        let dialing = Routes::new(
            Arc::clone(&router.relay),
            Arc::clone(&router.controllers),
            dialers,
            &forwarder,
            router.tasks.clone(),
        );
        let (controller, inbox) = Controller::start(&router, model(protocol, server)).await;
        let world = Self {
            router,
            rights,
            controller,
            tunnel: reached,
            routes: dialing,
            ports,
        };
        world.dispatch(inbox);
        Ok(world)
    }

    /// Hands over what the controller says.
    fn dispatch(&self, mut inbox: Inbox) {
        let id: ControllerId = controller_id();
        let (rights, tunnel) = (Arc::clone(&self.rights), self.tunnel.clone());
        let (routes, controllers) = (
            Arc::clone(&self.routes),
            Arc::clone(&self.router.controllers),
        );
        rights.connected(&id);
        tunnel.connected();
        tokio::spawn(async move {
            while let Some(frame) = inbox.next().await {
                let request = frame.reply_to();
                match ControlMessage::decode(&frame.into_message()).unwrap() {
                    ControlMessage::Route(route) => routes.route(&id, request, route),
                    ControlMessage::Unroute(unroute) => routes.unroute(&unroute),
                    ControlMessage::ValidateTerminators(question) => {
                        let states = tunnel.validate(&question);
                        let answer =
                            portcullis_wire::control::terminator::ValidatedTerminators { states };
                        let answer = ControlMessage::ValidatedTerminators(answer);
                        controllers.reply(&id, &request, &answer);
                    },
                    other => {
                        if let Some(other) = tunnel.handle(other) {
                            rights.receive(&id, other);
                        }
                    },
                }
            }
        });
    }

    /// Connects to the port of a service.
    pub(super) async fn connect(&self, service: &str) -> TcpStream {
        let connecting = async {
            loop {
                match TcpStream::connect(self.port(service)).await {
                    Ok(stream) => return stream,
                    Err(_not_open_yet) => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            }
        };
        timeout(PATIENCE, connecting).await.unwrap()
    }

    pub(super) fn port(&self, service: &str) -> SocketAddr {
        self.ports[usize::from(service == ENCRYPTED)]
    }

    /// Stops the router, and waits until nothing is left.
    pub(super) async fn end(self) {
        self.router.stop.cancel();
        timeout(PATIENCE, self.router.wait_for_ends())
            .await
            .unwrap();
    }
}

fn free_port() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

/// A server that sends back what it gets, and ends when its client has.
pub(super) async fn echo_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut reader, mut writer) = stream.split();
                let _may_be_cut = tokio::io::copy(&mut reader, &mut writer).await;
                let _may_be_gone = writer.write_all(b"end").await;
            });
        }
    });
    address
}

pub(super) async fn echo_datagrams() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut buffer = vec![0; 64 << 10];
        while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
            let _may_be_lost = socket.send_to(&buffer[..length], from).await;
        }
    });
    address
}

/// What a stream still has until its end.
pub(super) async fn read_all(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut all = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut all))
        .await
        .unwrap()?;
    Ok(all)
}

fn model(protocol: Protocol, server: SocketAddr) -> Vec<Event> {
    let host: Value = json!({
        "protocol": protocol.to_string(),
        "address": server.ip().to_string(),
        "port": server.port(),
    });
    let service = |id: &str| {
        Subject::Service(Box::new(Service {
            id: id.to_owned(),
            name: id.to_owned(),
            requires_encryption: id == ENCRYPTED,
            configs: vec!["server".to_owned(), format!("{id}-destination")],
        }))
    };
    let mut all = vec![
        Subject::ConfigType(Box::new(ConfigType {
            id: "host".to_owned(),
            name: "host.v1".to_owned(),
            ..ConfigType::default()
        })),
        Subject::Config(Box::new(Config {
            id: "server".to_owned(),
            type_id: "host".to_owned(),
            name: "server".to_owned(),
            data_json: host.to_string().into(),
        })),
        Subject::ConfigType(Box::new(ConfigType {
            id: "intercept".to_owned(),
            name: "intercept.v1".to_owned(),
            ..ConfigType::default()
        })),
        destination(PLAIN, protocol, "192.0.2.0/24"),
        destination(ENCRYPTED, protocol, "vault.corp"),
        service(PLAIN),
        service(ENCRYPTED),
        Subject::Identity(Box::new(Identity {
            id: ROUTER.to_owned(),
            name: ROUTER.to_owned(),
            ..Identity::default()
        })),
    ];
    for (id, policy_type) in [("dial", PolicyType::Dial), ("bind", PolicyType::Bind)] {
        all.push(Subject::ServicePolicy(Box::new(ServicePolicy {
            id: id.to_owned(),
            name: id.to_owned(),
            policy_type,
        })));
        all.push(relation(
            id,
            RelatedEntity::Service,
            &[PLAIN, ENCRYPTED],
            true,
        ));
        all.push(relation(id, RelatedEntity::Identity, &[ROUTER], true));
    }
    all.into_iter().map(creation).collect()
}

/// What the kernel intercepts for a service, if it intercepts anything.
fn destination(service: &str, protocol: Protocol, address: &str) -> Subject {
    let intercept = json!({
        "protocols": [protocol.to_string()],
        "addresses": [address],
        "portRanges": [{"low": 443, "high": 443}],
    });
    Subject::Config(Box::new(Config {
        id: format!("{service}-destination"),
        type_id: "intercept".to_owned(),
        name: format!("{service}-destination"),
        data_json: intercept.to_string().into(),
    }))
}

pub(super) fn creation(subject: Subject) -> Event {
    Event {
        action: Action::Create,
        subject: Some(subject),
        ..Event::default()
    }
}

/// Adds entities to a policy, or removes them from it.
pub(super) fn relation(
    policy: &str,
    entity_type: RelatedEntity,
    ids: &[&str],
    adds: bool,
) -> Subject {
    Subject::ServicePolicyChange(Box::new(ServicePolicyChange {
        policy_id: policy.to_owned(),
        entity_ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        entity_type,
        adds,
    }))
}

/// Opens both ends of a channel.
pub(super) async fn channel() -> (crate::channel_pair::End, crate::channel_pair::End) {
    control_channel().await
}
