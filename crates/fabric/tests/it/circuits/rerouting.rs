//! Circuits that change their path.

use super::stage::{Stage, circuit, told};
use crate::support::{at, link, router};
use portcullis_fabric::{
    Action, EndReason, FabricOptions, ForwardFault, REROUTE_ATTEMPT, RouteErrorCode,
};

#[test]
fn a_lost_link_is_passed_by() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.lose_link("ac");
    let routes = stage.routes();
    let names: Vec<_> = routes.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["c", "b", "a"]);
    for (_, route) in &routes {
        assert_eq!(route.attempt, REROUTE_ATTEMPT);
        assert_eq!(route.egress, None);
    }
    for (name, route) in &routes {
        assert_eq!(stage.events(), []);
        stage.succeed(name, route);
    }
    let moved = stage.moved();
    assert_eq!(moved.names.circuit, circuit("x"));
    assert_eq!(moved.path.routers().len(), 3);
    assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
    assert_eq!(stage.unroutes(), [], "all are still needed");

    stage.link("ac", 1);
    stage.actions();
    stage.lose_link("bc");
    assert_eq!(stage.confirm(), ["c", "a"]);
    assert_eq!(stage.unroutes(), told(&["b"], true));
}

#[test]
fn a_link_that_is_dialed_again_carries_on() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.link("ac", 2);
    assert_eq!(stage.actions(), []);
}

#[test]
fn the_old_path_stays_until_the_new_one_is_confirmed() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    let id = link("ac");
    assert!(stage.fabric.set_link_down(&id, true, at(0)));
    let routes = stage.routes();
    stage.succeed("c", &routes[0].1);
    stage.fail("b", &routes[1].1, RouteErrorCode::ResourcesNotAvailable);
    let routes = stage.routes();
    assert_eq!(routes.len(), 3, "once more");
    stage.fail("b", &routes[1].1, RouteErrorCode::Generic);
    assert_eq!(stage.ends(), [EndReason::RerouteFailed]);
    assert_eq!(stage.unroutes(), told(&["a", "b", "c"], true));
}

#[test]
fn routers_that_do_not_answer_are_not_waited_for() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.lose_link("ac");
    stage.actions();
    stage.pass(10);
    assert_eq!(stage.routes().len(), 3);
    stage.pass(10);
    assert_eq!(stage.ends(), [EndReason::RerouteFailed]);
}

#[test]
fn a_circuit_without_a_path_waits_a_little() {
    let mut stage = Stage::new(&["a", "c"], &["ac"], FabricOptions::default());
    stage
        .fabric
        .set_terminator(super::stage::terminator("t", "c"));
    stage.open("a", "x");
    stage.lose_link("ac");
    stage.actions();
    assert_eq!(stage.fabric.poll_timeout(), Some(at(10)));
    stage.pass(9);
    stage.link("ac", 2);
    assert_eq!(
        stage.confirm(),
        ["c", "a"],
        "routers get their routes again"
    );
    assert_eq!(stage.events(), [], "on the same path");

    stage.lose_link("ac");
    stage.pass(10);
    assert_eq!(stage.ends(), [EndReason::NoPath]);
}

#[test]
fn a_router_that_returns_in_time_keeps_its_circuits() {
    for lost in ["a", "b", "c"] {
        let mut stage = Stage::triangle();
        stage.lose_link("ac");
        stage.actions();
        stage.open("a", "x");
        stage.disconnect(lost);
        stage.pass(9);
        assert_eq!(stage.actions(), []);
        stage.connect(lost);
        stage.pass(9);
        let to = stage.sessions[lost];
        assert_eq!(stage.actions(), [Action::AskForCircuits { to }]);
        assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
    }
}

#[test]
fn a_router_that_does_not_return_is_passed_by_or_takes_its_circuits_along() {
    for (lost, expected) in [("a", None), ("b", Some(vec!["a", "d", "c"])), ("c", None)] {
        let links = ["ab", "bc", "ad", "dc"];
        let mut stage = Stage::new(&["a", "b", "c", "d"], &links, FabricOptions::default());
        stage
            .fabric
            .set_terminator(super::stage::terminator("t", "c"));
        stage.open("a", "x");
        assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
        stage.disconnect(lost);
        stage.pass(10);
        let ends = stage.ends();
        if expected.is_some() {
            assert_eq!(stage.confirm(), ["c", "d", "a"]);
        } else {
            assert_eq!(ends, [EndReason::RouterLost]);
            let left = ["a", "b", "c"].into_iter().filter(|name| *name != lost);
            let left: Vec<_> = left.collect();
            assert_eq!(stage.unroutes(), told(&left, true));
        }
        assert_eq!(stage.path("x"), expected);
    }
}

#[test]
fn a_removed_router_in_between_is_passed_by_at_once() {
    let mut stage = Stage::triangle();
    stage.fabric.set_link_cost(&link("ac"), 100);
    stage.open("a", "x");
    stage.fabric.remove_router(&router("b"), at(0));
    assert_eq!(stage.confirm(), ["c", "a"]);
    assert_eq!(stage.path("x").unwrap(), ["a", "c"]);
}

#[test]
fn a_router_that_is_lost_during_a_reroute_is_avoided() {
    let links = ["ac", "ab", "bc", "ad", "dc"];
    let mut stage = Stage::new(&["a", "b", "c", "d"], &links, FabricOptions::default());
    stage
        .fabric
        .set_terminator(super::stage::terminator("t", "c"));
    stage.open("a", "x");
    stage.lose_link("ac");
    stage.actions();
    assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
    stage.disconnect("b");
    assert_eq!(stage.confirm(), ["c", "d", "a"]);
    assert_eq!(stage.path("x").unwrap(), ["a", "d", "c"]);
    stage.connect("b");
    assert_eq!(stage.unroutes(), told(&["b"], true));
}

#[test]
fn a_route_that_may_have_been_set_up_too_late_is_sent_again() {
    let mut stage = Stage::triangle();
    stage.dial("a", "x");
    let first = stage.routes();
    stage.pass(10);
    let second = stage.routes();
    stage.succeed("c", &second[0].1);
    // The router has worked on the first one meanwhile, or will do so after the second.
    stage.succeed("a", &first[1].1);
    stage.succeed("a", &second[1].1);
    assert!(stage.fabric.circuit(&circuit("x")).unwrap().is_open);
    assert_eq!(stage.confirm(), ["c", "a"]);
    assert_eq!(stage.actions(), []);
    stage.fail("c", &first[0].1, RouteErrorCode::Generic);
    assert_eq!(stage.actions(), []);
    stage.succeed("c", &first[0].1);
    assert_eq!(stage.confirm(), ["c", "a"]);
}

#[test]
fn circuits_that_cannot_be_mended_are_given_up() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    let a = stage.sessions["a"];
    for _ in 0..3 {
        let circuits = vec![circuit("x")];
        for _ in 0..2 {
            let circuits = circuits.clone();
            stage
                .fabric
                .handle_forward_fault(a, circuits, ForwardFault::Own, at(0));
        }
        assert_eq!(stage.confirm(), ["c", "a"], "once for each");
        assert_eq!(stage.events(), []);
    }
    let circuits = vec![circuit("x")];
    stage
        .fabric
        .handle_forward_fault(a, circuits, ForwardFault::UnknownOwner, at(0));
    assert_eq!(stage.ends(), [EndReason::RerouteFailed]);
}

#[test]
fn now_and_then_a_circuit_may_need_mending() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    for _ in 0..10 {
        stage.pass(61);
        stage.actions();
        let a = stage.sessions["a"];
        let circuits = vec![circuit("x")];
        let now = at(stage.now);
        stage
            .fabric
            .handle_forward_fault(a, circuits, ForwardFault::Own, now);
        assert_eq!(stage.confirm(), ["c", "a"]);
    }
}

#[test]
fn the_costliest_circuits_move_to_cheaper_paths() {
    let mut stage = Stage::triangle();
    stage.fabric.set_link_cost(&link("ac"), 100);
    for id in ["x", "y"] {
        stage.open("a", id);
        assert_eq!(stage.path(id).unwrap(), ["a", "b", "c"]);
    }
    // Two links and two routers cost 22; one link and one router would cost 10 and the link.
    stage.fabric.set_link_cost(&link("ab"), 4);
    stage.fabric.set_link_cost(&link("ac"), 1);
    stage.pass(60);
    assert!(stage.routes().is_empty(), "14 less are not enough");
    stage.fabric.set_link_cost(&link("ab"), 5);
    stage.pass(59);
    assert!(stage.routes().is_empty());
    stage.pass(1);
    assert_eq!(stage.confirm(), ["c", "a"], "one of two circuits");
    assert_eq!(stage.unroutes(), told(&["b"], true));
    stage.pass(60);
    assert_eq!(stage.confirm(), ["c", "a"], "the other one");
    stage.actions();
    stage.pass(60);
    assert!(stage.routes().is_empty());
}
