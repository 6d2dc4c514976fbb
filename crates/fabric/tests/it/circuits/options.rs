//! What follows from each option that an administrator may set.

use super::stage::{Stage, terminator};
use crate::support::{at, link, report};
use portcullis_fabric::{FabricOptions, FailureCause, RouteErrorCode, SmartRerouting};
use std::time::Duration;

/// Routers a, b and c with links between all of them, and a terminator `t` at c.
fn triangle(change: impl FnOnce(&mut FabricOptions)) -> Stage {
    let mut options = FabricOptions::default();
    change(&mut options);
    let mut stage = Stage::new(&["a", "b", "c"], &["ab", "bc", "ac"], options);
    stage.fabric.set_terminator(terminator("t", "c"));
    stage
}

/// As [`triangle`], with circuits over b that could be cheaper by 8 without it.
fn detoured(circuits: &[&str], smart: SmartRerouting) -> Stage {
    let mut stage = triangle(|options| options.smart_rerouting = Some(smart));
    stage.fabric.set_link_cost(&link("ac"), 100);
    for id in circuits {
        stage.open("a", id);
        assert_eq!(stage.path(id).unwrap(), ["a", "b", "c"]);
    }
    stage.fabric.set_link_cost(&link("ac"), 4);
    stage
}

/// How many circuits are moved when the time has come.
fn moved(stage: &mut Stage, seconds: u64) -> usize {
    stage.pass(seconds - 1);
    assert!(stage.routes().is_empty(), "a second early");
    stage.pass(1);
    stage.confirm().len() / 2
}

#[test]
fn dials_are_tried_as_often_as_wanted_and_at_least_once() {
    for (attempts, tried) in [(0, 1), (1, 1), (2, 2), (5, 5)] {
        let mut stage = triangle(|options| options.attempts = attempts);
        stage.dial("c", "x");
        let mut count = 0;
        while let [(name, route)] = &stage.routes()[..] {
            count += 1;
            stage.fail(name, route, RouteErrorCode::Generic);
        }
        assert_eq!(count, tried, "{attempts}");
    }
}

#[test]
fn routers_have_the_time_to_answer_that_they_are_told() {
    let mut stage = triangle(|options| {
        options.route_timeout = Duration::from_secs(3);
        options.attempts = 1;
    });
    stage.dial("c", "x");
    assert_eq!(stage.routes()[0].1.timeout, Duration::from_secs(3));
    stage.pass(2);
    assert_eq!(stage.failures(), []);
    stage.pass(1);
    assert_eq!(stage.failures(), [FailureCause::Timeout]);
}

#[test]
fn fewer_routers_are_preferred_by_the_least_cost_of_each() {
    for (min_router_cost, path) in [(0, &["a", "b", "c"][..]), (10, &["a", "c"])] {
        let mut stage = triangle(|options| options.network.min_router_cost = min_router_cost);
        stage.fabric.set_link_cost(&link("ac"), 5);
        stage.open("a", "x");
        assert_eq!(stage.path("x").unwrap(), path);
    }
}

#[test]
fn links_begin_with_the_initial_latency() {
    let mut stage = triangle(|options| {
        options.network.initial_link_latency = Duration::from_millis(300);
    });
    let a = stage.sessions["a"];
    let links = vec![report("new", "c", 1)];
    stage.fabric.report_links(a, links, false, at(0));
    let link = stage.fabric.network().link(&link("new")).unwrap();
    assert_eq!(link.cost(), 601);
}

#[test]
fn circuits_are_moved_in_cycles_if_that_saves_enough() {
    let usual = SmartRerouting::default();
    let every_5_seconds = SmartRerouting {
        cycle: Duration::from_secs(5),
        ..usual
    };
    assert_eq!(moved(&mut detoured(&["x"], every_5_seconds), 5), 0);
    let for_less = SmartRerouting {
        min_gain: 8,
        ..every_5_seconds
    };
    assert_eq!(moved(&mut detoured(&["x"], for_less), 5), 1);
    let for_less_but_too_much = SmartRerouting {
        min_gain: 9,
        ..every_5_seconds
    };
    assert_eq!(moved(&mut detoured(&["x"], for_less_but_too_much), 5), 0);
}

#[test]
fn a_part_of_the_circuits_is_moved_but_not_more_than_allowed() {
    let circuits = ["u", "v", "w", "x", "y", "z"];
    for (per_million, max, expected) in [
        (0, 4, 1),
        (500_000, 4, 3),
        (1_000_000, 4, 4),
        (1_000_000, 10, 6),
        (1_000_000, 0, 0),
    ] {
        let smart = SmartRerouting {
            per_million,
            max,
            min_gain: 1,
            ..SmartRerouting::default()
        };
        let mut stage = detoured(&circuits, smart);
        assert_eq!(moved(&mut stage, 60), expected, "{per_million}, {max}");
    }
}
