//! Links that die while circuits use them.

use crate::controller::PATIENCE;
use crate::line::Line;
use crate::network::{Circuit, Client, Flow, Network};
use crate::router::RunningRouter;
use portcullis_simulated_sdk::{Sdk, data, receive_all, send_all};
use portcullis_wire::edge::{DataFlags, EdgeMessage};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Dials again soon, and knows soon that nobody answers.
const EAGER: &str = "\
dialers:
    - binding: transport
      healthyDialBackoff: {minRetryInterval: 100ms, maxRetryInterval: 1s}
  heartbeats: {closeUnresponsiveTimeout: 3s}";

/// Two routers with one link, which the first has dialed over a line, a client at the first and a host at the
/// second.
struct Scene {
    network: Network,
    line: Line,
    _routers: [RunningRouter; 2],
}

impl Scene {
    async fn start() -> Self {
        let network = Network::new(2).await;
        let [first, second] = &network.routers[..] else {
            unreachable!("two routers");
        };
        let line = Line::start(second.link).await;
        first.configure(first.link, EAGER);
        second.configure(line.address, "");
        let routers = [first.start().await, second.start().await];
        network.controller.until_online(2).await;
        network.controller.until_count("links", 1).await;
        Self {
            network,
            line,
            _routers: routers,
        }
    }

    async fn circuit(&self, flow: Flow) -> (Client, Sdk, Circuit) {
        let mut host = self.network.host("bob", 1, flow).await;
        let client = self.network.client("alice", 0).await;
        let circuit = client.dials(1, &mut host, flow).await;
        (client, host, circuit)
    }
}

/// Cuts a line again and again, for ever.
async fn keep_cutting(line: &Line) {
    for pause in [30, 170, 400, 1100].into_iter().cycle() {
        sleep(Duration::from_millis(pause)).await;
        line.cut();
    }
}

#[tokio::test]
async fn circuit_of_routers_survives_cuts_of_its_link() {
    let scene = Scene::start().await;
    let (client, mut host, circuit) = scene.circuit(Flow::Legacy).await;
    let exchange = async {
        tokio::join!(
            send_all(&client.sdk, circuit.near, 1, 20_000_000),
            receive_all(&mut host)
        )
    };
    let (sent, received) = tokio::select! {
        exchanged = timeout(PATIENCE, exchange) => exchanged.expect("all arrives in time"),
        () = keep_cutting(&scene.line) => unreachable!("it goes on for ever"),
    };
    assert_eq!(sent, received);
}

#[tokio::test]
async fn circuit_of_sdks_survives_cuts_of_its_link() {
    let scene = Scene::start().await;
    let (mut client, mut host, circuit) = scene.circuit(Flow::Sdk).await;
    tokio::select! {
        () = circuit.carries(&mut client.sdk, &mut host, 10_000_000) => {},
        () = keep_cutting(&scene.line) => unreachable!("it goes on for ever"),
    };
}

/// Writes until the circuit has ended.
async fn write_until_closed(sdk: &mut Sdk, circuit: &Circuit) {
    let writing = async {
        let bytes = || data(circuit.near, vec![1; 10_000], DataFlags::default());
        while sdk.says(bytes()).await {}
    };
    let _held_back = timeout(Duration::from_secs(1), writing).await;
    until_closed(sdk).await;
}

/// Waits until the SDK is told that its circuit has ended.
async fn until_closed(sdk: &mut Sdk) {
    sdk.finds(|message, _| {
        matches!(
            message,
            EdgeMessage::StateClosed(_) | EdgeMessage::CircuitClosed(_)
        )
        .then_some(())
    })
    .await;
}

/// What goes wrong with the line ends the circuit at both ends, and the network works again after it.
async fn lose(breaks: fn(&Line)) {
    let scene = Scene::start().await;
    let (mut client, mut host, circuit) = scene.circuit(Flow::Legacy).await;
    circuit.echoes(&mut client.sdk, &mut host).await;
    breaks(&scene.line);
    let start = Instant::now();
    tokio::join!(
        write_until_closed(&mut client.sdk, &circuit),
        until_closed(&mut host)
    );
    println!("both ends know it after {:.1?}", start.elapsed());
    let controller = &scene.network.controller;
    controller.until_count("circuits", 0).await;
    controller.until_count("links", 0).await;
    scene.line.cut();
    controller.until_count("links", 1).await;
    let circuit = client.dials(2, &mut host, Flow::Legacy).await;
    circuit.echoes(&mut client.sdk, &mut host).await;
}

#[tokio::test]
async fn circuit_ends_with_a_link_that_does_not_come_back() {
    lose(Line::close).await;
}

#[tokio::test]
async fn circuit_ends_with_a_link_that_falls_silent() {
    lose(Line::fall_silent).await;
}

#[tokio::test]
async fn inspections_show_the_link_at_both_routers() {
    let scene = Scene::start().await;
    let controller = &scene.network.controller;
    let link = controller.fabric("links").await[0]["id"].clone();
    let names = ["links", "router-controllers", "router-circuits"];
    let seen = controller.inspect(".*", &names).await;
    assert_eq!(seen["errors"], serde_json::Value::Null);
    let values = seen["values"].as_array().unwrap();
    let value = |app: &str, name: &str| {
        let mut found = values.iter();
        let found = found.find(|value| value["appId"] == *app && value["name"] == *name);
        found.unwrap_or_else(|| panic!("no {name} of {app}: {seen}"))["value"].clone()
    };
    let ids = scene.network.routers.iter().map(|router| &*router.id);
    let ids: Vec<_> = ids.collect();
    for (index, (router, other)) in [(ids[0], ids[1]), (ids[1], ids[0])].into_iter().enumerate() {
        let links = value(router, "links")["links"].clone();
        assert_eq!(
            (&links[0]["id"], &links[0]["dest"], &links[0]["dialed"]),
            (&link, &other.into(), &(index == 0).into())
        );
        assert_eq!(links.as_array().unwrap().len(), 1);
        assert!(value(router, "router-circuits")["circuits"].is_object());
        let controllers = value(router, "router-controllers");
        let controllers = controllers["controllers"].as_object().unwrap();
        assert!(controllers.values().all(|one| one["connected"] == true));
    }
    // The controller has it, too, and nothing of the other two.
    assert_eq!(values.len(), 7);
}
