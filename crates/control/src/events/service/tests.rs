use super::*;
use portcullis_domain::ids::{IdentityId, RouterId};
use portcullis_fabric::{
    Address, ChoiceError, CircuitId, CircuitNames, CircuitSnapshot, Course, FailedAttempt, Moment,
    Network, NetworkOptions, Path, Right, RouterSpec,
};
use std::sync::Arc;

/// A minute that begins.
const MINUTE: i64 = 1_795_389_060;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn names() -> CircuitNames {
    CircuitNames {
        circuit: CircuitId::new("c").unwrap(),
        ingress: Address::new("a").unwrap(),
        egress: Address::new("b").unwrap(),
    }
}

fn right() -> Right {
    Right {
        client: IdentityId::from_wire("i"),
        service: ServiceId::from_wire("s"),
        session: None,
        tokens: Vec::new(),
        until: None,
    }
}

fn target(binding: &str) -> Arc<Target> {
    Arc::new(Target {
        terminator: TerminatorId::from_wire("t"),
        host: "h".to_owned(),
        binding: binding.to_owned(),
        address: "t".to_owned(),
        instance: String::new(),
    })
}

fn path() -> Path {
    let mut network = Network::new(NetworkOptions::default());
    let router = network.set_router(RouterId::from_wire("r"), RouterSpec::default());
    Path::new(vec![router], Vec::new()).unwrap()
}

fn created() -> CircuitEvent {
    CircuitEvent::Created(Box::new(CircuitSnapshot {
        names: names(),
        right: right(),
        target: Some(target("edge")),
        path: path(),
        addresses: Arc::default(),
        cost: 0,
        tags: Arc::default(),
        created: Moment::ZERO,
    }))
}

/// An attempt that has failed; without a binding, there was no terminator.
fn failed(cause: FailureCause, binding: Option<&str>) -> CircuitEvent {
    let course = binding.map(|binding| Course {
        path: path(),
        target: target(binding),
        addresses: Arc::default(),
        cost: 0,
    });
    CircuitEvent::Failed {
        attempt: Box::new(FailedAttempt {
            names: names(),
            right: right(),
            instance: String::new(),
            course,
            tags: Arc::default(),
            began: Moment::ZERO,
        }),
        cause,
    }
}

/// Start, kind, terminator and count.
type Told = (i64, ServiceCountKind, String, u64);

fn take(counters: &mut DialCounters, second: i64) -> Vec<Told> {
    take_at_age(counters, second, 80)
}

fn take_at_age(counters: &mut DialCounters, second: i64, age: u64) -> Vec<Told> {
    let counts = counters.take(at(second), Duration::from_secs(age));
    let counts = counts.into_iter();
    counts
        .map(|count| {
            assert_eq!((&*count.service_id, count.interval_length), ("s", 60));
            let terminator = count.terminator_id.to_string();
            (count.interval_start, count.kind, terminator, count.count)
        })
        .collect()
}

#[test]
fn dials_are_counted_by_the_minute_and_told_when_it_is_over() {
    let mut counters = DialCounters::default();
    for second in [0, 59, 60] {
        counters.add(at(MINUTE + second), &created());
    }
    let success = |start: i64, count: u64| {
        let kind = ServiceCountKind::Success;
        vec![(start, kind, "t".to_owned(), count)]
    };
    assert_eq!(take(&mut counters, MINUTE + 79), []);
    assert_eq!(take(&mut counters, MINUTE + 80), success(MINUTE, 2));
    assert_eq!(take(&mut counters, MINUTE + 139), []);
    assert_eq!(take(&mut counters, MINUTE + 999), success(MINUTE + 60, 1));
    assert_eq!(take(&mut counters, MINUTE + 999), []);
}

#[test]
fn the_age_is_what_is_asked_for_and_a_minute_at_least() {
    let mut counters = DialCounters::default();
    for (age, until) in [(0, 59), (200, 199)] {
        counters.add(at(MINUTE), &created());
        assert_eq!(take_at_age(&mut counters, MINUTE + until, age), []);
        let told = take_at_age(&mut counters, MINUTE + until + 1, age);
        assert_eq!(told.len(), 1);
    }
}

#[test]
fn each_end_of_a_dial_has_its_counters() {
    use RouteErrorCode as Code;
    use ServiceCountKind as Kind;
    let router = FailureCause::Router;
    let no_terminators = FailureCause::Choice(ChoiceError::NoTerminators);
    for (cause, binding, expected) in [
        (
            FailureCause::Timeout,
            Some("edge"),
            &[(Kind::Timeout, "t")][..],
        ),
        (no_terminators, None, &[(Kind::OtherError, "")]),
        (
            FailureCause::LinkLost,
            Some("edge"),
            &[(Kind::OtherError, "")],
        ),
        (
            router(Code::Generic),
            Some("edge"),
            &[(Kind::Failure, "t"), (Kind::OtherError, "")],
        ),
        (
            router(Code::DialTimedOut),
            Some("transport"),
            &[(Kind::Failure, "t"), (Kind::TerminatorTimeout, "t")],
        ),
        (
            router(Code::ConnectionRefused),
            Some("transport"),
            &[(Kind::Failure, "t"), (Kind::ConnectionRefused, "t")],
        ),
        (
            router(Code::InvalidTerminator),
            Some("tunnel"),
            &[(Kind::Failure, "t"), (Kind::InvalidTerminator, "t")],
        ),
        (
            router(Code::InvalidTerminator),
            Some("transport"),
            &[(Kind::Failure, "t"), (Kind::MisconfiguredTerminator, "t")],
        ),
    ] {
        let mut counters = DialCounters::default();
        counters.add(at(MINUTE), &failed(cause, binding));
        let told = take(&mut counters, MINUTE + 80);
        let told: Vec<_> = told.iter().map(|(_, kind, id, _)| (*kind, &**id)).collect();
        assert_eq!(told, expected, "{cause:?}");
    }
}
