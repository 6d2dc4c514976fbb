//! What routers report: metrics, the use of circuits, alerts.

use super::{all_timeless, some_metrics};
use crate::circuits::Network;
use portcullis_wire::Timestamp;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::alert::{Alert, Alerts};
use portcullis_wire::control::metrics::{Metrics, UsageBucket, UsageCounter};
use serde_json::json;
use std::collections::BTreeMap;

fn texts(all: &[(&str, &str)]) -> BTreeMap<String, String> {
    let all = all.iter();
    all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[tokio::test]
async fn metrics_are_told_once_with_the_routers_of_their_link() {
    let network = Network::start().await;
    let events = &network.stage.events;
    events.want("metrics", &json!({}));
    let (r1, r2) = (&network.first.id, &network.second.id);
    let reported = Metrics {
        // Of another router, as the message says; the channel knows better.
        source_id: r2.clone(),
        time: Some(Timestamp {
            seconds: 1_795_389_100,
            nanos: 5_000_000,
        }),
        ..some_metrics()
    };
    let copy = Metrics {
        is_copy: true,
        event_id: "e0".to_owned(),
        ..reported.clone()
    };
    let long = Metrics {
        event_id: "e2".to_owned(),
        integers: BTreeMap::from([("x".repeat(257), 1), ("gauge".to_owned(), 7)]),
        meters: BTreeMap::new(),
        ..reported.clone()
    };
    for message in [&copy, &reported, &reported, &long] {
        network
            .first
            .send(&ControlMessage::Metrics(message.clone()));
    }
    let told = events.next(2).await;
    let expected = [
        format!(
            r#"{{"namespace":"metrics","event_src_id":"ctrl-1","timestamp":"2026-11-22T23:11:40.005Z","metric_type":"meter","source_id":"{r1}","source_entity_id":"l1","version":3,"metric":"link.dropped_msgs","metrics":{{"count":0,"m15_rate":0,"m1_rate":0,"m5_rate":0,"mean_rate":0}},"tags":{{"sourceRouterId":"{r1}","targetRouterId":"{r2}"}},"source_event_id":"e1"}}"#
        ),
        format!(
            r#"{{"namespace":"metrics","event_src_id":"ctrl-1","timestamp":"2026-11-22T23:11:40.005Z","metric_type":"intValue","source_id":"{r1}","version":3,"metric":"gauge","metrics":{{"value":7}},"source_event_id":"e2"}}"#
        ),
    ];
    assert_eq!(told, expected);
    network.stage.stop().await;
}

#[tokio::test]
async fn use_of_circuits_is_told_in_both_forms() {
    let network = Network::start().await;
    let events = &network.stage.events;
    events.want("usage", &json!({}));
    events.want("usage", &json!({"version": 3}));
    let r1 = &network.first.id;
    let bucket = UsageBucket {
        values: BTreeMap::from([("ingress.rx".to_owned(), 47), ("anything".to_owned(), 1)]),
        tags: texts(&[("clientId", "i1"), ("hostId", "i2"), ("serviceId", "s1")]),
    };
    let metrics = Metrics {
        event_id: "e1".to_owned(),
        usage_counters: vec![UsageCounter {
            start_seconds: 1_795_389_075,
            interval_seconds: 15,
            buckets: BTreeMap::from([
                ("c1".to_owned(), bucket),
                ("c".repeat(129), UsageBucket::default()),
            ]),
        }],
        ..Metrics::default()
    };
    network.first.send(&ControlMessage::Metrics(metrics));
    let told = all_timeless(&events.next(2).await);
    let tags = r#""interval_start_utc":1795389075,"interval_length":15,"tags":{"clientId":"i1","hostId":"i2","serviceId":"s1"}"#;
    let expected = [
        format!(
            r#"{{"namespace":"usage","event_src_id":"ctrl-1","timestamp":"T","version":2,"event_type":"usage.ingress.rx","source_id":"{r1}","circuit_id":"c1","usage":47,{tags}}}"#
        ),
        format!(
            r#"{{"namespace":"usage","event_src_id":"ctrl-1","timestamp":"T","version":3,"source_id":"{r1}","circuit_id":"c1","usage":{{"ingress.rx":47}},{tags}}}"#
        ),
    ];
    assert_eq!(told, expected);
    network.stage.stop().await;
}

#[tokio::test]
async fn alerts_are_of_the_router_that_sends_them() {
    let network = Network::start().await;
    let events = &network.stage.events;
    events.want("alert", &json!({}));
    let r1 = &network.first.id;
    let alert = Alert {
        source_type: Alert::SELF.to_owned(),
        time_millis: 1_795_389_076_529,
        severity: "error".to_owned(),
        text: "unable to proxy service".to_owned(),
        details: vec!["refused".to_owned()],
        related_entities: texts(&[("self", "ert"), ("service", "s1")]),
        ..Alert::default()
    };
    let false_one = Alert {
        source_type: "router".to_owned(),
        source_id: network.second.id.clone(),
        details: Vec::new(),
        related_entities: BTreeMap::new(),
        ..alert.clone()
    };
    let alerts = vec![alert, false_one];
    network
        .first
        .send(&ControlMessage::Alerts(Alerts { alerts }));
    let told = events.next(2).await;
    let line = |rest: &str| {
        format!(
            r#"{{"namespace":"alert","event_src_id":"ctrl-1","timestamp":"2026-11-22T23:11:16.529Z","alert_source_type":"router","alert_source_id":"{r1}","severity":"error","message":"unable to proxy service",{rest}}}"#
        )
    };
    let related = format!(
        r#""details":["refused"],"related_entities":{{"identity":"{r1}","router":"{r1}","service":"s1"}}"#
    );
    let expected = [
        line(&related),
        line(r#""details":null,"related_entities":{}"#),
    ];
    assert_eq!(told, expected);

    let alerts = vec![Alert::default(); 300];
    network
        .first
        .send(&ControlMessage::Alerts(Alerts { alerts }));
    network.first.settle().await;
    assert_eq!(events.take().len(), 98, "the others are too many");
    network.stage.stop().await;
}
