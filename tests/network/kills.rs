//! Routers and controllers that are killed under load, and started again.

use crate::controller::{Controller, PATIENCE};
use crate::network::{Circuit, Client, Flow, Network};
use crate::router::RouterFiles;
use portcullis_simulated_sdk::{Sdk, data};
use portcullis_wire::edge::{ConnectionId, DataFlags, EdgeMessage};
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::Running;
use tokio::time::{sleep, timeout};

/// What is written at a time.
const PIECE: usize = 10_000;
/// After so many bytes the contents begin again, in the middle of a piece.
const PERIOD: usize = 1757;
/// What each load has carried, at least, before anything is killed.
const MUCH: usize = 1_000_000;

/// Clients at the first router, hosts at the second one, and a link between them.
struct Scene {
    network: Network,
    routers: Vec<Running>,
}

impl Scene {
    async fn start() -> Self {
        let network = Network::new(2).await;
        network.routers[1].configure(network.routers[1].link, "");
        let routers = network.routers.iter().map(RouterFiles::run).collect();
        let scene = Self { network, routers };
        until_linked(&scene.network.controller).await;
        scene
    }

    /// Data from a client and data from a host, of a service each.
    async fn loads(&mut self) -> [Load; 2] {
        self.network.turn_to_service("uploads").await;
        let uploads = Load::open(&self.network, Direction::Up).await;
        self.network.turn_to_service("downloads").await;
        let downloads = Load::open(&self.network, Direction::Down).await;
        [uploads, downloads]
    }

    /// What was lost is forgotten, and a new circuit carries something.
    async fn works_again(&mut self) {
        let controller = &self.network.controller;
        until_linked(controller).await;
        controller.until_count("circuits", 0).await;
        self.network.others_go_on(0, 1).await;
    }
}

async fn until_linked(controller: &Controller) {
    controller.until_online(2).await;
    controller.until_count("links", 1).await;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// From the client to the host.
    Up,
    Down,
}

/// Data that flows through a circuit as fast as it can.
struct Load {
    client: Client,
    host: Sdk,
    circuit: Circuit,
    /// The id of the service.
    service: String,
    direction: Direction,
    progress: Progress,
}

/// Bytes that have arrived.
#[derive(Clone, Default)]
struct Progress(Arc<AtomicUsize>);

impl Progress {
    /// Waits until [`MUCH`] more has arrived.
    async fn goes_on(&self) {
        let wanted = self.0.load(Ordering::Relaxed) + MUCH;
        while self.0.load(Ordering::Relaxed) < wanted {
            sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Load {
    async fn open(network: &Network, direction: Direction) -> Self {
        let mut host = network
            .host(&format!("host, {direction:?}"), 1, Flow::Legacy)
            .await;
        let client = network.client(&format!("client, {direction:?}"), 0).await;
        let circuit = client.dials(1, &mut host, Flow::Legacy).await;
        Self {
            client,
            host,
            circuit,
            service: network.service.clone(),
            direction,
            progress: Progress::default(),
        }
    }

    /// Flows until both ends know that the circuit is over.
    async fn flow(&mut self) {
        let client = (&mut self.client.sdk, self.circuit.near);
        let host = (&mut self.host, self.circuit.far);
        let (writer, reader) = match self.direction {
            Direction::Up => (client, host),
            Direction::Down => (host, client),
        };
        tokio::join!(write(writer), read(reader, &self.progress));
    }

    /// Ends by closing the connection of the client, of which the host is told.
    async fn close(mut self) {
        drop(self.client);
        until_over(&mut self.host, self.circuit.far).await;
    }
}

/// Writes until the connection is over.
async fn write((sdk, connection): (&mut Sdk, ConnectionId)) {
    let contents = contents();
    let channel = sdk.channel.clone();
    let writing = async {
        for number in 0_usize.. {
            let from = number * PIECE % PERIOD;
            let piece = contents[from..from + PIECE].to_vec();
            let message = data(connection, piece, DataFlags::default());
            let (priority, mut encoded) = (message.priority(), message.encode().unwrap());
            while let Err(error) = channel.send(priority, encoded) {
                encoded = error.message;
                channel.writable(priority).await;
                if channel.close_reason().is_some() {
                    return pending().await;
                }
            }
        }
    };
    let ending = pin!(until_over(sdk, connection));
    tokio::select! {
        () = ending => {},
        () = writing => unreachable!("the SDK is told before"),
    }
}

/// Waits until an SDK is told that a connection is over, or has lost its channel.
async fn until_over(sdk: &mut Sdk, connection: ConnectionId) {
    while let Some((message, _)) = sdk.hears().await {
        if matches!(message, EdgeMessage::StateClosed(closed) if closed.connection == Some(connection))
        {
            return;
        }
    }
}

fn contents() -> Vec<u8> {
    let bytes = (0..PERIOD).map(|at| (at / 7).to_le_bytes()[0]);
    bytes.cycle().take(PERIOD + 20 * PIECE).collect()
}

/// Reads what is written, of which everything comes in order, once, until the connection is over.
async fn read((sdk, connection): (&mut Sdk, ConnectionId), progress: &Progress) {
    let contents = contents();
    let mut bytes = 0;
    while let Some((message, _)) = sdk.hears().await {
        match message {
            EdgeMessage::Data(data) if data.connection == connection => {
                let data = data.data.expose();
                let from = bytes % PERIOD;
                assert!(data == &contents[from..from + data.len()], "after {bytes}");
                bytes += data.len();
                progress.0.fetch_add(data.len(), Ordering::Relaxed);
            },
            EdgeMessage::StateClosed(closed) if closed.connection == Some(connection) => return,
            _ => {},
        }
    }
}

/// Kills a router while data flows both ways until both ends of each circuit know that it is over.
async fn kill(router: usize) -> (Scene, [Load; 2]) {
    let mut scene = Scene::start().await;
    let mut loads = scene.loads().await;
    let progress = loads.each_ref().map(|load| load.progress.clone());
    let [up, down] = &mut loads;
    let routers = &mut scene.routers;
    let killing = async {
        tokio::join!(progress[0].goes_on(), progress[1].goes_on());
        drop(routers.remove(router));
    };
    let ending = async { tokio::join!(up.flow(), down.flow(), killing) };
    timeout(PATIENCE, ending).await.expect("all are told");
    (scene, loads)
}

fn is_lost(sdk: &Sdk) -> bool {
    sdk.channel.close_reason().is_some()
}

#[tokio::test]
async fn router_of_the_hosts_is_killed() {
    let (mut scene, loads) = kill(1).await;
    for load in &loads {
        assert!(is_lost(&load.host) && !is_lost(&load.client.sdk));
    }
    let restarted = scene.network.routers[1].run();
    scene.routers.push(restarted);
    scene.works_again().await;
    // The terminators of the SDKs that were lost are gone.
    let controller = &scene.network.controller;
    for load in &loads {
        controller
            .until("no host is left", async |controller| {
                controller.terminators(&load.service).await == 0
            })
            .await;
    }
}

#[tokio::test]
async fn router_of_the_clients_is_killed() {
    let (mut scene, loads) = kill(0).await;
    for load in &loads {
        assert!(!is_lost(&load.host) && is_lost(&load.client.sdk));
    }
    let restarted = scene.network.routers[0].run();
    scene.routers.insert(0, restarted);
    scene.works_again().await;
    // Hosts that were not lost are dialed again.
    let [mut uploads, _] = loads;
    scene.network.service = uploads.service;
    let mut client = scene.network.client("another", 0).await;
    let circuit = client.dials(1, &mut uploads.host, Flow::Legacy).await;
    circuit.echoes(&mut client.sdk, &mut uploads.host).await;
}

#[tokio::test]
async fn controller_is_killed() {
    let mut scene = Scene::start().await;
    let mut loads = scene.loads().await;
    let progress = loads.each_ref().map(|load| load.progress.clone());
    let both_go_on = async || {
        let both = async { tokio::join!(progress[0].goes_on(), progress[1].goes_on()) };
        let gone_on = timeout(PATIENCE, both).await;
        assert!(gone_on.is_ok(), "data flows all the time");
    };
    let controller = scene.network.controller;
    let restarting = async {
        both_go_on().await;
        let killed = controller.kill().await;
        both_go_on().await;
        let controller = Controller::restart(killed, Duration::ZERO).await;
        until_linked(&controller).await;
        both_go_on().await;
        controller
    };
    let [up, down] = &mut loads;
    let flowing = async { tokio::join!(up.flow(), down.flow()) };
    scene.network.controller = tokio::select! {
        restarted = restarting => restarted,
        _over = flowing => panic!("a circuit has ended"),
    };
    // It has taken over the circuits, which end as others do.
    let controller = &scene.network.controller;
    controller.until_count("circuits", 2).await;
    for load in loads {
        load.close().await;
    }
    scene.works_again().await;
}
