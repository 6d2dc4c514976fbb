//! What a router reports at once finds room, however slow they are who want it.

use crate::support::{event, file, start, subscription, subscription_with, until};
use portcullis_event_sinks::{EventBus, SinkSettings};
use portcullis_events::{
    BURST_EVENTS, Body, Event, EventPublisher as _, Metric, MetricValue, TerminatorStatus, Usage,
};
use rustix::fs::{CWD, Mode};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::time::Duration;

const METRICS: usize = 16 * 1024;
const CIRCUITS: usize = 20_000;
const TERMINATORS: usize = 20_000;
const ID: &str = "4wqkYHoX0K5kPYwNBrhPLw";

fn capacity() -> usize {
    usize::try_from(BURST_EVENTS).expect("it is a number of events")
}

fn metric(number: usize) -> Event {
    event(Body::Metric(Metric {
        source_id: "r1".into(),
        entity_id: Some(format!("{ID}{number}").into()),
        name: "link.latency".to_owned(),
        value: MetricValue::Integer(1),
        tags: tags(["sourceRouterId", "targetRouterId"]),
        source_event_id: ID.into(),
    }))
}

fn usage(number: usize) -> Event {
    let kinds = ["fabric.rx", "fabric.tx", "ingress.rx", "ingress.tx"];
    event(Body::Usage(Usage {
        router_id: "r1".into(),
        circuit_id: format!("{ID}{number}").into(),
        bytes: kinds.map(|kind| (kind.to_owned(), 1)).into(),
        interval_start: 0,
        interval_length: 60,
        tags: Some(tags(["clientId", "hostId", "serviceId"])),
    }))
}

fn terminator(number: usize) -> Event {
    event(Body::Terminator(TerminatorStatus {
        is_router_online: true,
        service_id: ID.into(),
        terminator_id: format!("{ID}{number}").into(),
        router_id: "r1".into(),
        host_id: ID.into(),
        instance_id: ID.into(),
        precedence: "default",
        static_cost: 0,
        dynamic_cost: 0,
        total: None,
        usable_default: None,
        usable_required: None,
    }))
}

fn tags<const N: usize>(names: [&str; N]) -> BTreeMap<String, String> {
    names.map(|name| (name.to_owned(), ID.to_owned())).into()
}

#[tokio::test]
async fn report_of_the_largest_router_is_lost_by_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mkfifoat(CWD, &pipe, Mode::RWXU).unwrap();
    let bus = EventBus::default();
    let usage_in_one_line = || subscription_with("usage", &json!({"version": 3}));
    let reported = || vec![subscription("metrics"), usage_in_one_line()];
    let mut stream = bus.subscribe(reported(), capacity());
    let settings = SinkSettings {
        name: "pipe".to_owned(),
        subscriptions: reported(),
        capacity: capacity(),
        output: file(&pipe),
    };
    let sinks = start(&bus, vec![settings]);
    for number in 0..METRICS {
        bus.publish(metric(number));
    }
    for number in 0..CIRCUITS {
        bus.publish(usage(number));
    }
    // Nobody has read anything yet.
    assert_eq!((stream.dropped(), sinks.statuses()[0].dropped), (0, 0));
    for number in 0..METRICS + CIRCUITS {
        assert!(stream.recv().await.is_some(), "{number}");
    }
    let reading = tokio::task::spawn_blocking(move || {
        BufReader::new(File::open(pipe).unwrap()).lines().count()
    });
    until(|| sinks.statuses()[0].written == (METRICS + CIRCUITS) as u64).await;
    assert!(sinks.stop(Duration::from_secs(20)).await);
    assert_eq!(reading.await.unwrap(), METRICS + CIRCUITS);
}

#[tokio::test]
async fn terminators_of_the_largest_router_are_lost_by_nobody() {
    let bus = EventBus::default();
    let stream = bus.subscribe(vec![subscription("terminator")], capacity());
    for number in 0..TERMINATORS {
        bus.publish(terminator(number));
    }
    assert_eq!(stream.dropped(), 0);
}

#[tokio::test]
async fn long_tags_fill_a_queue_by_their_size() {
    let bus = EventBus::default();
    let stream = bus.subscribe(vec![subscription("metrics")], capacity());
    let long = |number| (format!("{number:0256}"), "x".repeat(256));
    let Body::Metric(metric) = metric(0).body else {
        unreachable!("it is one");
    };
    let metric = Metric {
        tags: (0..8).map(long).collect(),
        ..metric
    };
    let count = METRICS as u64;
    for _ in 0..count {
        bus.publish(event(Body::Metric(metric.clone())));
    }
    let bytes = (count - stream.dropped()) * 8 * 512;
    assert!((32 << 20..64 << 20).contains(&bytes), "{bytes}");
}
