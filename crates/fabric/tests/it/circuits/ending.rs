//! The end of circuits.

use super::stage::{Stage, address, circuit, service, terminator, told};
use crate::support::{at, router};
use portcullis_domain::ids::{IdentityId, TerminatorId};
use portcullis_fabric::{
    Action, CarriedCircuits, CircuitEvent, CircuitFault, EndReason, FailureCause, ForwardFault,
    Service,
};
use std::time::Duration;

#[test]
fn an_end_closes_a_circuit_and_data_drains() {
    for (reporter, fault) in [("a", CircuitFault::Ingress), ("c", CircuitFault::Egress)] {
        let mut stage = Stage::triangle();
        stage.open("a", "x");
        for (liar, lie) in [
            ("b", CircuitFault::Ingress),
            ("b", CircuitFault::Egress),
            ("a", CircuitFault::Egress),
            ("c", CircuitFault::Ingress),
        ] {
            let session = stage.sessions[liar];
            let id = circuit("x");
            stage.fabric.handle_circuit_fault(session, &id, lie, at(0));
            assert_eq!(stage.actions(), []);
        }
        let session = stage.sessions[reporter];
        let id = circuit("x");
        for _ in 0..2 {
            stage
                .fabric
                .handle_circuit_fault(session, &id, fault, at(0));
        }
        assert_eq!(stage.unroutes(), told(&["a", "c"], false), "once");
        assert_eq!(stage.ends(), [EndReason::Closed], "once");
        let terminators = stage.fabric.terminators();
        let cost = terminators.cost(&TerminatorId::from_wire("t"), at(0));
        assert_eq!(cost.unwrap().circuits, 0);
    }
}

#[test]
fn a_router_that_forwards_for_an_unknown_circuit_is_told_to_forget_it() {
    let mut stage = Stage::triangle();
    let b = stage.sessions["b"];
    let nothing = CarriedCircuits {
        asked: at(0),
        circuits: Vec::new(),
        is_complete: true,
    };
    stage.fabric.handle_carried(b, nothing, at(0));
    for (fault, expected) in [
        (ForwardFault::Own, told(&["b"], true)),
        (ForwardFault::UnknownOwner, Vec::new()),
    ] {
        let circuits = vec![circuit("unknown")];
        stage.fabric.handle_forward_fault(b, circuits, fault, at(0));
        assert_eq!(stage.unroutes(), expected);
    }
    stage.open("a", "x");
    let circuits = vec![circuit("x")];
    stage
        .fabric
        .handle_forward_fault(b, circuits, ForwardFault::Own, at(0));
    assert_eq!(stage.unroutes(), told(&["b"], true), "not on its path");
    assert_eq!(stage.path("x").unwrap(), ["a", "c"]);
}

#[test]
fn idle_circuits_end_when_their_service_says_so() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    let idle = |stage: &mut Stage, from: &str, seconds| {
        let session = stage.sessions[from];
        let circuits = vec![(circuit("x"), Duration::from_secs(seconds))];
        stage.fabric.handle_idle(session, circuits);
        stage.unroutes()
    };
    assert_eq!(idle(&mut stage, "a", 1_000_000), [], "no limit");
    assert_eq!(
        idle(&mut stage, "b", 1),
        told(&["b"], true),
        "not its circuit"
    );
    let limited = Service {
        max_idle: Some(Duration::from_mins(1)),
        ..Service::default()
    };
    stage.fabric.set_service(service(), limited);
    assert_eq!(idle(&mut stage, "a", 60), []);
    assert_eq!(idle(&mut stage, "c", 61), told(&["a", "c"], true));
    assert_eq!(stage.ends(), [EndReason::Idle]);
    assert_eq!(idle(&mut stage, "a", 1), told(&["a"], true), "unknown now");
}

#[test]
fn routers_in_between_do_not_judge_idleness() {
    let mut stage = Stage::triangle();
    stage.lose_link("ac");
    stage.actions();
    stage.open("a", "x");
    assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
    let limited = Service {
        max_idle: Some(Duration::from_mins(1)),
        ..Service::default()
    };
    stage.fabric.set_service(service(), limited);
    let b = stage.sessions["b"];
    let circuits = vec![(circuit("x"), Duration::from_mins(10))];
    stage.fabric.handle_idle(b, circuits);
    assert_eq!(stage.actions(), []);
}

#[test]
fn a_circuit_ends_with_the_right_to_it() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.dial("a", "y");
    let mut other = stage.dial_of("a", "z");
    other.right.client = IdentityId::from_wire("other");
    stage.fabric.dial(other, at(0));
    stage.actions();
    stage.events();

    let mut asked = Vec::new();
    stage.fabric.retain_circuits(|right, target| {
        asked.push(target.unwrap().host.clone());
        right.client.as_str() != "client"
    });
    assert_eq!(asked, ["host", "host", "host"]);
    let actions = stage.actions();
    let unroutes = actions
        .iter()
        .filter(|action| matches!(action, Action::Unroute { now: true, .. }));
    assert_eq!(unroutes.count(), 4);
    let answers: Vec<_> = actions
        .iter()
        .filter_map(|action| match action {
            Action::Answer { result, .. } => Some(result.as_ref().unwrap_err().cause),
            _ => None,
        })
        .collect();
    assert_eq!(answers, [FailureCause::RightEnded]);
    let left: Vec<_> = stage
        .fabric
        .circuits()
        .map(|view| view.names.circuit.as_str().to_owned())
        .collect();
    assert_eq!(left, ["z"]);
}

#[test]
fn a_right_may_end_by_itself() {
    let mut stage = Stage::triangle();
    for (id, until) in [("x", 30), ("y", 5)] {
        let mut dial = stage.dial_of("a", id);
        dial.right.until = Some(at(until));
        stage.fabric.dial(dial, at(0));
        if id == "x" {
            stage.confirm();
        }
    }
    stage.events();
    assert_eq!(stage.fabric.poll_timeout(), Some(at(5)));
    stage.pass(5);
    assert_eq!(
        stage.failures(),
        [FailureCause::RightEnded],
        "while dialing"
    );
    assert_eq!(stage.fabric.poll_timeout(), Some(at(30)));
    stage.pass(24);
    assert_eq!(stage.ends(), []);
    stage.pass(1);
    assert_eq!(stage.ends(), [EndReason::RightEnded]);
}

#[test]
fn circuits_survive_their_terminator_and_not_their_service() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.dial("a", "y");
    stage.events();
    let removed = TerminatorId::from_wire("t");
    stage.fabric.remove_terminator(&removed);
    assert_eq!(stage.ends(), []);
    stage.fabric.remove_service(&service());
    let events = stage.events();
    assert_eq!(events.len(), 2);
    let is_ended = |event: &CircuitEvent| match event {
        CircuitEvent::Ended { reason, circuit } => {
            *reason == EndReason::ServiceRemoved && circuit.names.ingress == address("x-in")
        },
        _ => false,
    };
    assert!(events.iter().any(is_ended));
    assert_eq!(stage.fabric.circuits().count(), 0);
}

#[test]
fn an_administrator_chooses_whether_data_drains() {
    for now in [false, true] {
        let mut stage = Stage::triangle();
        stage.open("a", "x");
        assert!(stage.fabric.remove_circuit(&circuit("x"), now));
        assert_eq!(stage.unroutes(), told(&["a", "c"], now));
        assert_eq!(stage.ends(), [EndReason::Removed]);
        assert!(!stage.fabric.remove_circuit(&circuit("x"), now));
    }
}

#[test]
fn a_router_out_of_reach_is_told_when_it_returns() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.disconnect("a");
    stage.fabric.remove_circuit(&circuit("x"), false);
    assert_eq!(stage.unroutes(), told(&["c"], false));
    stage.connect("a");
    let actions = stage.actions();
    let to = stage.sessions["a"];
    let expected = [
        Action::Unroute {
            to,
            circuit: circuit("x"),
            now: true,
        },
        Action::AskForCircuits { to },
    ];
    assert_eq!(actions, expected);
    stage.connect("a");
    assert_eq!(stage.unroutes(), [], "once");
}

#[test]
fn a_router_is_told_of_so_many_circuits_at_most() {
    let mut stage = Stage::new_with(|options| options.max_owed_unroutes = 2);
    stage.fabric.set_terminator(terminator("t", "a"));
    for id in ["x", "y", "z"] {
        stage.open("a", id);
    }
    stage.disconnect("a");
    for id in ["x", "y", "z"] {
        stage.fabric.remove_circuit(&circuit(id), true);
    }
    stage.connect("a");
    let told: Vec<_> = stage
        .actions()
        .into_iter()
        .filter_map(|action| match action {
            Action::Unroute { circuit, .. } => Some(circuit),
            _ => None,
        })
        .collect();
    assert_eq!(told, [circuit("y"), circuit("z")], "the oldest is left out");
}

#[test]
fn a_removed_router_ends_what_begins_or_ends_there() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.disconnect("a");
    stage.fabric.remove_circuit(&circuit("x"), true);
    stage.open("b", "y");
    stage.open("c", "z");
    stage.fabric.remove_router(&router("b"), at(0));
    assert_eq!(stage.ends(), [EndReason::RouterLost]);
    assert_eq!(stage.path("y"), None);
    assert!(stage.path("z").is_some());
}
