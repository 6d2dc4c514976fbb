//! A controller, routers, and circuits between SDKs at them.

use crate::controller::{Controller, PATIENCE};
use crate::person::Person;
use crate::router::{RouterFiles, RunningRouter};
use portcullis_channel::UnixNanos;
use portcullis_simulated_sdk::{Sdk, accept, carry, data, dial, reader, writer};
use portcullis_transport::{Clock, DialError};
use portcullis_wire::edge::{ConnectionId, DataFlags, EdgeMessage, StateClosed};
use portcullis_xgress::{Endpoint, Options, Side};
use std::sync::Arc;
use tokio::time::timeout;

/// Who is the end of a circuit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The router, which is sent data.
    Legacy,
    /// The SDK, which sends payloads and acknowledgements.
    Sdk,
}

pub(crate) struct Network {
    pub(crate) controller: Controller,
    pub(crate) routers: Vec<RouterFiles>,
    /// The id of a service that anybody may dial and host.
    pub(crate) service: String,
}

/// An identity that has connected to a router.
pub(crate) struct Client {
    pub(crate) person: Person,
    pub(crate) sdk: Sdk,
    /// The token of its session to dial the service.
    pub(crate) session: String,
}

/// A circuit, with what its ends know of it.
pub(crate) struct Circuit {
    pub(crate) id: String,
    /// The connection of the client.
    pub(crate) near: ConnectionId,
    /// The connection of the host.
    pub(crate) far: ConnectionId,
}

impl Network {
    /// A network with so many routers, none of which runs.
    pub(crate) async fn new(routers: usize) -> Self {
        let controller = Controller::start().await;
        let service = controller.service("wiki").await;
        let mut files = Vec::new();
        for number in 1..=routers {
            files.push(controller.router(&format!("r{number}")).await);
        }
        Self {
            controller,
            routers: files,
            service,
        }
    }

    /// Two routers that run, with a link between them. Only the first dials it: of two that dial each other, the one that
    /// is given up lives for a while.
    pub(crate) async fn linked() -> (Self, Vec<RunningRouter>) {
        let network = Self::new(2).await;
        network.routers[1].configure(network.routers[1].link, "");
        let mut routers = Vec::new();
        for router in &network.routers {
            routers.push(router.start().await);
        }
        network.controller.until_online(2).await;
        network.controller.until_count("links", 1).await;
        (network, routers)
    }

    /// Goes on with another service.
    pub(crate) async fn turn_to_service(&mut self, name: &str) {
        self.service = self.controller.service(name).await;
    }

    /// Two others exchange something by a service of their own, each at a router, in both flows.
    pub(crate) async fn others_go_on(&mut self, client: usize, host: usize) {
        let name = format!("another than {}", self.service);
        self.turn_to_service(&name).await;
        for flow in [Flow::Legacy, Flow::Sdk] {
            let mut host = self
                .host(&format!("{name}: host, {flow:?}"), host, flow)
                .await;
            let mut client = self
                .client(&format!("{name}: client, {flow:?}"), client)
                .await;
            let circuit = client.dials(1, &mut host, flow).await;
            match flow {
                Flow::Legacy => circuit.echoes(&mut client.sdk, &mut host).await,
                Flow::Sdk => {
                    circuit.carries(&mut client.sdk, &mut host, 1_000_000).await;
                },
            }
        }
    }

    /// An identity that hosts the service at a router.
    pub(crate) async fn host(&self, name: &str, router: usize, flow: Flow) -> Sdk {
        let person = self.controller.person(name).await;
        let session = self.controller.session(&person, &self.service, "Bind");
        let session = session.await;
        let mut sdk = person.connect(self.routers[router].edge()).await.unwrap();
        sdk.binds(&session, name, flow == Flow::Sdk).await;
        sdk
    }

    /// An identity that may dial the service at a router.
    pub(crate) async fn client(&self, name: &str, router: usize) -> Client {
        let person = self.controller.person(name).await;
        self.enter(person, router).await.unwrap()
    }

    /// Connects an identity that may dial the service to a router.
    pub(crate) async fn enter(&self, person: Person, router: usize) -> Result<Client, DialError> {
        let session = self.controller.session(&person, &self.service, "Dial");
        let session = session.await;
        let sdk = person.connect(self.routers[router].edge()).await?;
        Ok(Client {
            person,
            sdk,
            session,
        })
    }
}

impl Client {
    /// Dials the service, which `host` takes.
    pub(crate) async fn dials(&self, id: u32, host: &mut Sdk, flow: Flow) -> Circuit {
        let dialing = async {
            let dialed = self.tries(id, flow).await;
            dialed.expect("the connection is opened")
        };
        let (taken, connected) = tokio::join!(accept(host), dialing);
        Circuit {
            id: connected,
            near: ConnectionId(id),
            far: taken.new_connection.unwrap(),
        }
    }

    /// Dials the service; returns the id of the circuit.
    pub(crate) async fn tries(&self, id: u32, flow: Flow) -> Result<String, StateClosed> {
        let dial = dial(id, &self.session, flow == Flow::Sdk);
        let connected = self.sdk.dials(dial).await?;
        Ok(connected.circuit_id.unwrap())
    }
}

impl Circuit {
    /// A circuit that ends in routers carries a few bytes there and back.
    pub(crate) async fn echoes(&self, client: &mut Sdk, host: &mut Sdk) {
        let said = |connection, text| data(connection, text, DataFlags::default());
        tokio::join!(
            client.says(said(self.near, "there")),
            until_heard(host, self.far, "there")
        );
        tokio::join!(
            host.says(said(self.far, "back")),
            until_heard(client, self.near, "back")
        );
    }

    /// A circuit that ends in SDKs carries so many bytes from the client to the host.
    pub(crate) async fn carries(&self, client: &mut Sdk, host: &mut Sdk, bytes: usize) {
        let clock = Clock::start(UnixNanos(0));
        let options = Arc::new(Options::default());
        let end = |side| Endpoint::new(side, self.id.clone(), options.clone(), clock.now());
        let (mut near, mut far) = (end(Side::Initiator), end(Side::Terminator));
        let sending = carry(client, &mut near, &clock, writer(bytes));
        let reading = carry(host, &mut far, &clock, reader(bytes));
        let carrying = async {
            tokio::pin!(sending, reading);
            tokio::select! {
                () = &mut reading => {},
                () = sending => reading.await,
            }
        };
        let carried = timeout(PATIENCE, carrying).await;
        assert!(carried.is_ok(), "{bytes} bytes do not arrive in time");
    }
}

/// Waits for data of a connection. That of others is kept.
async fn until_heard(sdk: &mut Sdk, connection: ConnectionId, text: &str) {
    sdk.finds(|message, _| match message {
        EdgeMessage::Data(data) if data.connection == connection => {
            (data.data.expose() == text).then_some(())
        },
        _ => None,
    })
    .await;
}
