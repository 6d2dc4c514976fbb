//! How circuits end at a router.

use crate::support::{OWNER, Table, at, end, ended, link, relay, route, start, unroute, way};
use portcullis_forwarding::{Activity, Forwarder, ForwardingOptions, Hop, NoWay};

/// A router with a link and an end, and a circuit between them.
fn edge() -> (Table, Hop, Hop) {
    let mut table = Forwarder::new(ForwardingOptions::default());
    let (link_hop, _) = table.attach("l1", "to l1");
    let (end_hop, _) = table.attach("a", "to the program");
    let both = [link("a", "l1"), start("l1", "a")];
    table.route(&route("c", &both), &OWNER, at(0)).unwrap();
    (table, link_hop, end_hop)
}

#[test]
fn an_immediate_unroute_ends_a_circuit_at_once() {
    let (mut table, link_hop, end_hop) = edge();
    table.unroute(&unroute("c", true), at(0));
    let circuit = table.poll_ended().unwrap();
    assert_eq!((&*circuit.circuit, circuit.ends), ("c", vec![end_hop]));
    assert_eq!(table.poll_ended(), None);
    assert_eq!(
        way(&table, "c", link_hop, at(0)),
        Err(NoWay::UnknownCircuit)
    );
    assert_eq!(table.destination(end_hop), Some(&"to the program"));
    table.unroute(&unroute("c", true), at(0));
    assert_eq!(ended(&mut table), []);
}

#[test]
fn an_unrouted_circuit_goes_on_while_there_is_traffic() {
    let (mut table, link_hop, _) = edge();
    table.unroute(&unroute("c", false), at(1));
    table.unroute(&unroute("c", false), at(2));
    assert_eq!(table.poll_timeout(), Some(at(6)));
    assert_eq!(way(&table, "c", link_hop, at(4)), Ok("to the program"));
    table.handle_timeout(at(6));
    assert_eq!(ended(&mut table), []);
    assert_eq!(table.poll_timeout(), Some(at(11)));
    // What is sent again shows nothing.
    table
        .forward("c", link_hop, Activity::NotShown, at(10))
        .unwrap();
    table.handle_timeout(at(11));
    assert_eq!(ended(&mut table), [("c".to_owned(), 1)]);
    assert_eq!(table.poll_timeout(), None);
}

#[test]
fn an_unrouted_circuit_without_ends_has_nothing_to_wait_for() {
    let (mut table, link_hop, end_hop) = edge();
    table.unroute(&unroute("c", false), at(1));
    way(&table, "c", link_hop, at(5)).unwrap();
    table.detach(end_hop, |_| true);
    table.handle_timeout(at(6));
    assert_eq!(ended(&mut table), [("c".to_owned(), 0)]);
}

#[test]
fn an_unrouted_circuit_that_only_passes_waits_for_its_last_payload() {
    let (mut table, one, _) = relay();
    table.unroute(&unroute("c", false), at(1));
    way(&table, "c", one, at(5)).unwrap();
    table.handle_timeout(at(6));
    assert_eq!(ended(&mut table), []);
    table.handle_timeout(at(11));
    assert_eq!(ended(&mut table), [("c".to_owned(), 0)]);
}

#[test]
fn a_route_revives_a_circuit() {
    let (mut table, link_hop, _) = edge();
    table.unroute(&unroute("c", false), at(1));
    let both = [link("a", "l1"), start("l1", "a")];
    table.route(&route("c", &both), &OWNER, at(2)).unwrap();
    table.handle_timeout(at(100));
    assert_eq!(ended(&mut table), []);
    assert_eq!(way(&table, "c", link_hop, at(100)), Ok("to the program"));
}

#[test]
fn both_ends_of_a_circuit_at_one_router_go_together() {
    let mut table: Table = Forwarder::new(ForwardingOptions::default());
    let (dialing, _) = table.attach("a", "to the program");
    let (serving, _) = table.attach("e", "to the server");
    let both = [end("a", "e"), start("e", "a")];
    table.route(&route("c", &both), &OWNER, at(0)).unwrap();
    assert_eq!(way(&table, "c", dialing, at(0)), Ok("to the server"));
    table.detach(serving, |_| true);
    table.end("c");
    let circuit = table.poll_ended().unwrap();
    assert_eq!(circuit.ends, [dialing]);
}

#[test]
fn nothing_reaches_an_end_in_the_place_of_another() {
    let (mut table, link_hop, old) = edge();
    table.detach(old, |_| true);
    table.end("c");
    let (new, _) = table.attach("b", "to another program");
    assert_ne!(new, old);
    assert_eq!(table.destination(old), None);
    assert_eq!(table.detach(old, |_| true), None);
    let both = [link("b", "l1"), start("l1", "b")];
    table.route(&route("d", &both), &OWNER, at(0)).unwrap();
    assert_eq!(way(&table, "d", old, at(0)), Err(NoWay::NoForward));
    assert_eq!(way(&table, "d", link_hop, at(0)), Ok("to another program"));
}
