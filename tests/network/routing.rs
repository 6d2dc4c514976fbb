//! Which way circuits take.

use crate::line::Line;
use crate::network::{Flow, Network};
use std::time::Duration;

/// Dials others, and soon knows how long links take.
const MEASURING: &str = "\
dialers: [{binding: transport}]
  heartbeats: {sendInterval: 500ms, checkInterval: 100ms}";

/// Tells controllers so soon.
const REPORTING: &str = "metrics: {reportInterval: 500ms}\n";

/// Time in either direction on the slow link.
const DELAY: Duration = Duration::from_millis(150);

/// Before they are measured, links count alike, and one is less than two.
#[tokio::test]
async fn circuits_leave_a_slow_link_once_it_is_measured() {
    let network = Network::new(3).await;
    let [client, middle, host] = &network.routers[..] else {
        unreachable!("three routers");
    };
    let slow = [
        Line::start_with_delay(client.link, DELAY).await,
        Line::start_with_delay(host.link, DELAY).await,
    ];
    client.configure(slow[0].address, MEASURING);
    middle.configure(middle.link, "");
    host.configure(slow[1].address, MEASURING);
    let mut routers = Vec::new();
    for router in &network.routers {
        router.add_to_config(REPORTING);
        routers.push(router.start().await);
    }
    network.controller.until_online(3).await;
    network.controller.until_count("links", 3).await;

    let mut hosting = network.host("bob", 2, Flow::Legacy).await;
    let mut dialing = network.client("alice", 0).await;
    let mut number = 0;
    loop {
        number += 1;
        assert!(number < 100, "circuits stay on the slow link");
        let circuit = dialing.dials(number, &mut hosting, Flow::Legacy).await;
        let circuits = network.controller.fabric("circuits").await;
        let made = circuits.iter().find(|one| one["id"] == *circuit.id);
        let nodes = made.unwrap()["path"]["nodes"].as_array().unwrap().iter();
        let nodes: Vec<_> = nodes.map(|node| node["id"].as_str().unwrap()).collect();
        if nodes == [&client.id, &middle.id, &host.id] {
            circuit.echoes(&mut dialing.sdk, &mut hosting).await;
            break;
        }
        assert_eq!(nodes, [&client.id, &host.id]);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let links = network.controller.fabric("links").await;
    let latency = |link: &serde_json::Value| {
        let ends = ["sourceLatency", "destLatency"].map(|end| link[end].as_f64().unwrap());
        ends[0].min(ends[1]) / 1e6
    };
    let slowest = links.iter().map(latency).fold(0.0, f64::max);
    assert!(slowest >= DELAY.as_secs_f64() * 2e3, "{slowest} ms");
}
