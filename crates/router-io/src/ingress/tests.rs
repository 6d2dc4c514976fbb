//! Listeners before real sockets, and a controller that creates every circuit that it likes.

mod packets;
mod streams;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use portcullis_listener::Limits;
use portcullis_router::ingress::ingress_settings;
use portcullis_router_config::{CheckOptions, SourceFile, load};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::alert::Alert;
use portcullis_wire::control::circuit::{CircuitCreated, CircuitFailed, CircuitRequest};
use portcullis_wire::control::route::DestinationKind::{End, Start as Beginning};
use portcullis_wire::control::route::Route;
use portcullis_wire::peer_data::PeerData;
use portcullis_xgress::{Options, Side};
use tokio::io::{copy, duplex, split};
use tokio::time::{sleep, timeout};

use super::Ingress;
use crate::channel_pair;
use crate::ends::{EndTerms, Ends, SocketSide, Start};
use crate::relay::Relay;
use crate::testing::{TestCertificate, TestRouter, controller_id, forward};

/// Longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A router with its listeners, whose controller has a service that echoes.
struct World {
    router: TestRouter,
    certificate: TestCertificate,
    addresses: Vec<SocketAddr>,
    requests: Arc<Mutex<Vec<CircuitRequest>>>,
    /// Circuits that the router has told the end of.
    ended: Arc<Mutex<Vec<String>>>,
    alerts: Arc<Mutex<Vec<Alert>>>,
}

impl World {
    /// With one listener of the file, whose address has any port.
    async fn new(listener: &str) -> Self {
        let world = Self::without_controller(listener).await;
        let (router, controller) = channel_pair::control_channel().await;
        world.router.controllers.add(controller_id(), router.handle);
        let services = Services {
            relay: Arc::clone(&world.router.relay),
            ends: world.router.ends.clone(),
            requests: Arc::clone(&world.requests),
            ended: Arc::clone(&world.ended),
            alerts: Arc::clone(&world.alerts),
        };
        tokio::spawn(services.serve(controller, router.inbox));
        world
    }

    async fn without_controller(listener: &str) -> Self {
        Self::limited(listener, Limits::default()).await
    }

    async fn limited(listener: &str, limits: Limits) -> Self {
        let text = format!("listeners: [{listener}]\n");
        let file = SourceFile::new("router.yml", text.as_bytes());
        let config = load(&file, &CheckOptions::new()).config;
        let settings = ingress_settings(&config.listeners).unwrap();
        let certificate = TestCertificate::for_localhost();
        let tls = Arc::new(certificate.tls());
        let router = TestRouter::new("router");
        let opening = Ingress::open(settings, &router.ends, &router.controllers, &tls, &limits);
        let ingress = opening.await.unwrap();
        let addresses = ingress.addresses();
        ingress.serve(&router.tasks, &router.stop);
        Self {
            router,
            certificate,
            addresses,
            requests: Arc::default(),
            ended: Arc::default(),
            alerts: Arc::default(),
        }
    }

    fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// What was asked of the controller.
    fn requests(&self) -> Vec<(String, String)> {
        let requests = self.requests.lock();
        requests
            .iter()
            .map(|request| (request.client.clone(), request.service.clone()))
            .collect()
    }

    /// Stops listening, and waits until nothing is left.
    async fn end(self) {
        self.router.stop.cancel();
        let gone = timeout(PATIENCE, self.router.wait_for_ends());
        gone.await.unwrap();
    }
}

/// What the controller has.
struct Services {
    relay: Arc<Relay>,
    ends: Ends,
    requests: Arc<Mutex<Vec<CircuitRequest>>>,
    ended: Arc<Mutex<Vec<String>>>,
    alerts: Arc<Mutex<Vec<Alert>>>,
}

/// A service for which the controller takes this long.
const LATE: &str = "late";
const LATE_BY: Duration = Duration::from_millis(300);

impl Services {
    async fn serve(self, mut controller: channel_pair::End, _router: portcullis_transport::Inbox) {
        while let Some(frame) = controller.inbox.next().await {
            let request = frame.reply_to();
            let message = ControlMessage::decode(&frame.into_message()).unwrap();
            let wanted = match message {
                ControlMessage::CircuitRequest(wanted) => wanted,
                ControlMessage::Fault(fault) => {
                    self.ended.lock().push(fault.id);
                    continue;
                },
                ControlMessage::Alerts(told) => {
                    self.alerts.lock().extend(told.alerts);
                    continue;
                },
                _ => continue,
            };
            if wanted.service == LATE {
                sleep(LATE_BY).await;
            }
            let answer = self.answer(wanted);
            let encoded = answer.encode().unwrap();
            let priority = answer.priority();
            controller
                .handle
                .reply(&request, priority, encoded)
                .unwrap();
        }
    }

    fn answer(&self, request: CircuitRequest) -> ControlMessage {
        let service = request.service.clone();
        let number = {
            let mut requests = self.requests.lock();
            requests.push(request);
            requests.len()
        };
        if service != "echo" && service != LATE {
            return ControlMessage::CircuitFailed(CircuitFailed {
                reason: format!("there is no service {service}"),
            });
        }
        let circuit = format!("circuit-{number}");
        let (near, far) = (format!("near-{number}"), format!("far-{number}"));
        self.open_echo(&circuit, &far);
        let route = Route {
            circuit_id: circuit.clone(),
            forwards: vec![
                forward((&near, Beginning), (&far, End)),
                forward((&far, End), (&near, Beginning)),
            ],
            ..Route::default()
        };
        self.relay.route(&route, &controller_id()).unwrap();
        ControlMessage::CircuitCreated(CircuitCreated {
            circuit_id: circuit,
            address: near,
            peer_data: PeerData::new(),
        })
    }

    fn open_echo(&self, circuit: &str, address: &str) {
        let (server, side) = duplex(64 << 10);
        let terms = EndTerms {
            circuit: circuit.into(),
            address: address.to_owned(),
            side: Side::Terminator,
            options: Arc::new(Options::default()),
            start: Start::AtOnce,
            identity: None,
        };
        let _goes_on = self.ends.open(&terms, SocketSide::new("test", side));
        tokio::spawn(async move {
            let (mut from, mut to) = split(server);
            let _may_be_cut = copy(&mut from, &mut to).await;
            let _may_be_gone = tokio::io::AsyncWriteExt::shutdown(&mut to).await;
        });
    }
}
