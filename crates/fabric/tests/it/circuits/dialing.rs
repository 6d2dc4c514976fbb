//! From a dial to a circuit, or to its failure.

use super::stage::{Stage, circuit, forward, service, terminator, told};
use crate::support::{at, link, router};
use portcullis_domain::identity::Precedence;
use portcullis_domain::ids::{ServiceId, TerminatorId};
use portcullis_domain::service::TerminatorStrategy;
use portcullis_fabric::{
    Action, ChoiceError, CircuitFault, FabricOptions, FailureCause, ForwardKind, PeerData, Route,
    RouteErrorCode, RouteResult, RouterSpec, Service, Terminator,
};
use std::sync::Arc;

#[test]
fn each_router_of_the_path_gets_its_part() {
    let mut stage = Stage::new(&["a", "b", "c"], &["ab", "bc"], FabricOptions::default());
    stage.fabric.set_terminator(terminator("t", "c"));
    let mut dial = stage.dial_of("a", "x");
    dial.peer_data = Arc::new(PeerData::from([(1011, b"app".to_vec())]));
    stage.fabric.dial(dial, at(0));
    let routes = stage.routes();
    let expected = [
        (
            "c",
            [
                forward("bc", "x-out", ForwardKind::End),
                forward("x-out", "bc", ForwardKind::Link),
            ],
        ),
        (
            "b",
            [
                forward("ab", "bc", ForwardKind::Link),
                forward("bc", "ab", ForwardKind::Link),
            ],
        ),
        (
            "a",
            [
                forward("x-in", "ab", ForwardKind::Link),
                forward("ab", "x-in", ForwardKind::Start),
            ],
        ),
    ];
    for ((name, route), (expected_name, forwards)) in routes.iter().zip(&expected) {
        assert_eq!(name, expected_name);
        assert_eq!(route.forwards, forwards);
        assert_eq!(route.attempt, 0);
        assert_eq!(route.timeout.as_secs(), 10);
        assert_eq!(route.egress.is_some(), name == "c");
    }
    let egress = routes[0].1.egress.as_ref().unwrap();
    assert_eq!(egress.binding, "edge");
    assert_eq!(egress.destination, "to-t");
    assert_eq!(egress.address.as_str(), "x-out");
    assert_eq!(egress.peer_data[&1011], b"app");
}

#[test]
fn a_circuit_on_one_router_needs_no_link() {
    let mut stage = Stage::triangle();
    stage.dial("c", "x");
    let routes = stage.routes();
    let [(name, route)] = &routes[..] else {
        panic!("{routes:?}");
    };
    assert_eq!(name, "c");
    let expected = [
        forward("x-in", "x-out", ForwardKind::End),
        forward("x-out", "x-in", ForwardKind::Start),
    ];
    assert_eq!(route.forwards, expected);
    assert!(route.egress.is_some());
}

#[test]
fn the_circuit_exists_once_all_routers_have_confirmed() {
    let mut stage = Stage::triangle();
    stage.dial("a", "x");
    let routes = stage.routes();
    let (last, first) = (&routes[0], &routes[1]);
    stage.succeed(&first.0, &first.1);
    assert_eq!(stage.answer(), None);
    assert!(!stage.fabric.circuit(&circuit("x")).unwrap().is_open);
    assert_eq!(stage.fabric.open_circuits(), 0);

    let from_host = PeerData::from([
        (1, vec![1]),
        (1003, b"other".to_vec()),
        (1101, vec![0]),
        (1102, vec![]),
        (1110, b"10.0.0.1:1".to_vec()),
        (1200, b"more".to_vec()),
    ]);
    stage.result(&last.0, &last.1, Ok(from_host));
    let established = stage.answer().unwrap().unwrap();
    assert_eq!(established.ingress.as_str(), "x-in");
    assert_eq!(established.terminator.as_str(), "t");
    assert_eq!(established.host, "host");
    let keys: Vec<_> = established.peer_data.keys().copied().collect();
    assert_eq!(keys, [1003, 1200]);
    assert_eq!(established.peer_data[&1003], b"other", "what is newer wins");
    let created = stage.created();
    assert_eq!(created.names.circuit, circuit("x"));
    assert_eq!(created.cost, 1_073_741_823 + 11);
    assert_eq!(&*created.addresses.terminator_local, "10.0.0.1:1");

    let view = stage.fabric.circuit(&circuit("x")).unwrap();
    assert!(view.is_open);
    assert_eq!(stage.fabric.open_circuits(), 1);
    // One link that costs 1, and a router that costs 10.
    assert_eq!(view.cost, 1_073_741_823 + 11);
    let cost = stage.fabric.terminators();
    let cost = cost.cost(&TerminatorId::from_wire("t"), at(0)).unwrap();
    assert_eq!((cost.circuits, cost.dynamic), (1, 2));
    assert_eq!(
        stage.fabric.poll_timeout(),
        Some(at(30)),
        "nothing of its own"
    );
}

#[test]
fn client_of_a_sticky_service_learns_what_to_ask_for_again() {
    for (strategy, token) in [
        (TerminatorStrategy::Sticky, Some(&b"t"[..])),
        (TerminatorStrategy::SmartRouting, None),
    ] {
        let mut stage = Stage::triangle();
        let sticky = Service {
            strategy,
            ..Service::default()
        };
        stage.fabric.set_service(service(), sticky);
        stage.dial("a", "x");
        for (name, route) in stage.routes() {
            stage.succeed(&name, &route);
        }
        let established = stage.answer().unwrap().unwrap();
        let told = established.peer_data.get(&1114).map(Vec::as_slice);
        assert_eq!(told, token, "{strategy:?}");
    }
}

#[test]
fn what_other_routers_say_of_a_host_is_not_passed_on() {
    let mut stage = Stage::triangle();
    stage.dial("a", "x");
    let routes = stage.routes();
    let lie = PeerData::from([(1003, b"lie".to_vec())]);
    stage.result("a", &routes[1].1, Ok(lie));
    stage.succeed("c", &routes[0].1);
    let established = stage.answer().unwrap().unwrap();
    assert_eq!(established.peer_data[&1003], b"key");
}

#[test]
fn a_failed_attempt_is_followed_by_one_to_another_terminator() {
    let mut stage = Stage::triangle();
    let second = Terminator {
        cost: 500,
        ..terminator("u", "b")
    };
    stage.fabric.set_terminator(second);
    stage.dial("a", "x");
    let routes = stage.routes();
    stage.succeed("a", &routes[1].1);
    stage.fail("c", &routes[0].1, RouteErrorCode::ConnectionRefused);

    let actions = stage.actions();
    let next: Vec<_> = actions
        .iter()
        .filter_map(|action| match action {
            Action::Route { to, route, .. } => Some((stage.name(*to), route.attempt)),
            _ => None,
        })
        .collect();
    assert_eq!(next, [("b".to_owned(), 1), ("a".to_owned(), 1)]);
    let unroute = actions.iter().find_map(|action| match action {
        Action::Unroute { to, now, .. } => Some((stage.name(*to), *now)),
        _ => None,
    });
    assert_eq!(unroute, Some(("c".to_owned(), true)), "a is used again");
    let cost = stage.fabric.terminators();
    let cost = cost.cost(&TerminatorId::from_wire("t"), at(0)).unwrap();
    assert_eq!(cost.failures, 20);

    let cause = FailureCause::Router(RouteErrorCode::ConnectionRefused);
    assert_eq!(stage.failures(), [cause]);
    stage.fail("b", &routes[0].1, RouteErrorCode::Generic);
    assert_eq!(stage.failures(), [], "of the attempt before");
}

#[test]
fn another_attempt_at_the_same_router_is_to_a_fresh_end() {
    let mut stage = Stage::triangle();
    let second = Terminator {
        cost: 500,
        ..terminator("u", "c")
    };
    stage.fabric.set_terminator(second);
    stage.dial("a", "x");
    let first = stage.routes();
    stage.succeed("c", &first[0].1);
    stage.fail("a", &first[1].1, RouteErrorCode::InvalidLinkDestination);

    // What the router has dialed is taken away before it dials again.
    let actions = stage.actions();
    let told: Vec<_> = actions
        .iter()
        .filter_map(|action| match action {
            Action::Route { to, .. } => Some((stage.name(*to), "route")),
            Action::Unroute { to, now: true, .. } => Some((stage.name(*to), "unroute")),
            _ => None,
        })
        .collect();
    let expected = [("c", "unroute"), ("c", "route"), ("a", "route")];
    assert_eq!(told, expected.map(|(to, what)| (to.to_owned(), what)));
    let egress = |route: &Route| route.egress.as_ref().unwrap().address.clone();
    let second = actions.iter().find_map(|action| match action {
        Action::Route { route, .. } => Some(route),
        _ => None,
    });
    let second = second.unwrap();
    assert_ne!(egress(&first[0].1), egress(second));
    let ends = second
        .forwards
        .iter()
        .any(|forward| forward.to == egress(second));
    assert!(ends, "{second:?}");
}

#[test]
fn a_dial_ends_with_its_second_failure() {
    let mut stage = Stage::triangle();
    stage.dial("a", "x");
    let routes = stage.routes();
    stage.fail("c", &routes[0].1, RouteErrorCode::Generic);
    let routes = stage.routes();
    assert_eq!(routes[0].1.attempt, 1, "there is no other terminator");
    stage.fail("c", &routes[0].1, RouteErrorCode::DialTimedOut);
    let actions = stage.actions();
    let unroutes = actions
        .iter()
        .filter(|action| matches!(action, Action::Unroute { now: true, .. }));
    assert_eq!(unroutes.count(), 2, "{actions:?}");
    let Some(Action::Answer { result, .. }) = actions.last() else {
        panic!("{actions:?}");
    };
    let failure = result.as_ref().unwrap_err();
    let cause = FailureCause::Router(RouteErrorCode::DialTimedOut);
    assert_eq!(failure.cause, cause);
    let text = "the host did not answer in time: no";
    assert_eq!(failure.to_string(), text);
    assert_eq!(stage.fabric.circuits().count(), 0);
    assert_eq!(stage.failures().len(), 2, "one for each attempt");

    stage.succeed("a", &routes[1].1);
    assert_eq!(stage.unroutes(), told(&["a"], true), "too late");
}

#[test]
fn routers_have_ten_seconds_for_each_attempt() {
    let mut stage = Stage::triangle();
    stage.dial("a", "x");
    let routes = stage.routes();
    stage.succeed("a", &routes[1].1);
    stage.pass(9);
    assert_eq!(stage.actions(), []);
    stage.pass(1);
    assert_eq!(stage.failures(), [FailureCause::Timeout]);
    assert_eq!(stage.routes()[0].1.attempt, 1);
    stage.pass(10);
    let failure = stage.answer().unwrap().unwrap_err();
    assert_eq!(failure.cause, FailureCause::Timeout);
}

#[test]
fn only_its_own_router_can_disown_a_terminator() {
    for (binding, reporter, is_deleted, is_degraded) in [
        ("edge", "c", true, false),
        ("tunnel", "c", true, false),
        ("transport", "c", false, true),
        ("edge", "a", false, false),
    ] {
        let mut stage = Stage::triangle();
        let terminator = Terminator {
            binding: binding.to_owned(),
            ..terminator("t", "c")
        };
        stage.fabric.set_terminator(terminator);
        stage.dial("a", "x");
        let route = stage.routes()[0].1.clone();
        stage.fail(reporter, &route, RouteErrorCode::InvalidTerminator);
        let id = TerminatorId::from_wire("t");
        let actions = stage.actions();
        let delete = Action::DeleteTerminator {
            terminator: id.clone(),
        };
        let degrade = Action::DegradeTerminator {
            terminator: id.clone(),
        };
        assert_eq!(actions.contains(&delete), is_deleted, "{binding}");
        assert_eq!(actions.contains(&degrade), is_degraded, "{binding}");
        let left = stage.fabric.terminators().get(&id);
        assert_eq!(left.is_none(), is_deleted);
        let precedence = left.map(|terminator| terminator.precedence);
        assert_eq!(precedence == Some(Precedence::Failed), is_degraded);
    }
}

#[test]
fn a_dial_that_leads_nowhere_fails_at_once() {
    let options = FabricOptions {
        max_circuits_per_router: 2,
        max_circuits_per_service: 3,
        ..FabricOptions::default()
    };
    let mut stage = Stage::new(&["a", "b"], &[], options);
    let cause = |stage: &mut Stage, from: &str, id: &str| {
        stage.dial(from, id);
        let failure = stage.answer()?.unwrap_err();
        assert_eq!(stage.failures(), [failure.cause]);
        Some(failure.cause)
    };
    let no_terminators = FailureCause::Choice(ChoiceError::NoTerminators);
    assert_eq!(cause(&mut stage, "a", "x"), Some(no_terminators));
    assert_eq!(no_terminators.name(), "NO_TERMINATORS");
    stage.fabric.set_terminator(terminator("t", "b"));
    let no_path = FailureCause::Choice(ChoiceError::NoPath);
    assert_eq!(cause(&mut stage, "a", "x"), Some(no_path));
    stage.disconnect("b");
    let offline = FailureCause::Choice(ChoiceError::NoOnlineTerminators);
    assert_eq!(cause(&mut stage, "a", "x"), Some(offline));

    stage.fabric.set_terminator(terminator("t", "a"));
    stage.open("a", "x");
    assert_eq!(cause(&mut stage, "a", "x"), Some(FailureCause::NamesInUse));
    stage.open("a", "y");
    let full = Some(FailureCause::TooManyCircuits);
    assert_eq!(cause(&mut stage, "a", "z"), full);
    stage.connect("b");
    stage.fabric.set_terminator(terminator("u", "b"));
    stage.open("b", "z");
    assert_eq!(cause(&mut stage, "b", "w"), full, "of the service");

    let mut dial = stage.dial_of("a", "v");
    dial.right.service = ServiceId::from_wire("unknown");
    stage.fabric.dial(dial, at(0));
    let failure = stage.answer().unwrap().unwrap_err();
    assert_eq!(failure.cause, FailureCause::InvalidService);
}

#[test]
fn a_router_that_falls_behind_gets_no_more_dials() {
    let options = FabricOptions {
        max_dials_per_router: 2,
        ..FabricOptions::default()
    };
    let mut stage = Stage::new(&["a", "b", "c"], &["ab", "bc", "ac"], options);
    stage.fabric.set_terminator(terminator("t", "c"));
    stage.dial("a", "u");
    stage.dial("b", "v");
    let routes = stage.routes();
    for from in ["a", "b", "c"] {
        stage.dial(from, "w");
        let failure = stage.answer().unwrap().unwrap_err();
        assert_eq!(failure.cause, FailureCause::TooManyDials, "{from}");
    }
    // The one that has dialed was faster.
    let (at_c, at_a) = (&routes[0], &routes[1]);
    stage.succeed(&at_a.0, &at_a.1);
    stage.dial("b", "w");
    let failure = stage.answer().unwrap().unwrap_err();
    assert_eq!(failure.cause, FailureCause::TooManyDials);
    stage.succeed(&at_c.0, &at_c.1);
    assert!(stage.answer().unwrap().is_ok());
    stage.open("b", "w");
    // Those that are never answered count for no longer than they wait.
    for id in ["x", "y", "z"] {
        stage.dial("c", id);
        assert_eq!(stage.answer().is_none(), id == "x", "{id}");
    }
    stage.pass(10);
    stage.pass(10);
    stage.actions();
    stage.open("c", "z");
}

#[test]
fn another_attempt_counts_as_a_dial_of_the_routers_that_it_leads_to() {
    let options = FabricOptions {
        max_dials_per_router: 1,
        ..FabricOptions::default()
    };
    let mut stage = Stage::new(&["a", "b", "c", "d"], &["ab", "bc", "cd"], options);
    stage.fabric.set_terminator(terminator("near", "b"));
    stage.fabric.set_terminator(terminator("far", "c"));
    stage.dial("d", "u");
    let first = stage.routes();
    stage.dial("a", "v");
    let routes = stage.routes();
    assert_eq!(routes[0].0, "b");
    stage.fail("b", &routes[0].1, RouteErrorCode::ConnectionRefused);
    let failure = stage.answer().unwrap().unwrap_err();
    assert_eq!(failure.cause, FailureCause::TooManyDials);
    assert!(failure.text.ends_with(": no"), "{failure}");
    // The other one goes on.
    for (name, route) in &first {
        stage.succeed(name, route);
    }
    assert!(stage.answer().unwrap().is_ok());
}

#[test]
fn an_attempt_does_not_stand_in_the_way_of_the_next_one() {
    let options = FabricOptions {
        max_dials_per_router: 1,
        ..FabricOptions::default()
    };
    let mut stage = Stage::new(&["a", "b", "c"], &["ab", "bc"], options);
    stage.fabric.set_terminator(terminator("near", "b"));
    stage.fabric.set_terminator(terminator("far", "c"));
    stage.dial("a", "u");
    let routes = stage.routes();
    stage.fail("b", &routes[0].1, RouteErrorCode::ConnectionRefused);
    assert_eq!(stage.confirm(), ["c", "b", "a"]);
    assert!(stage.answer().unwrap().is_ok());
}

#[test]
fn encryption_needs_the_key_of_the_host() {
    let mut stage = Stage::triangle();
    let encrypted = Service {
        encryption_required: true,
        ..Service::default()
    };
    stage.fabric.set_service(service(), encrypted);
    stage.open("a", "x");
    stage.fabric.set_terminator(Terminator {
        peer_data: Arc::default(),
        ..terminator("t", "c")
    });
    stage.dial("a", "y");
    stage.confirm();
    assert_eq!(stage.failures(), [FailureCause::NoHostKey]);
    let routes = stage.routes();
    let key = PeerData::from([(1003, vec![7])]);
    stage.result("c", &routes[0].1, Ok(key));
    stage.succeed("a", &routes[1].1);
    assert!(stage.answer().unwrap().is_ok());
}

#[test]
fn a_link_or_router_that_is_lost_meanwhile_is_not_the_fault_of_the_terminator() {
    for cause in [FailureCause::LinkLost, FailureCause::RouterLost] {
        let mut stage = Stage::triangle();
        let second = Terminator {
            precedence: Precedence::Failed,
            ..terminator("u", "b")
        };
        stage.fabric.set_terminator(second);
        stage.dial("a", "x");
        stage.actions();
        if cause == FailureCause::LinkLost {
            stage.lose_link("ac");
        } else {
            stage.disconnect("c");
        }
        assert_eq!(stage.failures(), [cause]);
        assert_eq!(stage.confirm(), ["b", "a"], "to the other terminator");
        let cost = stage.fabric.terminators();
        let cost = cost.cost(&TerminatorId::from_wire("t"), at(0)).unwrap();
        assert_eq!(cost.failures, 0);
    }
}

#[test]
fn nobody_waits_for_a_dial_whose_router_is_gone() {
    let mut stage = Stage::triangle();
    stage.dial("a", "x");
    stage.actions();
    stage.connect("a");
    let unroutes = stage.unroutes();
    assert_eq!(unroutes, told(&["a", "c"], true), "replaced session");
    assert_eq!(stage.failures(), [FailureCause::Cancelled]);
    assert_eq!(stage.fabric.circuits().count(), 0);

    let mut dial = stage.dial_of("a", "y");
    stage.disconnect("a");
    dial.from = stage.sessions["a"];
    stage.fabric.dial(dial, at(0));
    assert_eq!(stage.actions(), [], "a session that is gone gets no answer");
}

#[test]
fn an_end_that_closes_while_others_are_awaited_ends_the_attempt() {
    let mut stage = Stage::triangle();
    stage.dial("a", "x");
    let routes = stage.routes();
    let (a, c) = (stage.sessions["a"], stage.sessions["c"]);
    let id = circuit("x");
    let fault = |stage: &mut Stage, from, fault| {
        stage.fabric.handle_circuit_fault(from, &id, fault, at(0));
    };
    fault(&mut stage, c, CircuitFault::Egress);
    assert_eq!(stage.failures(), [], "its own answer is still to come");
    stage.succeed("c", &routes[0].1);
    fault(&mut stage, a, CircuitFault::Egress);
    fault(&mut stage, c, CircuitFault::Ingress);
    assert_eq!(stage.failures(), [], "of no concern to these routers");
    fault(&mut stage, c, CircuitFault::Egress);
    assert_eq!(stage.routes()[0].1.attempt, 1);
    fault(&mut stage, a, CircuitFault::Ingress);
    let failure = stage.answer().unwrap().unwrap_err();
    assert_eq!(failure.cause, FailureCause::Cancelled);
}

#[test]
fn a_result_from_a_router_off_the_path_is_answered_with_an_unroute() {
    let mut stage = Stage::triangle();
    stage.dial("a", "x");
    let route = stage.routes()[0].1.clone();
    stage.succeed("b", &route);
    assert_eq!(stage.unroutes(), told(&["b"], true));
    assert!(!stage.fabric.circuit(&circuit("x")).unwrap().is_open);
    let unknown = RouteResult {
        route: None,
        circuit: circuit("y"),
        outcome: Ok(PeerData::new()),
    };
    let b = stage.sessions["b"];
    stage.fabric.handle_route_result(b, unknown, at(0));
    assert_eq!(stage.unroutes(), told(&["b"], true));
}

#[test]
fn traversal_and_costs_of_routers_shape_the_path() {
    let mut stage = Stage::triangle();
    stage.fabric.set_link_cost(&link("ac"), 100);
    stage.open("a", "x");
    assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
    let spec = RouterSpec {
        cost: 0,
        no_traversal: true,
    };
    stage.fabric.set_router(router("b"), spec, at(0));
    stage.open("a", "y");
    assert_eq!(stage.path("y").unwrap(), ["a", "c"]);
}
