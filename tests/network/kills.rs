//! Routers and controllers that are killed under load, and started again.

use crate::controller::Controller;
use crate::network::{Circuit, Flow, Network};
use crate::router::RouterFiles;
use portcullis_simulated_sdk::{Sdk, data};
use portcullis_wire::edge::{ConnectionId, DataFlags, EdgeMessage};
use std::time::Duration;
use support::Running;
use tokio::time::timeout;

/// A client at the first router, a host at the second one, and a link between them.
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
        scene.until_linked().await;
        scene
    }

    async fn until_linked(&self) {
        self.network.controller.until_online(2).await;
        self.network.controller.until_count("links", 1).await;
    }
}

/// Writes as long as somebody reads, and no longer than a moment.
async fn load(sdk: &Sdk, connection: ConnectionId) {
    let writing = async {
        loop {
            let bytes = data(connection, vec![1; 10_000], DataFlags::default());
            sdk.says(bytes).await;
        }
    };
    let _held_back = timeout(Duration::from_millis(200), writing).await;
}

/// Waits until an SDK is told that a circuit has ended, or has lost its channel.
async fn until_ended(sdk: &mut Sdk) {
    let ending = async {
        while let Some((message, _)) = sdk.hears().await {
            if matches!(message, EdgeMessage::StateClosed(_)) {
                return;
            }
        }
    };
    timeout(Duration::from_secs(20), ending).await.unwrap();
}

#[tokio::test]
async fn router_of_the_host_is_killed() {
    let mut scene = Scene::start().await;
    let mut host = scene.network.host("bob", 1, Flow::Legacy).await;
    let mut client = scene.network.client("alice", 0).await;
    let Circuit { near, .. } = client.dials(1, &mut host, Flow::Legacy).await;
    load(&client.sdk, near).await;
    drop(scene.routers.remove(1));
    tokio::join!(until_ended(&mut client.sdk), until_ended(&mut host));
    scene.network.controller.until_count("circuits", 0).await;

    scene.routers.push(scene.network.routers[1].run());
    scene.until_linked().await;
    let mut host = scene.network.host("carol", 1, Flow::Legacy).await;
    let (controller, service) = (&scene.network.controller, &scene.network.service);
    // That of the SDK that was lost is gone.
    controller
        .until("there is one terminator", async |controller| {
            controller.terminators(service).await == 1
        })
        .await;
    let circuit = client.dials(2, &mut host, Flow::Legacy).await;
    circuit.echoes(&mut client.sdk, &mut host).await;
}

#[tokio::test]
async fn router_of_the_client_is_killed() {
    let mut scene = Scene::start().await;
    let mut host = scene.network.host("bob", 1, Flow::Legacy).await;
    let mut client = scene.network.client("alice", 0).await;
    let Circuit { near, .. } = client.dials(1, &mut host, Flow::Legacy).await;
    load(&client.sdk, near).await;
    drop(scene.routers.remove(0));
    tokio::join!(until_ended(&mut client.sdk), until_ended(&mut host));
    scene.network.controller.until_count("circuits", 0).await;

    scene.routers.push(scene.network.routers[0].run());
    scene.until_linked().await;
    let mut client = scene.network.client("carol", 0).await;
    let circuit = client.dials(1, &mut host, Flow::Legacy).await;
    circuit.echoes(&mut client.sdk, &mut host).await;
}

#[tokio::test]
async fn controller_is_killed() {
    let mut scene = Scene::start().await;
    let mut host = scene.network.host("bob", 1, Flow::Legacy).await;
    let mut client = scene.network.client("alice", 0).await;
    let mut circuits = Vec::new();
    for number in 1..=2 {
        circuits.push(client.dials(number, &mut host, Flow::Legacy).await);
    }
    load(&client.sdk, circuits[0].near).await;
    let killed = scene.network.controller.kill().await;
    circuits[1].echoes(&mut client.sdk, &mut host).await;
    scene.network.controller = Controller::restart(killed, Duration::ZERO).await;
    scene.until_linked().await;
    circuits[1].echoes(&mut client.sdk, &mut host).await;
    let controller = &scene.network.controller;
    assert_eq!(controller.terminators(&scene.network.service).await, 1);
    let circuit = client.dials(3, &mut host, Flow::Legacy).await;
    circuit.echoes(&mut client.sdk, &mut host).await;
    drop(client);
    until_ended(&mut host).await;
    controller.until_count("circuits", 0).await;
}
