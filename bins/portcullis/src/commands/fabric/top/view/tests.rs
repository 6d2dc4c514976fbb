//! What is shown of a network.

use super::*;
use crate::commands::fabric::roster::{Roster, router};
use crate::commands::fabric::top::rates::Meters;
use insta::assert_snapshot;
use portcullis_command_line::text_width::width;
use serde_json::{Value, json};
use tokio::time::Instant;

fn reference(id: &str, name: &str) -> Value {
    json!({"_links": {}, "entity": "x", "id": id, "name": name})
}

fn sample() -> Sample {
    let link = |id: &str, to: &str| {
        json!({
            "id": id, "protocol": "tls", "state": "Connected", "down": false, "iteration": 1, "cost": 13,
            "staticCost": 1, "sourceLatency": 12_000_000, "destLatency": 900_000, "connections": [],
            "sourceRouter": reference("r1", "lisbon"), "destRouter": reference(to, "porto"),
        })
    };
    let circuit = json!({
        "_links": {}, "id": "c1", "createdAt": "2031-02-03T04:05:06Z", "updatedAt": "2031-02-03T04:05:06Z",
        "tags": {}, "clientId": "i1", "service": reference("s1", "wiki"), "terminator": reference("t1", ""),
        "path": {"nodes": [reference("r1", "lisbon"), reference("r2", "porto")], "links": []},
    });
    let meter = |metric: &str, link: Option<&str>, rate: f64| {
        json!({"metric": metric, "source_id": "r1", "source_entity_id": link,
            "metrics": {"count": 1, "m1_rate": rate}})
    };
    let metrics = json!([
        meter("ingress.rx.bytesrate", None, 1200.0),
        meter("egress.rx.bytesrate", None, 300.0),
        meter("fabric.tx.bytesrate", None, 5e6),
        meter("link.tx.bytesrate", Some("l2"), 5e6),
        meter("link.rx.bytesrate", Some("l2"), 10.0),
    ]);
    let mut meters = Meters::default();
    meters.read(&serde_yaml::to_value(metrics).unwrap());
    let since = json!({"connected": true, "connectedAt": "2031-02-03T04:00:00Z"});
    Sample {
        routers: Roster::of([
            router("r1", "lisbon", since),
            router("r2", "porto", json!({})),
        ]),
        links: vec![
            serde_json::from_value(link("l1", "r2")).unwrap(),
            serde_json::from_value(link("l2", "r2")).unwrap(),
        ],
        circuits: vec![serde_json::from_value(circuit).unwrap()],
        circuit_count: 250,
        meters,
        remarks: vec!["r2: it has not answered".to_owned()],
        seen: Instant::now(),
    }
}

fn overview() -> Overview {
    let sample = sample();
    Overview::new(&sample, &Rates::of(&sample, None))
}

fn now() -> Timestamp {
    "2031-02-03T04:15:00Z".parse().unwrap()
}

#[test]
fn the_network_is_three_tables() {
    assert_snapshot!(overview().tables(now()).render(None), @"
    ROUTER  STATE    SINCE    LINKS  EDGE IN  EDGE OUT  LINKS IN  LINKS OUT
    lisbon  online   15m ago  2      1.5k     ?         ?         5.0M
    porto   offline           2      ?        ?         ?         ?
    2 routers, 1 online

    FROM    TO     STATE      COST  LATENCY  SENT  RECEIVED  LINK
    lisbon  porto  connected  13    12.9ms   5.0M  10        l2
    lisbon  porto  connected  13    12.9ms   ?     ?         l1
    2 links

    SERVICE  CLIENT  PATH            SINCE    CIRCUIT
    wiki     i1      lisbon > porto  10m ago  c1
    250 circuits, 249 of them not shown
    r2: it has not answered
    ");
    let document = serde_json::to_value(overview()).unwrap();
    assert_eq!(document["routers"][0]["edgeIn"], 1500.0);
    assert_eq!(document["routers"][1]["edgeIn"], Value::Null);
    assert_eq!(document["links"][0]["sent"], 5e6);
    assert_eq!(document["circuits"][0]["path"], json!(["lisbon", "porto"]));
}

#[test]
fn whatever_the_terminal_it_is_not_overrun() {
    for columns in [1, 20, 80, 200] {
        for lines in [1, 2, 5, 12, 14, 40] {
            let room = Room {
                columns: Some(columns),
                lines: Some(lines),
            };
            let text = overview().fitting("title", room, now());
            assert!(text.lines().count() <= lines, "{lines}: {text}");
            assert!(text.lines().all(|line| width(line) <= columns), "{text}");
        }
    }
}

#[test]
fn rows_are_shared() {
    assert_eq!(share(9, [10, 10, 10]), [3, 3, 3]);
    assert_eq!(share(9, [1, 10, 10]), [1, 4, 4]);
    assert_eq!(share(100, [1, 2, 3]), [1, 2, 3]);
    assert_eq!(share(0, [1, 2, 3]), [0, 0, 0]);
}
