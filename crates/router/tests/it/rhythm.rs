//! When checks run, and what becomes of their results.

use portcullis_router::health::{ControllerStatus, DueCheck, FailureReason, HealthChecks};

use crate::world::{at, checks, detail};

const SECTION: &str = "{ctrlPingCheck: {initialDelay: 10s, interval: 20s, timeout: 5s}, \
     linkCheck: {initialDelay: 1s, interval: 1h, minLinks: 2}}";

fn ping(checks: &mut HealthChecks, milliseconds: i64) -> Option<DueCheck> {
    let mut work = checks.poll(at(milliseconds));
    work.retain(|work| matches!(work, DueCheck::Ping(_)));
    work.pop()
}

fn pinged(
    checks: &mut HealthChecks,
    work: Option<DueCheck>,
    seen: ControllerStatus,
    milliseconds: i64,
) {
    let Some(DueCheck::Ping(run)) = work else {
        panic!("no ping at {milliseconds}");
    };
    checks.finish_ping(run, seen, at(milliseconds));
}

#[test]
fn the_defaults_are_those_of_the_specification() {
    let mut checks = checks("{}");
    assert_eq!(checks.deadline(), at(1_000));
    let work = checks.poll(at(1_000)).pop();
    let Some(DueCheck::CountLinks(run)) = work else {
        panic!("links first");
    };
    checks.finish_count(run, vec![], at(1_000));
    assert_eq!(checks.deadline(), at(6_000));
    assert!(ping(&mut checks, 14_999).is_none());
    let work = ping(&mut checks, 15_000);
    assert!(work.is_some());
    // Ping: given up after 15 s, next one after 30 s.
    assert!(ping(&mut checks, 29_999).is_none());
    assert_eq!(
        checks.controllers().failure().unwrap().reason,
        FailureReason::NotRun
    );
    assert!(ping(&mut checks, 30_000).is_none());
    let reason = checks.controllers().failure().unwrap().reason.to_string();
    assert_eq!(reason, "the check got no answer within 15s");
    assert!(ping(&mut checks, 44_999).is_none());
    assert!(ping(&mut checks, 45_000).is_some());
}

#[test]
fn runs_follow_the_first_one_in_steps_of_the_interval() {
    let mut checks = checks(SECTION);
    for due in [10_000, 30_000, 50_000] {
        assert!(ping(&mut checks, due - 1).is_none(), "{due}");
        let work = ping(&mut checks, due);
        pinged(&mut checks, work, ControllerStatus::Answering, due + 10);
        assert!(ping(&mut checks, due + 20).is_none(), "{due}");
        assert_eq!(checks.controllers().at(), at(due));
        assert_eq!(checks.controllers().duration().as_millis(), 10);
    }
    // A program that slept through two runs makes up for none of them and keeps to the rhythm.
    let work = ping(&mut checks, 115_000);
    pinged(&mut checks, work, ControllerStatus::Answering, 115_000);
    assert!(ping(&mut checks, 129_999).is_none());
    assert!(ping(&mut checks, 130_000).is_some());
}

#[test]
fn before_the_first_run_the_ping_fails_and_links_depend_on_the_minimum() {
    let cases = [("{}", true), ("{linkCheck: {minLinks: 1}}", false)];
    for (section, links_pass) in cases {
        let checks = checks(section);
        let failing = checks.controllers().failure().expect("it fails");
        assert_eq!(
            (&failing.reason, failing.since, failing.count),
            (&FailureReason::NotRun, at(0), 1)
        );
        assert_eq!(checks.links().is_healthy(), links_pass, "{section}");
        assert_eq!(checks.links().details(), None);
        assert!(!checks.is_healthy());
    }
}

#[test]
fn failures_in_a_row_are_counted_from_the_first_one() {
    let mut checks = checks(SECTION);
    let steps = [
        (10_000, ControllerStatus::None, Some((0, 2))),
        (30_000, ControllerStatus::Slow, Some((0, 3))),
        (50_000, ControllerStatus::Answering, None),
        (70_000, ControllerStatus::Slow, Some((70_000, 1))),
        (90_000, ControllerStatus::None, Some((70_000, 2))),
        (110_000, ControllerStatus::Answering, None),
        (130_000, ControllerStatus::Answering, None),
    ];
    for (due, seen, expected) in steps {
        let work = ping(&mut checks, due);
        pinged(&mut checks, work, seen, due);
        let failing = checks.controllers().failure();
        assert_eq!(
            failing.map(|failing| (failing.since, failing.count)),
            expected.map(|(since, times)| (at(since), times)),
            "{due}"
        );
    }
}

#[test]
fn a_run_without_an_answer_fails_and_a_late_answer_counts_for_nothing() {
    let mut checks = checks(SECTION);
    let Some(DueCheck::CountLinks(run)) = checks.poll(at(1_000)).pop() else {
        panic!("links are due");
    };
    checks.finish_count(run, vec![], at(1_000));
    let late = ping(&mut checks, 10_000);
    assert_eq!(checks.deadline(), at(15_000), "when the ping is given up");
    pinged(&mut checks, late, ControllerStatus::Answering, 15_000);
    let failing = checks.controllers().failure().expect("it fails");
    assert!(matches!(failing.reason, FailureReason::TimedOut(timeout) if timeout.as_secs() == 5));
    assert_eq!(checks.controllers().at(), at(10_000));

    // Nor does it count for the run after it.
    let older = ping(&mut checks, 30_000);
    let newer = ping(&mut checks, 50_000);
    pinged(&mut checks, older, ControllerStatus::Answering, 50_001);
    assert!(!checks.controllers().is_healthy());
    pinged(&mut checks, newer, ControllerStatus::Answering, 50_002);
    assert!(checks.controllers().is_healthy());
}

#[test]
fn links_are_counted_against_the_minimum() {
    let cases = [
        (0, 2, false),
        (1, 2, false),
        (2, 2, true),
        (3, 2, true),
        (0, 0, true),
    ];
    for (number, minimum, expected) in cases {
        let mut checks = checks(&format!("{{linkCheck: {{minLinks: {minimum}}}}}"));
        let Some(DueCheck::CountLinks(run)) = checks.poll(at(1_000)).pop() else {
            panic!("links are due");
        };
        let links = (0..number).map(|id| detail(&format!("l{id}"))).collect();
        checks.finish_count(run, links, at(1_001));
        assert_eq!(
            checks.links().is_healthy(),
            expected,
            "{number} of {minimum}"
        );
        if !expected {
            let reason = checks.links().failure().unwrap().reason.to_string();
            let text = format!("there are {number} links; at least {minimum} are required");
            assert_eq!(reason, text);
        }
    }
}

#[test]
fn one_controller_that_answers_is_enough() {
    let cases: [(&[bool], _); 5] = [
        (&[], ControllerStatus::None),
        (&[false], ControllerStatus::Slow),
        (&[false, false], ControllerStatus::Slow),
        (&[false, true, false], ControllerStatus::Answering),
        (&[true, false], ControllerStatus::Answering),
    ];
    for (answering, expected) in cases {
        let seen = ControllerStatus::from_answering(answering.iter().copied());
        assert_eq!(seen, expected, "{answering:?}");
    }
}

#[test]
fn a_run_is_never_joined_by_the_next_one() {
    let mut checks = checks("{ctrlPingCheck: {initialDelay: 0s, interval: 5s, timeout: 12s}}");
    let run = ping(&mut checks, 0);
    assert!(run.is_some());
    for later in [5_000, 10_000, 11_999] {
        assert!(ping(&mut checks, later).is_none(), "{later}");
    }
    assert!(
        ping(&mut checks, 12_000).is_some(),
        "given up, and due since"
    );
    assert!(ping(&mut checks, 15_000).is_none());
}

#[test]
fn without_a_timeout_a_run_may_take_an_interval() {
    let mut checks = checks("{ctrlPingCheck: {initialDelay: 0s, interval: 5s, timeout: 0s}}");
    let run = ping(&mut checks, 0);
    pinged(&mut checks, run, ControllerStatus::Answering, 4_999);
    assert!(checks.controllers().is_healthy());
    let run = ping(&mut checks, 5_000);
    pinged(&mut checks, run, ControllerStatus::Answering, 10_000);
    assert!(!checks.controllers().is_healthy());
}
