//! Idle circuits.

use crate::support::{OWNER, Table, at, link, relay, route, unroute, way};
use portcullis_forwarding::{Activity, Forwarder, ForwardingOptions, IdleScan};
use std::time::Duration;

#[test]
fn controllers_are_asked_about_their_idle_circuits() {
    let (mut table, one, _) = relay();
    let both = [link("l1", "l2"), link("l2", "l1")];
    for (circuit, owner) in [
        ("b", "other"),
        ("a", OWNER),
        ("busy", OWNER),
        ("over", OWNER),
    ] {
        table.route(&route(circuit, &both), &owner, at(0)).unwrap();
    }
    let mut scan = IdleScan::new(&ForwardingOptions::default(), at(0));
    assert_eq!(scan.poll_timeout(), Some(at(60)));
    assert_eq!(scan.find(&table, at(59)).into_confirmations(), []);
    assert_eq!(
        scan.find(&table, at(60)).into_confirmations(),
        [],
        "for as long, not for longer"
    );

    way(&table, "busy", one, at(100)).unwrap();
    table.note_activity("busy", at(101));
    table
        .forward("a", one, Activity::NotShown, at(100))
        .unwrap();
    table.unroute(&unroute("over", false), at(100));
    let asked = scan.find(&table, at(120)).into_confirmations();
    let asked: Vec<_> = asked
        .iter()
        .map(|confirmation| (confirmation.to, &confirmation.message))
        .collect();
    let [(OWNER, mine), ("other", theirs)] = asked[..] else {
        panic!("{asked:?}");
    };
    assert_eq!(mine.circuit_ids, ["a", "c"]);
    assert_eq!(theirs.circuit_ids, ["b"]);
    assert_eq!(mine.idle_nanos["a"], 120_000_000_000);
    assert_eq!(scan.poll_timeout(), Some(at(180)));
}

#[test]
fn messages_have_a_bounded_size() {
    let options = ForwardingOptions {
        max_reported: 3,
        ..ForwardingOptions::default()
    };
    let mut table: Table = Forwarder::new(options);
    table.attach("l1", "to l1");
    for circuit in ["a", "b", "c", "d"] {
        let loops = route(circuit, &[link("l1", "l1")]);
        table.route(&loops, &OWNER, at(0)).unwrap();
    }
    let mut scan = IdleScan::new(&options, at(0));
    let asked = scan.find(&table, at(61)).into_confirmations();
    let sizes = asked.iter().map(|asked| asked.message.circuit_ids.len());
    assert_eq!(sizes.collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn the_search_can_be_switched_off() {
    let (table, ..) = relay();
    let options = ForwardingOptions {
        idle_interval: None,
        ..ForwardingOptions::default()
    };
    let mut scan = IdleScan::new(&options, at(0));
    assert_eq!(scan.poll_timeout(), None);
    assert_eq!(scan.find(&table, at(1_000)).into_confirmations(), []);
}

#[test]
fn activity_is_known_to_a_tenth_of_a_second() {
    let (table, one, _) = relay();
    let idle = |table: &Table| table.circuit("c", at(60)).unwrap().idle;
    way(&table, "c", one, at(10)).unwrap();
    way(&table, "c", one, at(10) + Duration::from_millis(99)).unwrap();
    assert_eq!(idle(&table), Duration::from_secs(50));
    way(&table, "c", one, at(10) + Duration::from_millis(100)).unwrap();
    assert_eq!(idle(&table), Duration::from_millis(49_900));
    // Tasks do not have the same time exactly.
    way(&table, "c", one, at(9)).unwrap();
    assert_eq!(idle(&table), Duration::from_millis(49_900));
}
