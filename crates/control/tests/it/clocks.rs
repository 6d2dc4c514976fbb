//! Routers whose clocks are wrong by hours.

use crate::circuits::Network;
use crate::events::{connection, report_connections};
use crate::stage::Stage;
use portcullis_app::monitoring;
use portcullis_domain::clock::{Clock as _, SignedDuration, Timestamp, saturating_add};
use portcullis_metrics::Exposition;
use portcullis_wire::Timestamp as WireTimestamp;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::alert::{Alert, Alerts};
use portcullis_wire::control::metrics::Metrics;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// How far clocks of routers are ahead.
const WRONG_BY: [i64; 2] = [-7, 7];

fn at_router(stage: &Stage, hours: i64) -> Timestamp {
    let now = stage.controller.clock.now();
    saturating_add(now, SignedDuration::from_hours(hours))
}

fn metrics(at: Timestamp, number: i64) -> ControlMessage {
    ControlMessage::Metrics(Metrics {
        event_id: format!("e{number}"),
        time: Some(WireTimestamp {
            seconds: at.as_second(),
            nanos: 0,
        }),
        integers: BTreeMap::from([("edge.connections".to_owned(), number)]),
        ..Metrics::default()
    })
}

/// A scraper refuses samples that are hours old, or later than the next.
#[tokio::test]
async fn pages_have_the_time_of_the_controller_and_events_that_of_the_router() {
    let network = Network::start().await;
    let stage = &network.stage;
    let app = &stage.controller.app;
    app.metrics().reports().keep();
    stage.events.want("metrics", &json!({}));
    let now = stage.controller.clock.now();
    for hours in WRONG_BY {
        let at = at_router(stage, hours);
        network.first.send(&metrics(at, hours));
        let told = stage.events.next(1).await;
        let told: Value = serde_json::from_str(&told[0]).unwrap();
        let time: Timestamp = told["timestamp"].as_str().unwrap().parse().unwrap();
        assert_eq!(time.as_second(), at.as_second());
        let page = monitoring::page(app, Exposition::Prometheus, true);
        let line = format!(
            "ziti_edge_connections{{source_id=\"{}\"}} {hours} {}",
            network.first.id,
            now.as_millisecond()
        );
        assert!(page.lines().any(|found| found == line), "{line}\n{page}");
    }
    network.stage.stop().await;
}

#[tokio::test]
async fn alerts_have_the_time_of_the_router_and_are_as_many_as_else() {
    let network = Network::start().await;
    let stage = &network.stage;
    stage.events.want("alert", &json!({}));
    for hours in WRONG_BY {
        let at = at_router(stage, hours);
        let alert = Alert {
            time_millis: at.as_millisecond(),
            ..Alert::default()
        };
        let alerts = vec![alert];
        network
            .first
            .send(&ControlMessage::Alerts(Alerts { alerts }));
        let told = stage.events.next(1).await;
        let expected = format!("\"timestamp\":\"{at}\"");
        assert!(told[0].contains(&expected), "{expected} {told:?}");
    }
    network.stage.stop().await;
}

/// A clock that was ahead is set right when its router starts again.
#[tokio::test]
async fn connections_are_told_after_a_clock_was_set_back() {
    let stage = Stage::start().await;
    let identity = stage.enroll("r1").await;
    let router = stage.dial(&identity).await.unwrap();
    router.settle().await;
    stage.events.want("connect", &json!({}));
    let [behind, ahead] = WRONG_BY.map(|hours| at_router(&stage, hours).as_millisecond());
    report_connections(&router, vec![connection("i1", true, ahead)], true);
    assert_eq!(stage.events.next(1).await.len(), 1);
    stage.events.want("router", &json!({}));
    router.channel.close();
    stage.events.next(1).await;
    let router = stage.dial(&identity).await.unwrap();
    report_connections(&router, vec![connection("i1", true, behind)], true);
    // The router itself has connected, too, and is online.
    let told = stage.events.next(3).await;
    let of_identity = told
        .iter()
        .filter(|line| line.contains("\"src_id\":\"i1\""));
    assert_eq!(of_identity.count(), 1, "{told:?}");
    stage.stop().await;
}
