//! Who gets which events.

use crate::support::{event, number, router, sdk, subscription, subscription_with};
use portcullis_event_sinks::{EventBus, EventStream};
use portcullis_events::{
    Body, ChangeKind, EntityChange, EntityCount, EntityState, EventPublisher as _, Line, Namespace,
    Usage,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// What is there to be received, without waiting.
async fn received(stream: &mut EventStream) -> Vec<Line> {
    let mut lines = Vec::new();
    while let Ok(Some(line)) = timeout(Duration::ZERO, stream.recv()).await {
        lines.push(line);
    }
    lines
}

async fn numbers(stream: &mut EventStream) -> Vec<usize> {
    let lines = received(stream).await;
    lines.iter().map(|line| number(&line.json)).collect()
}

#[test]
fn what_is_wanted_follows_the_subscribers() {
    let bus = EventBus::default();
    let wanted = || {
        Namespace::ALL
            .into_iter()
            .filter(|namespace| bus.wants(*namespace))
    };
    assert_eq!(wanted().count(), 0);
    let first = bus.subscribe(
        vec![subscription("router"), subscription("fabric.links")],
        1,
    );
    let second = bus.subscribe(vec![subscription("router")], 1);
    assert!(wanted().eq([Namespace::Link, Namespace::Router]));
    drop(first);
    assert!(wanted().eq([Namespace::Router]));
    drop(second);
    assert_eq!(wanted().count(), 0);
}

#[test]
fn changes_are_wanted_by_the_type_of_the_entity() {
    let bus = EventBus::default();
    assert!(!bus.wants_entities("services", false));
    let changes = |options| vec![subscription_with("entityChange", &options)];
    let routers = bus.subscribe(changes(json!({"include": "routers"})), 1);
    assert!(bus.wants_entities("routers", false));
    assert!(!bus.wants_entities("routers", true));
    assert!(!bus.wants_entities("services", false));
    let all = bus.subscribe(changes(json!({"includeParentEvents": true})), 1);
    assert!(bus.wants_entities("services", false) && bus.wants_entities("routers", true));
    drop((routers, all));
    assert!(!bus.wants_entities("routers", false));
}

#[tokio::test]
async fn each_subscriber_gets_what_it_wants_in_order() {
    let bus = EventBus::default();
    bus.publish(router(0));
    let both = vec![subscription("sdk"), subscription("router")];
    // One place for each event: what is not wanted takes none.
    let mut both = bus.subscribe(both, 3);
    let mut twice = bus.subscribe(
        vec![subscription("router"), subscription("fabric.routers")],
        10,
    );
    for publish in [router(1), sdk(2), router(3)] {
        bus.publish(publish);
    }
    assert_eq!(numbers(&mut both).await, [1, 2, 3]);
    assert_eq!(numbers(&mut twice).await, [1, 1, 3, 3]);
    assert_eq!((both.dropped(), twice.dropped()), (0, 0));
}

#[tokio::test]
async fn full_queue_costs_its_subscriber_alone() {
    let bus = EventBus::default();
    let mut slow = bus.subscribe(vec![subscription("router")], 3);
    let mut fast = bus.subscribe(vec![subscription("router")], 10);
    for number in 0..10 {
        bus.publish(router(number));
    }
    assert_eq!(numbers(&mut fast).await, (0..10).collect::<Vec<_>>());
    assert_eq!(numbers(&mut slow).await, [0, 1, 2]);
    assert_eq!((slow.dropped(), fast.dropped()), (7, 0));
    bus.publish(router(10));
    assert_eq!(numbers(&mut slow).await, [10]);
    drop(slow);
    assert_eq!(bus.lost_by_streams(), 7, "also once the stream is gone");
}

#[tokio::test]
async fn thousand_subscribers_get_everything() {
    let bus = EventBus::default();
    let subscribe = |_| bus.subscribe(vec![subscription("router")], 100);
    let mut streams: Vec<_> = (0..1000).map(subscribe).collect();
    let started = Instant::now();
    for number in 0..100 {
        bus.publish(router(number));
    }
    assert!(
        started.elapsed() < Duration::from_secs(10),
        "{:?}",
        started.elapsed()
    );
    for stream in &mut streams {
        assert_eq!(numbers(stream).await, (0..100).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn large_events_fill_a_queue_by_their_size() {
    let bus = EventBus::default();
    let mut stream = bus.subscribe(vec![subscription("entityChange")], 1000);
    let entity = |data: String| EntityState::new(format!(r#"{{"data":"{data}"}}"#).into_bytes());
    let state = entity("x".repeat(1 << 20));
    let change = |after| {
        event(Body::EntityChange(EntityChange {
            event_id: "<uuid>".into(),
            kind: ChangeKind::Created,
            metadata: Arc::default(),
            entity_type: "configs",
            is_parent: false,
            before: EntityState::default(),
            after,
        }))
    };
    for _ in 0..70 {
        bus.publish(change(state.clone()));
    }
    assert_eq!(received(&mut stream).await.len(), 63);
    assert_eq!(stream.dropped(), 7);
    // What is larger than a queue is taken by one that is empty.
    bus.publish(change(entity("x".repeat(70 << 20))));
    assert_eq!(received(&mut stream).await.len(), 1);
}

#[tokio::test]
async fn stream_ends_after_what_waits_when_the_bus_is_closed() {
    let bus = EventBus::default();
    let mut stream = bus.subscribe(vec![subscription("router")], 10);
    bus.publish(router(1));
    bus.close();
    bus.publish(router(2));
    assert!(!bus.wants(Namespace::Router));
    assert_eq!(stream.recv().await.map(|line| number(&line.json)), Some(1));
    assert_eq!(stream.recv().await, None);
    assert_eq!(stream.recv().await, None);
}

#[tokio::test]
async fn wait_that_is_given_up_loses_no_line() {
    let bus = EventBus::default();
    let mut stream = bus.subscribe(vec![subscription("usage")], 10);
    assert!(timeout(Duration::ZERO, stream.recv()).await.is_err());
    bus.publish(event(Body::Usage(Usage {
        router_id: "r".into(),
        circuit_id: "c".into(),
        bytes: [("egress.rx", 1), ("egress.tx", 2)]
            .map(|(kind, bytes)| (kind.to_owned(), bytes))
            .into(),
        interval_start: 0,
        interval_length: 60,
        tags: None,
    })));
    let first = stream.recv().await.expect("it is there");
    // Whatever else is waited for.
    drop(stream.recv());
    assert!(first.json.contains("usage.egress.rx"), "{first:?}");
    let second = stream.recv().await.expect("it is there");
    assert!(second.json.contains("usage.egress.tx"), "{second:?}");
}

#[tokio::test(start_paused = true)]
async fn entities_are_counted_when_a_subscriber_wants_it() {
    let count = || {
        event(Body::EntityCount(EntityCount {
            counts: BTreeMap::new(),
            error: None,
        }))
    };
    let interval = |text| {
        vec![subscription_with(
            "entityCount",
            &json!({ "interval": text }),
        )]
    };
    let bus = EventBus::default();
    let started = Instant::now();
    let mut often = bus.subscribe(interval("10s"), 10);
    let emitter = tokio::spawn({
        let bus = bus.clone();
        async move {
            loop {
                bus.entity_count_due().await;
                bus.publish(count());
            }
        }
    });
    assert!(often.recv().await.is_some());
    assert_eq!(started.elapsed().as_secs(), 1, "a second after subscribing");
    tokio::time::sleep(Duration::from_secs(4)).await;
    let mut seldom = bus.subscribe(interval("1m"), 10);
    assert!(seldom.recv().await.is_some());
    assert_eq!(started.elapsed().as_secs(), 6);
    assert_eq!(received(&mut often).await, []);
    assert!(often.recv().await.is_some());
    assert_eq!(started.elapsed().as_secs(), 11);
    tokio::time::sleep(Duration::from_secs(56)).await;
    // At 21, 31, 41, 51 and 61 seconds, and at 66.
    assert_eq!(received(&mut often).await.len(), 5);
    assert_eq!(received(&mut seldom).await.len(), 1);
    emitter.abort();
}
