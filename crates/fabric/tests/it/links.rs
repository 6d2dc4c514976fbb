//! What routers report about links.

use crate::support::{at, link, network, outputs, report, router};
use portcullis_fabric::{
    FaultKind, LinkConnection, LinkConnections, LinkEvent, LinkFault, LinkRefusal, LinkReport,
    LinkState, Network, NetworkOptions, NetworkOutput, RouterSession, RouterSpec,
};
use std::sync::Arc;
use std::time::Duration;

fn fault(id: &str, iteration: u32) -> LinkFault {
    LinkFault {
        id: link(id),
        iteration,
        kind: FaultKind::Fault,
    }
}

/// What has happened to links: which, and what.
fn news(network: &mut Network) -> Vec<(&'static str, String)> {
    let all = events(network).into_iter();
    all.map(|event| match event {
        LinkEvent::Added(link) => ("added", link.id.as_str().to_owned()),
        LinkEvent::Redialed(link) => ("redialed", link.id.as_str().to_owned()),
        LinkEvent::Known(link) => ("known", link.id.as_str().to_owned()),
        LinkEvent::DestinationUnconnected(link) => ("unconnected", link.as_str().to_owned()),
        LinkEvent::ConnectionsChanged(link) => ("changed", link.id.as_str().to_owned()),
        LinkEvent::Removed { link, .. } => ("removed", link.id.as_str().to_owned()),
        LinkEvent::UnknownFaulted { link, .. } => ("unknown", link.as_str().to_owned()),
        LinkEvent::Refused { link, .. } => ("refused", link.as_str().to_owned()),
    })
    .collect()
}

fn told(expected: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let all = expected.iter();
    all.map(|(what, link)| (*what, (*link).to_owned()))
        .collect()
}

fn events(network: &mut Network) -> Vec<LinkEvent> {
    let all = outputs(network).into_iter();
    all.filter_map(|output| match output {
        NetworkOutput::Link(event) => Some(event),
        _ => None,
    })
    .collect()
}

fn closed(network: &mut Network) -> Vec<(RouterSession, u32)> {
    let all = outputs(network).into_iter();
    all.filter_map(|output| match output {
        NetworkOutput::CloseLink { to, iteration, .. } => Some((to, iteration)),
        _ => None,
    })
    .collect()
}

fn refusals(network: &mut Network) -> Vec<LinkRefusal> {
    let all = events(network).into_iter();
    all.filter_map(|event| match event {
        LinkEvent::Refused { reason, .. } => Some(reason),
        _ => None,
    })
    .collect()
}

#[test]
fn a_new_link_is_expensive_until_both_ends_have_measured_it() {
    let (mut network, [a, b, c]) = network(["a", "b", "c"]);
    network.report_links(a, vec![report("l", "b", 1)], false);
    let cost = |network: &Network| network.link(&link("l")).unwrap().cost();
    assert_eq!(cost(&network), 130_001);

    network.report_latency(a, &link("l"), Duration::from_micros(2_999));
    assert_eq!(cost(&network), 65_003);
    network.report_latency(b, &link("l"), Duration::from_micros(3_999));
    assert_eq!(cost(&network), 6, "each latency is rounded down");
    network.report_latency(c, &link("l"), Duration::ZERO);
    assert_eq!(cost(&network), 6, "of no concern to c");

    assert!(network.set_link_cost(&link("l"), 100));
    assert_eq!(cost(&network), 105);
    network.report_latency(a, &link("l"), Duration::MAX);
    assert_eq!(cost(&network), u32::MAX);
    assert!(!network.set_link_cost(&link("m"), 1));
}

#[test]
fn only_a_higher_iteration_replaces_a_link() {
    let (mut network, [a, b]) = network(["a", "b"]);
    network.report_links(a, vec![report("l", "b", 2)], false);
    assert_eq!(news(&mut network), told(&[("added", "l")]));
    network.report_latency(a, &link("l"), Duration::ZERO);
    network.report_latency(b, &link("l"), Duration::ZERO);
    network.set_link_cost(&link("l"), 7);

    for iteration in [1, 2] {
        network.report_links(a, vec![report("l", "b", iteration)], false);
        assert_eq!(news(&mut network), told(&[("known", "l")]));
        assert_eq!(network.link(&link("l")).unwrap().cost(), 7);
    }

    network.report_links(a, vec![report("l", "b", 3)], false);
    let output = outputs(&mut network);
    assert!(
        !output.contains(&NetworkOutput::LinkLost(link("l"))),
        "circuits go on: tables of routers name links by id: {output:?}"
    );
    let known = network.link(&link("l")).unwrap();
    assert_eq!((known.iteration, known.cost()), (3, 130_007));
}

#[test]
fn a_link_that_leads_elsewhere_is_another_link() {
    let (mut network, [a, ..]) = network(["a", "b", "c"]);
    network.report_links(a, vec![report("l", "b", 1)], false);
    outputs(&mut network);
    network.report_links(a, vec![report("l", "c", 2)], false);
    let expected = told(&[("removed", "l"), ("added", "l")]);
    assert_eq!(news(&mut network), expected);
    let destination = network.link(&link("l")).unwrap().destination;
    assert_eq!(network.router_id(destination), Some(&router("c")));
}

#[test]
fn a_full_report_ends_links_that_are_not_in_it() {
    let (mut network, [a, b]) = network(["a", "b"]);
    network.report_links(a, vec![report("l", "b", 1), report("m", "b", 1)], false);
    network.report_links(b, vec![report("n", "a", 1)], false);
    outputs(&mut network);

    network.report_links(a, vec![report("m", "b", 1)], true);
    let lost: Vec<_> = outputs(&mut network)
        .into_iter()
        .filter(|output| matches!(output, NetworkOutput::LinkLost(_)))
        .collect();
    assert_eq!(lost, [NetworkOutput::LinkLost(link("l"))]);
    let left: Vec<_> = network.links().map(|link| link.id.as_str()).collect();
    assert_eq!(left, ["m", "n"], "those of others stay");
}

#[test]
fn the_other_end_of_a_faulty_link_is_told() {
    let (mut network, [a, b]) = network(["a", "b"]);
    for (reporter, told) in [(a, b), (b, a)] {
        network.report_links(a, vec![report("l", "b", 2)], false);
        network.set_link_down(&link("l"), true);
        outputs(&mut network);

        network.report_link_fault(reporter, fault("l", 1));
        assert!(network.link(&link("l")).is_some(), "of an iteration before");
        assert_eq!(outputs(&mut network), []);

        network.report_link_fault(reporter, fault("l", 2));
        assert!(network.link(&link("l")).is_none());
        assert_eq!(closed(&mut network), [(told, 2)]);
    }
    network.report_links(a, vec![report("l", "b", 2)], false);
    network.report_link_fault(a, fault("l", 0));
    assert!(network.link(&link("l")).is_none(), "of any iteration");
}

#[test]
fn a_fault_of_an_unknown_link_is_news_and_no_more() {
    let (mut network, [a, _]) = network(["a", "b"]);
    let duplicate = LinkFault {
        kind: FaultKind::Duplicate,
        ..fault("l", 1)
    };
    network.report_link_fault(a, duplicate);
    let expected = LinkEvent::UnknownFaulted {
        link: link("l"),
        kind: FaultKind::Duplicate,
    };
    assert_eq!(outputs(&mut network), [NetworkOutput::Link(expected)]);
}

#[test]
fn nobody_speaks_for_links_of_others() {
    let (mut network, [a, b, c]) = network(["a", "b", "c"]);
    network.report_links(a, vec![report("l", "b", 1)], false);
    outputs(&mut network);

    for liar in [b, c] {
        network.report_links(liar, vec![report("l", "a", 9)], false);
        assert_eq!(refusals(&mut network), [LinkRefusal::NotAnEnd]);
        let state = LinkState {
            id: link("l"),
            link_iteration: 1,
            connections: LinkConnections {
                iteration: 9,
                list: Vec::new(),
            },
        };
        network.report_link_state(liar, state);
        assert_eq!(refusals(&mut network), [LinkRefusal::NotAnEnd]);
    }
    network.report_link_fault(c, fault("l", 1));
    assert_eq!(refusals(&mut network), [LinkRefusal::NotAnEnd]);
    assert_eq!(network.link(&link("l")).unwrap().iteration, 1);
}

#[test]
fn links_that_cannot_be_are_refused() {
    let options = NetworkOptions {
        max_links_per_router: 2,
        ..NetworkOptions::default()
    };
    let mut network = Network::new(options);
    network.set_router(router("a"), RouterSpec::default());
    network.set_router(router("b"), RouterSpec::default());
    let a = network.connect(&router("a")).unwrap();
    let long = LinkReport {
        dial_address: "x".repeat(513),
        ..report("l", "b", 1)
    };
    let crowd = LinkReport {
        connections: LinkConnections {
            iteration: 0,
            list: vec![
                LinkConnection {
                    kind: "link.default".to_owned(),
                    local_address: String::new(),
                    remote_address: String::new(),
                };
                201
            ],
        },
        ..report("l", "b", 1)
    };
    let cases = [
        (report("l", "x", 1), LinkRefusal::UnknownDestination),
        (report("l", "a", 1), LinkRefusal::ToItself),
        (long, LinkRefusal::TooLong),
        (crowd, LinkRefusal::TooLong),
    ];
    for (report, reason) in cases {
        network.report_links(a, vec![report], false);
        assert_eq!(refusals(&mut network), [reason]);
    }
    let many = (0..3).map(|n| report(&format!("l{n}"), "b", 1)).collect();
    network.report_links(a, many, false);
    assert_eq!(refusals(&mut network), [LinkRefusal::TooMany]);
    assert_eq!(network.links().count(), 2);

    network.report_link_fault(a, fault("l0", 1));
    network.report_links(a, vec![report("l2", "b", 1)], false);
    assert_eq!(refusals(&mut network), [], "there is room again");
}

#[test]
fn connections_change_within_an_iteration() {
    let (mut network, [a, _]) = network(["a", "b"]);
    network.report_links(a, vec![report("l", "b", 1)], false);
    outputs(&mut network);
    // Iteration of the link, of the list, and whether that is news.
    for (link_iteration, iteration, is_news) in [
        (1, 1, true),
        (1, 1, false),
        (2, 2, false),
        (1, 3, true),
        (1, 2, false),
    ] {
        let state = LinkState {
            id: link("l"),
            link_iteration,
            connections: LinkConnections {
                iteration,
                list: Vec::new(),
            },
        };
        network.report_link_state(a, state);
        let expected = is_news.then_some(("changed", "l"));
        assert_eq!(news(&mut network), told(expected.as_slice()));
    }
}

#[test]
fn a_destination_may_connect_later() {
    let (mut network, [a, b]) = network(["a", "b"]);
    network.disconnect(b, at(0));
    network.report_links(a, vec![report("l", "b", 1)], false);
    let expected = told(&[("unconnected", "l"), ("added", "l")]);
    assert_eq!(news(&mut network), expected);
    let is_usable = |network: &Network| network.is_usable(network.link(&link("l")).unwrap());
    assert!(!is_usable(&network));
    network.connect(&router("b"));
    assert!(is_usable(&network));
    network.set_link_down(&link("l"), true);
    assert!(!is_usable(&network));
    network.set_link_down(&link("l"), false);
    assert!(is_usable(&network));
}

#[test]
fn a_replaced_session_has_no_say() {
    let (mut network, [a, _]) = network(["a", "b"]);
    let new = network.connect(&router("a")).unwrap();
    assert!(outputs(&mut network).contains(&NetworkOutput::SessionEnded(a)));

    network.report_links(a, vec![report("l", "b", 1)], true);
    assert_eq!(network.links().count(), 0);
    network.report_links(new, vec![report("l", "b", 1)], true);
    outputs(&mut network);
    network.report_links(a, Vec::new(), true);
    network.report_link_fault(a, fault("l", 1));
    network.report_latency(a, &link("l"), Duration::ZERO);
    network.disconnect(a, at(0));
    assert_eq!(outputs(&mut network), []);
    assert_eq!(network.link(&link("l")).unwrap().cost(), 130_001);
    assert!(network.is_current(new));
}

#[test]
fn a_router_comes_and_goes_once_however_its_sessions_overlap() {
    let (mut network, [a]) = network(["a"]);
    let news = |network: &mut Network| -> Vec<bool> {
        let all = outputs(network).into_iter();
        all.filter_map(|output| match output {
            NetworkOutput::Router(event) => Some(event.is_online),
            _ => None,
        })
        .collect()
    };
    let b = network.connect(&router("a")).unwrap();
    network.disconnect(a, at(0));
    assert!(news(&mut network).is_empty());
    network.disconnect(b, at(1));
    network.disconnect(b, at(1));
    assert_eq!(news(&mut network), [false]);
    network.handle_timeout(at(100));
    network.connect(&router("a"));
    assert_eq!(news(&mut network), [true]);
    network.remove_router(&router("a"));
    assert_eq!(news(&mut network), [false]);
}

#[test]
fn a_router_that_returns_in_time_keeps_its_links() {
    let (mut network, [a, b]) = network(["a", "b"]);
    network.report_links(a, vec![report("l", "b", 1)], true);
    network.disconnect(a, at(100));
    assert_eq!(network.poll_timeout(), Some(at(110)));
    let a = network.connect(&router("a")).unwrap();
    assert_eq!(network.poll_timeout(), None);
    outputs(&mut network);
    network.report_links(a, vec![report("l", "b", 1)], true);
    assert_eq!(news(&mut network), told(&[("known", "l")]));

    network.disconnect(a, at(200));
    network.handle_timeout(at(209));
    assert_eq!(network.links().count(), 1);
    outputs(&mut network);
    let gone = Arc::new(network.link(&link("l")).unwrap().clone());
    network.handle_timeout(at(210));
    let expected = [
        NetworkOutput::LinkLost(link("l")),
        NetworkOutput::Link(LinkEvent::Removed {
            link: gone,
            fault: None,
        }),
        NetworkOutput::RouterLost(a.router()),
    ];
    assert_eq!(outputs(&mut network), expected);
    assert!(network.is_current(b));
}

#[test]
fn what_is_reported_to_a_lost_router_stays_with_the_one_that_dialed() {
    let (mut network, [a, b]) = network(["a", "b"]);
    network.report_links(a, vec![report("l", "b", 1)], true);
    network.disconnect(b, at(0));
    network.handle_timeout(at(10));
    assert_eq!(network.links().count(), 1);
}

#[test]
fn a_removed_link_is_closed_at_both_ends_and_an_unknown_one_everywhere() {
    let (mut network, [a, b, c]) = network(["a", "b", "c"]);
    network.report_links(a, vec![report("l", "b", 3)], false);
    outputs(&mut network);
    network.remove_link(&link("l"));
    assert_eq!(closed(&mut network), [(a, 3), (b, 3)]);
    network.remove_link(&link("l"));
    assert_eq!(closed(&mut network), [(a, 0), (b, 0), (c, 0)]);
}

#[test]
fn a_removed_router_takes_its_links_along_and_leaves_its_slot() {
    let (mut network, [a, b, _]) = network(["a", "b", "c"]);
    network.report_links(a, vec![report("l", "b", 1)], false);
    network.report_links(b, vec![report("m", "c", 1)], false);
    network.remove_router(&router("a"));
    let left: Vec<_> = network.links().map(|link| link.id.as_str()).collect();
    assert_eq!(left, ["m"]);
    assert!(!network.is_current(a));

    let new = network.set_router(router("d"), RouterSpec::default());
    assert_ne!(new, a.router());
    assert_eq!(network.router_id(a.router()), None);
    assert_eq!(network.past_router_id(a.router()), Some(&router("a")));
    assert_eq!(network.router_id(new), Some(&router("d")));
    assert_eq!(network.connect(&router("a")), None);
}
