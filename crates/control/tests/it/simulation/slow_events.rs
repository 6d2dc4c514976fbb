//! Events that are told only after a while, in virtual time.

use super::in_virtual_time;
use super::world::{Beginning, World};
use crate::recorder::timeless;
use portcullis_domain::clock::Clock as _;
use serde_json::{Value, json};
use std::time::Duration;

const MINUTE: Duration = Duration::from_mins(1);

fn told(world: &World) -> Vec<Value> {
    let lines = world.stage.as_ref().unwrap().events.take();
    let lines = lines.iter();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn want(world: &World, event_type: &str) {
    let stage = world.stage.as_ref().unwrap();
    stage.events.take();
    stage.events.want(event_type, &json!({}));
}

fn of(events: Vec<Value>, namespace: &str) -> Vec<Value> {
    let events = events.into_iter();
    events
        .filter(|event| event["namespace"] == namespace)
        .collect()
}

#[test]
fn dials_of_a_minute_are_counted_together() {
    let beginning = Beginning::new();
    in_virtual_time(async {
        let mut world = World::in_order(&beginning, 1).await;
        want(&world, "service");
        let stage = world.stage.as_ref().unwrap();
        let second = stage.controller.clock.now().as_second();
        let to_next_minute = 60 - u64::try_from(second.rem_euclid(60)).unwrap();
        world.pass(Duration::from_secs(to_next_minute + 1)).await;
        let start = (second.div_euclid(60) + 1) * 60;
        for _ in 0..2 {
            world.dial_service(0, 0);
            world.pass(Duration::from_secs(1)).await;
        }
        world.pass(Duration::from_secs(70)).await;
        assert_eq!(of(told(&world), "service"), Vec::<Value>::new());
        world.pass(2 * MINUTE).await;
        let events = of(told(&world), "service");
        let [event] = &*events else {
            panic!("{events:?}");
        };
        assert_eq!(event["event_type"], "service.dial.success");
        assert_eq!(event["service_id"], json!(world.services[0].id));
        assert_eq!(event["count"], 2);
        assert_eq!(event["interval_start_utc"], start);
        assert_eq!(event["interval_length"], 60);
        assert_ne!(event["terminator_id"], "");
        world.end().await;
    });
}

#[test]
fn identity_whose_router_is_gone_for_long_is_in_an_unknown_state() {
    let beginning = Beginning::new();
    in_virtual_time(async {
        let mut world = World::in_order(&beginning, 2).await;
        want(&world, "sdk");
        let router = world.sites[1].id.clone();
        world.sites[1].line.cut();
        world.pass(2 * MINUTE).await;
        assert_eq!(of(told(&world), "sdk"), Vec::<Value>::new(), "it is back");

        world.end_router(1);
        world.pass(2 * MINUTE).await;
        let lines = world.stage.as_ref().unwrap().events.take();
        let lines = lines.iter().filter(|line| line.contains(r#""sdk""#));
        let lines: Vec<_> = lines.map(|line| timeless(line)).collect();
        let unknown = format!(
            r#"{{"namespace":"sdk","event_src_id":"ctrl-1","timestamp":"T","event_type":"sdk-status-unknown","identity_id":"{router}"}}"#
        );
        assert_eq!(lines, [unknown]);

        world.start_router(1);
        world.pass(MINUTE).await;
        let events = of(told(&world), "sdk");
        assert_eq!(events.len(), 1);
        assert_eq!(events[0]["event_type"], "sdk-online");

        world.end_router(1);
        world.pass(2 * MINUTE).await;
        let stage = world.stage.as_ref().unwrap();
        stage.delete(&format!("edge-routers/{router}")).await;
        world.pass(2 * MINUTE).await;
        let events = of(told(&world), "sdk");
        let kinds: Vec<_> = events.iter().map(|event| &event["event_type"]).collect();
        assert_eq!(kinds, ["sdk-status-unknown", "sdk-offline"]);
        world.end().await;
    });
}
