//! Circuits that go on while the controller is restarted, and routers that forget.

use super::stage::{Stage, address, circuit, forward, right, terminator, told};
use crate::support::at;
use portcullis_fabric::{
    Action, CarriedCircuit, CarriedCircuits, CircuitEvent, CircuitFault, Claim, EndReason,
    FabricOptions, Forward, ForwardFault, ForwardKind,
};
use std::sync::Arc;
use std::time::Duration;

fn granted() -> Claim {
    Claim::Granted {
        ingress: address("x-in"),
        right: right(),
        tags: Arc::default(),
    }
}

/// What each router of the path a, b, c carries for the circuit x.
fn forwards(name: &str) -> Vec<Forward> {
    let (before, after) = match name {
        "a" => (("x-in", ForwardKind::End), ("ab", ForwardKind::Link)),
        "b" => (("ab", ForwardKind::Link), ("bc", ForwardKind::Link)),
        _ => (("bc", ForwardKind::Link), ("x-out", ForwardKind::End)),
    };
    vec![
        forward(before.0, after.0, after.1),
        forward(after.0, before.0, before.1),
    ]
}

/// The circuit x, as a router says that it carries it.
fn x(name: &str, claim: Claim) -> CarriedCircuit {
    CarriedCircuit {
        id: circuit("x"),
        forwards: forwards(name),
        claim,
    }
}

impl Stage {
    fn carry(&mut self, name: &str, circuits: Vec<CarriedCircuit>) {
        self.say_carried(name, circuits, true);
    }

    fn say_carried(&mut self, name: &str, circuits: Vec<CarriedCircuit>, is_complete: bool) {
        let carried = CarriedCircuits {
            asked: at(self.now),
            circuits,
            is_complete,
        };
        let session = self.sessions[name];
        self.fabric.handle_carried(session, carried, at(self.now));
    }

    fn carry_x(&mut self, name: &str, claim: Claim) {
        self.carry(name, vec![x(name, claim)]);
    }

    /// A router could not forward for the circuit x, and has not used it for a minute.
    fn complain_of_x(&mut self, name: &str) {
        let (session, now) = (self.sessions[name], at(self.now));
        let circuits = vec![circuit("x")];
        let fabric = &mut self.fabric;
        fabric.handle_forward_fault(session, circuits, ForwardFault::Own, now);
        let idle = vec![(circuit("x"), Duration::from_mins(1))];
        fabric.handle_idle(session, idle);
    }
}

fn restarted() -> Stage {
    Stage::new(&["a", "b", "c"], &["ab", "bc"], FabricOptions::default())
}

#[test]
fn a_circuit_is_adopted_once_its_path_is_known() {
    for order in [["a", "b", "c"], ["c", "b", "a"], ["b", "a", "c"]] {
        let mut stage = restarted();
        for name in order {
            assert_eq!(stage.events(), []);
            let claim = if name == "a" {
                granted()
            } else {
                Claim::Unknown
            };
            stage.carry_x(name, claim);
        }
        assert_eq!(stage.events(), [CircuitEvent::Adopted(circuit("x"))]);
        assert_eq!(stage.actions(), []);
        assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
        let view = stage.fabric.circuit(&circuit("x")).unwrap();
        assert_eq!(view.names.egress, address("x-out"));
        assert_eq!(view.target, None);

        // It is a circuit as any other.
        let (a, c) = (stage.sessions["a"], stage.sessions["c"]);
        let circuits = vec![circuit("x")];
        stage
            .fabric
            .handle_forward_fault(a, circuits, ForwardFault::Own, at(0));
        assert_eq!(stage.confirm(), ["c", "b", "a"]);
        let id = circuit("x");
        stage
            .fabric
            .handle_circuit_fault(c, &id, CircuitFault::Egress, at(0));
        assert_eq!(stage.ends(), [EndReason::Closed]);
    }
}

#[test]
fn a_circuit_on_one_router_is_adopted_at_once() {
    let mut stage = restarted();
    let carried = CarriedCircuit {
        id: circuit("x"),
        forwards: vec![
            forward("x-in", "x-out", ForwardKind::End),
            forward("x-out", "x-in", ForwardKind::End),
        ],
        claim: granted(),
    };
    stage.carry("a", vec![carried]);
    assert_eq!(stage.path("x").unwrap(), ["a"]);
}

#[test]
fn a_circuit_without_a_right_is_ended_everywhere() {
    let mut stage = restarted();
    stage.carry_x("c", Claim::Unknown);
    stage.carry_x("a", Claim::Refused);
    assert_eq!(stage.unroutes(), told(&["a", "c"], true));
    stage.carry_x("b", Claim::Unknown);
    assert_eq!(stage.unroutes(), told(&["b"], true));

    let mut stage = restarted();
    stage.carry_x("a", granted());
    stage.fabric.retain_circuits(|_, target| {
        assert_eq!(target, None);
        false
    });
    assert_eq!(stage.unroutes(), told(&["a"], true), "not adopted yet");
}

#[test]
fn a_path_that_does_not_hold_together_is_not_adopted() {
    let astray = vec![
        forward("bc", "ab", ForwardKind::Link),
        forward("ab", "bc", ForwardKind::Link),
    ];
    let unknown = vec![
        forward("bc", "zz", ForwardKind::Link),
        forward("zz", "bc", ForwardKind::Link),
    ];
    for last in [astray, unknown] {
        let mut stage = restarted();
        stage.carry_x("a", granted());
        stage.carry_x("b", Claim::Unknown);
        let carried = CarriedCircuit {
            id: circuit("x"),
            forwards: last,
            claim: Claim::Unknown,
        };
        stage.carry("c", vec![carried]);
        assert_eq!(stage.path("x"), None);
        assert_eq!(stage.actions(), [], "it may be in use");

        // Broken or idle, it waits, until nothing is adopted any more.
        stage.complain_of_x("a");
        assert_eq!(stage.actions(), []);
        stage.now += 300;
        stage.fabric.handle_timeout(at(stage.now));
        stage.actions();
        stage.complain_of_x("a");
        assert_eq!(stage.unroutes(), told(&["a", "a"], true));
    }
}

#[test]
fn a_quiet_circuit_is_left_alone_while_its_routers_have_yet_to_tell_of_it() {
    let mut stage = restarted();
    // It was unused for long when the controller was restarted, and this is what its routers had to say.
    for name in ["a", "b", "c"] {
        stage.complain_of_x(name);
        assert_eq!(stage.unroutes(), []);
    }
    for (name, claim) in [
        ("c", Claim::Unknown),
        ("b", Claim::Unknown),
        ("a", granted()),
    ] {
        stage.carry_x(name, claim);
    }
    assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
    assert_eq!(stage.unroutes(), []);
}

#[test]
fn a_circuit_that_has_ended_is_not_revived() {
    let mut stage = Stage::triangle();
    stage.fabric.set_terminator(terminator("t", "c"));
    stage.open("a", "x");
    stage.fabric.remove_circuit(&circuit("x"), false);
    stage.actions();
    for name in ["a", "b", "c"] {
        let claim = if name == "a" {
            granted()
        } else {
            Claim::Unknown
        };
        stage.carry_x(name, claim);
        assert_eq!(stage.unroutes(), told(&[name], true));
    }
}

#[test]
fn long_after_the_start_nothing_is_adopted() {
    let mut stage = restarted();
    stage.carry_x("a", granted());
    stage.pass(300);
    assert_eq!(stage.unroutes(), []);
    stage.carry_x("a", granted());
    assert_eq!(stage.unroutes(), told(&["a"], true));
}

#[test]
fn what_a_router_has_said_counts_though_it_says_something_else_in_part() {
    let mut stage = restarted();
    stage.say_carried("a", vec![x("a", granted())], false);
    // It has too many to list, and lists others.
    stage.say_carried("a", Vec::new(), false);
    stage.carry_x("b", Claim::Unknown);
    stage.carry_x("c", Claim::Unknown);
    assert_eq!(stage.events(), [CircuitEvent::Adopted(circuit("x"))]);
}

#[test]
fn what_a_router_could_not_say_in_time_goes_on_until_it_is_idle() {
    let mut stage = restarted();
    stage.say_carried("a", Vec::new(), false);
    stage.carry("b", Vec::new());
    stage.pass(300);
    for is_complete in [false, true] {
        stage.say_carried("a", vec![x("a", granted())], is_complete);
        assert_eq!(stage.unroutes(), []);
    }
    // The other one had said everything.
    stage.carry_x("b", Claim::Unknown);
    assert_eq!(stage.unroutes(), told(&["b"], true));
    let idle = vec![(circuit("x"), Duration::from_mins(1))];
    stage.fabric.handle_idle(stage.sessions["a"], idle);
    assert_eq!(stage.unroutes(), told(&["a"], true));

    // Who may not goes at once.
    stage.say_carried("a", vec![x("a", Claim::Refused)], false);
    assert_eq!(stage.unroutes(), told(&["a"], true));
    assert_eq!(stage.events(), []);
}

#[test]
fn a_router_that_carries_the_circuit_of_others_is_told_to_forget_it() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.carry_x("b", granted());
    assert_eq!(stage.unroutes(), told(&["b"], true));
    assert_eq!(stage.path("x").unwrap(), ["a", "c"]);
}

#[test]
fn a_router_that_was_restarted_has_forgotten_its_circuits() {
    for (restarted, is_end) in [("a", true), ("b", false), ("c", true)] {
        let mut stage = Stage::triangle();
        stage.lose_link("ac");
        stage.actions();
        stage.open("a", "x");
        stage.now += 10;
        stage.carry(restarted, Vec::new());
        if is_end {
            assert_eq!(stage.ends(), [EndReason::RouterLost]);
        } else {
            assert_eq!(stage.confirm(), ["c", "b", "a"], "routes are sent again");
        }
    }
}

#[test]
fn a_closed_end_of_which_the_controller_has_not_heard_ends_the_circuit() {
    for (name, end) in [("a", "x-in"), ("c", "x-out")] {
        let mut stage = Stage::triangle();
        stage.lose_link("ac");
        stage.actions();
        stage.open("a", "x");
        stage.now += 10;
        for closed in ["none", end] {
            assert_eq!(stage.ends(), []);
            let mut forwards = forwards(name);
            forwards.retain(|forward| forward.to.as_str() != closed);
            let carried = CarriedCircuit {
                id: circuit("x"),
                forwards,
                claim: Claim::Unknown,
            };
            stage.carry(name, vec![carried]);
        }
        assert_eq!(stage.ends(), [EndReason::Closed]);
    }
}

#[test]
fn a_circuit_that_closes_before_it_is_adopted_is_not() {
    let mut stage = restarted();
    stage.carry_x("a", granted());
    stage.carry_x("b", Claim::Unknown);
    let (a, c) = (stage.sessions["a"], stage.sessions["c"]);
    let id = circuit("x");
    stage
        .fabric
        .handle_circuit_fault(c, &id, CircuitFault::Egress, at(0));
    assert_eq!(
        stage.fabric.unclaimed(),
        1,
        "c has not said that it carries it"
    );
    stage
        .fabric
        .handle_circuit_fault(a, &id, CircuitFault::Ingress, at(0));
    assert_eq!(stage.unroutes(), told(&["a", "b"], true));
    stage.carry_x("c", Claim::Unknown);
    assert_eq!(stage.unroutes(), told(&["c"], true));
}

#[test]
fn a_circuit_is_adopted_when_its_links_are_known() {
    let mut stage = Stage::new(&["a", "b", "c"], &["ab"], FabricOptions::default());
    for name in ["a", "b", "c"] {
        let claim = if name == "a" {
            granted()
        } else {
            Claim::Unknown
        };
        stage.carry_x(name, claim);
    }
    assert_eq!(stage.path("x"), None);
    stage.link("bc", 1);
    assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
}

#[test]
fn what_has_just_been_set_up_may_be_missing_in_an_answer() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.now += 9;
    stage.carry("a", Vec::new());
    assert_eq!(stage.ends(), []);
    stage.dial("a", "y");
    stage.now += 9;
    stage.carry_x("a", Claim::Unknown);
    assert_eq!(stage.ends(), []);
    assert_eq!(stage.fabric.circuits().count(), 2);
}

#[test]
fn what_an_answer_leaves_out_is_not_forgotten() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.now += 10;
    stage.say_carried("a", Vec::new(), false);
    assert_eq!(stage.ends(), []);
    assert_eq!(stage.actions(), []);
    stage.carry("a", Vec::new());
    assert_eq!(stage.ends(), [EndReason::RouterLost]);

    let mut stage = restarted();
    stage.say_carried("a", Vec::new(), false);
    stage.complain_of_x("a");
    assert_eq!(stage.actions(), [], "it may be one of an earlier run");
    stage.carry("a", Vec::new());
    stage.complain_of_x("a");
    assert_eq!(
        stage.unroutes(),
        [told(&["a"], true), told(&["a"], true)].concat()
    );
}

#[test]
fn a_router_cannot_fill_the_memory_with_claims() {
    let mut stage = Stage::new_with(|options| options.max_circuits_per_router = 2);
    let claim = |id: &str| CarriedCircuit {
        id: circuit(id),
        forwards: forwards("a"),
        claim: Claim::Unknown,
    };
    let flood = CarriedCircuit {
        forwards: (0..65).flat_map(|_| forwards("a")).collect(),
        ..claim("w")
    };
    let all = ["x", "y", "z", "x"].map(claim).into_iter().chain([flood]);
    stage.carry("a", all.collect());
    assert_eq!(stage.fabric.unclaimed(), 2);
    assert_eq!(stage.unroutes(), told(&["a"], true));
    stage.carry("a", vec![claim("z")]);
    assert_eq!(
        stage.fabric.unclaimed(),
        1,
        "a report replaces the one before"
    );
    stage.disconnect("a");
    assert_eq!(stage.fabric.unclaimed(), 0);
}

#[test]
fn routers_are_asked_twice_and_as_long_as_something_is_unknown() {
    let mut stage = restarted();
    stage.carry_x("a", granted());
    let question = |name: &str, stage: &Stage| Action::AskForCircuits {
        to: stage.sessions[name],
    };
    stage.pass(29);
    assert_eq!(stage.actions(), []);
    stage.pass(1);
    let all = ["a", "b", "c"].map(|name| question(name, &stage));
    assert_eq!(stage.actions(), all);
    stage.pass(30);
    assert_eq!(stage.actions(), [question("a", &stage)]);
    stage.carry("a", Vec::new());
    stage.pass(30);
    assert_eq!(stage.actions(), [question("a", &stage)], "settled by now");
    stage.pass(30);
    assert_eq!(stage.actions(), []);
}

#[test]
fn a_circuit_whose_way_back_is_another_is_adopted_and_mended() {
    let mut stage = restarted();
    stage.carry_x("a", granted());
    stage.carry_x("b", Claim::Unknown);
    let carried = CarriedCircuit {
        id: circuit("x"),
        forwards: vec![
            forward("bc", "x-out", ForwardKind::End),
            forward("x-out", "ab", ForwardKind::Link),
        ],
        claim: Claim::Unknown,
    };
    stage.carry("c", vec![carried]);
    assert_eq!(stage.confirm(), ["c", "b", "a"]);
    assert_eq!(stage.path("x").unwrap(), ["a", "b", "c"]);
}

#[test]
fn a_router_that_forwards_otherwise_gets_its_route_again() {
    let mut stage = Stage::triangle();
    stage.open("a", "x");
    stage.now += 10;
    let mut carried = CarriedCircuit {
        id: circuit("x"),
        forwards: vec![
            forward("x-in", "ac", ForwardKind::Link),
            forward("ac", "x-in", ForwardKind::End),
            forward("ab", "x-in", ForwardKind::End),
        ],
        claim: Claim::Unknown,
    };
    stage.carry("a", vec![carried.clone()]);
    assert_eq!(stage.actions(), [], "old forwards do no harm");
    carried.forwards[0] = forward("x-in", "ab", ForwardKind::Link);
    stage.carry("a", vec![carried]);
    assert_eq!(stage.confirm(), ["c", "a"]);
}

#[test]
fn neighbors_are_asked_what_they_carry_if_a_router_keeps_getting_what_nobody_knows() {
    let mut stage = Stage::triangle();
    stage.lose_link("ac");
    stage.carry("c", Vec::new());
    stage.actions();
    let complain = |stage: &mut Stage| {
        let c = stage.sessions["c"];
        let now = at(stage.now);
        let circuits = vec![circuit("x")];
        stage
            .fabric
            .handle_forward_fault(c, circuits, ForwardFault::Own, now);
        stage.actions()
    };
    let unroute = vec![Action::Unroute {
        to: stage.sessions["c"],
        circuit: circuit("x"),
        now: true,
    }];
    let question = Action::AskForCircuits {
        to: stage.sessions["b"],
    };
    assert_eq!(complain(&mut stage), unroute);
    stage.now += 29;
    assert_eq!(complain(&mut stage), unroute, "it may be on its way");
    stage.now += 10;
    assert_eq!(
        complain(&mut stage),
        [vec![question], unroute.clone()].concat()
    );
    assert_eq!(complain(&mut stage), unroute);
}
