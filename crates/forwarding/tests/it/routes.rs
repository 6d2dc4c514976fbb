//! Routes, and where payloads go by them.

use crate::support::{OWNER, Table, at, end, link, relay, route, start, way};
use portcullis_forwarding::{Activity, Forwarder, ForwardingOptions, NoWay, RouteRefusal};
use portcullis_wire::control::link::FaultSubject;
use portcullis_wire::control::route::RouteFailure;

#[test]
fn a_payload_goes_where_the_route_says() {
    let (mut table, one, two) = relay();
    assert_eq!(way(&table, "c", one, at(0)), Ok("to l2"));
    assert_eq!(way(&table, "c", two, at(0)), Ok("to l1"));
    assert_eq!(way(&table, "d", one, at(0)), Err(NoWay::UnknownCircuit));
    let (three, _) = table.attach("l3", "to l3");
    assert_eq!(way(&table, "c", three, at(0)), Err(NoWay::NoForward));
}

#[test]
fn a_note_stays_with_its_circuit_and_ends_are_told_from_links() {
    let mut table = Forwarder::<_, _, &str>::with_notes(ForwardingOptions::default());
    let (link_hop, _) = table.attach("l1", "to l1");
    let (serving, _) = table.attach("a", "to the server");
    let both = route("c", &[link("a", "l1"), end("l1", "a")]);
    for note in ["first", "second"] {
        table.route_with(&both, &OWNER, || note, at(0)).unwrap();
    }
    let pass = |from| {
        let passage = table.pass("c", from, Activity::Shown, at(0)).unwrap();
        (*passage.note, passage.is_from_end, passage.is_to_end)
    };
    assert_eq!(pass(link_hop), ("first", false, true));
    assert_eq!(pass(serving), ("first", true, false));
}

#[test]
fn the_dialing_end_may_come_after_its_route() {
    let mut table: Table = Forwarder::new(ForwardingOptions::default());
    let (link_hop, _) = table.attach("l1", "to l1");
    let both = [link("a", "l1"), start("l1", "a")];
    table.route(&route("c", &both), &OWNER, at(0)).unwrap();
    assert_eq!(way(&table, "c", link_hop, at(0)), Err(NoWay::NotAttached));
    let (dialing, _) = table.attach("a", "to the program");
    assert_eq!(way(&table, "c", link_hop, at(0)), Ok("to the program"));
    assert_eq!(way(&table, "c", dialing, at(0)), Ok("to l1"));
}

#[test]
fn links_and_serving_ends_have_to_be_there() {
    let (mut table, one, _) = relay();
    let both = [link("l1", "l2"), link("l2", "l9")];
    let refused = table.route(&route("d", &both), &OWNER, at(0)).unwrap_err();
    assert_eq!(refused.failure(), RouteFailure::InvalidLinkDestination);
    assert_eq!(refused.to_string(), r#"there is no link "l9""#);
    let fault = refused.link_fault().unwrap();
    assert_eq!(
        (fault.subject, fault.id.as_str()),
        (FaultSubject::Link, "l9")
    );
    // Nothing of it was taken.
    assert_eq!(way(&table, "d", one, at(0)), Err(NoWay::UnknownCircuit));

    let refused = table
        .route(&route("d", &[end("l1", "e")]), &OWNER, at(0))
        .unwrap_err();
    assert_eq!(refused.failure(), RouteFailure::Generic);
    assert_eq!(refused.link_fault(), None);
    table.attach("e", "to the server");
    table
        .route(&route("d", &[end("l1", "e")]), &OWNER, at(0))
        .unwrap();
    assert_eq!(way(&table, "d", one, at(0)), Ok("to the server"));
}

#[test]
fn a_new_path_replaces_what_it_names_and_leaves_the_rest() {
    let (mut table, one, two) = relay();
    let (three, _) = table.attach("l3", "to l3");
    let both = [link("l1", "l3"), link("l3", "l1")];
    table.route(&route("c", &both), &"other", at(0)).unwrap();
    assert_eq!(way(&table, "c", one, at(0)), Ok("to l3"));
    assert_eq!(way(&table, "c", three, at(0)), Ok("to l1"));
    // What is still on its way along the old path arrives.
    assert_eq!(way(&table, "c", two, at(0)), Ok("to l1"));
    assert_eq!(table.owner("c"), Some(&"other"));
}

#[test]
fn a_link_that_is_dialed_again_takes_over_its_circuits() {
    let (mut table, one, two) = relay();
    assert_eq!(table.detach(two, |link| *link == "to l2"), Some("to l2"));
    assert_eq!(way(&table, "c", one, at(0)), Err(NoWay::NotAttached));
    let (again, before) = table.attach("l2", "to the new l2");
    assert_eq!((again, before), (two, None));
    assert_eq!(way(&table, "c", one, at(0)), Ok("to the new l2"));
    // The loss of the old one is noticed late.
    assert_eq!(table.detach(two, |link| *link == "to l2"), None);
    assert_eq!(way(&table, "c", one, at(0)), Ok("to the new l2"));
}

#[test]
fn a_router_takes_so_many_circuits_and_forwards() {
    let options = ForwardingOptions {
        max_circuits: 2,
        max_forwards: 4,
        ..ForwardingOptions::default()
    };
    let mut table: Table = Forwarder::new(options);
    let both = [link("l0", "l1"), link("l1", "l0")];
    table.attach("l0", "to l0");
    let (one, _) = table.attach("l1", "to l1");
    for circuit in ["a", "b"] {
        table.route(&route(circuit, &both), &OWNER, at(0)).unwrap();
    }
    let refused = table.route(&route("c", &both), &OWNER, at(0)).unwrap_err();
    assert_eq!(refused, RouteRefusal::TooManyCircuits { limit: 2 });
    assert_eq!(refused.failure(), RouteFailure::ResourcesNotAvailable);
    table
        .route(&route("a", &both), &OWNER, at(0))
        .expect("it is there already");

    for name in ["l2", "l3", "l4", "l5"] {
        table.attach(name, "to another link");
    }
    let more = |name| route("a", &[link(name, "l0")]);
    for name in ["l2", "l3"] {
        table.route(&more(name), &OWNER, at(0)).unwrap();
    }
    let refused = table.route(&more("l4"), &OWNER, at(0)).unwrap_err();
    assert_eq!(refused, RouteRefusal::TooManyForwards { limit: 4 });
    // What leads nowhere makes room.
    table.detach(one, |_| true);
    table.route(&more("l4"), &OWNER, at(0)).unwrap();
    let view = table.circuit("a", at(0)).unwrap();
    assert!(view.forwards.contains(&("l4", "l0")));
    assert!(!view.forwards.contains(&("l0", "l1")));
}

#[test]
fn circuits_can_be_looked_at() {
    let (table, ..) = relay();
    let circuits: Vec<_> = table.circuits(at(3)).collect();
    let [view] = &circuits[..] else {
        panic!("one circuit");
    };
    assert_eq!(
        (view.circuit, *view.owner, view.idle),
        ("c", OWNER, at(3).since(at(0)))
    );
    assert_eq!(view.forwards, [("l1", "l2"), ("l2", "l1")]);
    assert!(!view.is_unrouted);
    assert_eq!((table.len(), table.is_empty()), (1, false));
}
