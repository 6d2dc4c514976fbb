//! The subscription, message by message.

use super::*;
use portcullis_wire::control::data_model::{Action, Event, Service, Subject};

const START: Timestamp = Timestamp::UNIX_EPOCH;

fn at(second: u64) -> Timestamp {
    after(START, Duration::from_secs(second))
}

fn controller(name: &str) -> ControllerId {
    name.into()
}

fn service(id: &str) -> Event {
    Event {
        action: Action::Create,
        is_synthetic: false,
        subject: Some(Subject::Service(Box::new(Service {
            id: id.to_owned(),
            name: id.to_owned(),
            ..Service::default()
        }))),
    }
}

fn state(subscription: &str, end_index: u64) -> DataState {
    DataState {
        state: State {
            events: vec![service("wiki")],
            end_index,
            timeline_id: "timeline".to_owned(),
            ..State::default()
        },
        subscription_id: Some(subscription.to_owned()),
    }
}

fn changes(subscription: &str, previous_index: u64, index: u64) -> ChangeSet {
    ChangeSet {
        changes: Changes {
            index,
            previous_index,
            events: vec![service(&format!("s{index}"))],
            ..Changes::default()
        },
        subscription_id: Some(subscription.to_owned()),
    }
}

/// A router that has subscribed with `run-1` at the start and got a state up to index 20.
fn current() -> Replica {
    let mut replica = Replica::new("run");
    replica.connect(controller("one"), START);
    let (_, request) = replica.poll(START).unwrap();
    assert_eq!(
        (request.current_index, request.subscription_id.as_str()),
        (0, "run-1")
    );
    let taken = replica.receive_state(&controller("one"), state("run-1", 20));
    assert_eq!(taken, Reception::Taken(Touched::everything()));
    replica
}

#[test]
fn changes_are_taken_in_their_order() {
    let (mut replica, one) = (current(), controller("one"));
    let taken = replica.receive_changes(&one, changes("run-1", 20, 25), at(1));
    assert!(matches!(taken, Reception::Taken(touched) if touched.services.contains("s25")));
    // Twice, and of another subscription.
    for again in [changes("run-1", 20, 25), changes("other", 25, 26)] {
        let ignored = replica.receive_changes(&one, again, at(1));
        assert_eq!(ignored, Reception::Ignored);
    }
    let gap = replica.receive_changes(&one, changes("run-1", 26, 27), at(1));
    assert_eq!(gap, Reception::Gap);
    // What the old subscription still brings does not count.
    let late = replica.receive_changes(&one, changes("run-1", 25, 26), at(1));
    assert_eq!(late, Reception::Ignored);
    let (_, request) = replica.poll(at(1)).unwrap();
    assert_eq!(
        (request.current_index, request.timeline_id.as_str()),
        (25, "timeline")
    );
    assert_eq!(
        (request.subscription_id.as_str(), request.is_renewal),
        ("run-2", false)
    );
    assert_eq!(replica.position(), (25, "timeline"));
}

#[test]
fn a_gap_after_a_gap_leads_to_the_whole_state() {
    let (mut replica, one) = (current(), controller("one"));
    replica.receive_changes(&one, changes("run-1", 30, 31), at(5));
    assert_eq!(replica.poll(at(5)).unwrap().1.current_index, 20);
    let gap = replica.receive_changes(&one, changes("run-2", 30, 31), at(5));
    assert_eq!(gap, Reception::Gap);
    assert_eq!(replica.poll(at(5)), None, "not at once");
    assert_eq!(replica.deadline(), Some(at(6)));
    assert_eq!(replica.poll(at(6)).unwrap().1.current_index, 0);
    assert!(replica.model().service("wiki").is_some(), "it serves on");
    // Indexes that do not rise are a gap, too.
    replica.receive_state(&one, state("run-3", 40));
    let gap = replica.receive_changes(&one, changes("run-3", 40, 40), at(8));
    assert_eq!(gap, Reception::Gap);
}

#[test]
fn a_subscription_is_renewed_before_it_ends() {
    let mut replica = current();
    assert_eq!(replica.deadline(), Some(at(300)));
    assert_eq!(replica.poll(at(299)), None);
    let (_, renewal) = replica.poll(at(300)).unwrap();
    assert!(renewal.is_renewal && renewal.subscription_id == "run-1");
    assert!(u64::from(renewal.duration_seconds) > 300);
    assert_eq!(replica.poll(at(300)), None);
    assert_eq!(replica.deadline(), Some(at(600)));
}

#[test]
fn an_index_beyond_the_own_one_tells_of_a_gap() {
    let (mut replica, one) = (current(), controller("one"));
    let index = |index| CurrentIndex { index };
    for (from, told) in [("one", 20), ("one", 3), ("two", 99)] {
        let ignored = replica.receive_index(&controller(from), &index(told), at(40));
        assert_eq!(ignored, Reception::Ignored);
    }
    let gap = replica.receive_index(&one, &index(21), at(40));
    assert_eq!(gap, Reception::Gap);
    assert_eq!(replica.poll(at(40)).unwrap().1.current_index, 20);
    // The answer may be on its way; but not for ever.
    let ignored = replica.receive_index(&one, &index(21), at(70));
    assert_eq!(ignored, Reception::Ignored);
    let gap = replica.receive_index(&one, &index(21), at(100));
    assert_eq!(gap, Reception::Gap);
}

#[test]
fn another_controller_takes_over() {
    let mut replica = current();
    replica.connect(controller("two"), at(1));
    let foreign = replica.receive_state(&controller("two"), state("run-1", 50));
    assert_eq!(foreign, Reception::Ignored);
    replica.disconnect(&controller("one"), at(2));
    let (to, request) = replica.poll(at(2)).unwrap();
    assert_eq!(to, controller("two"));
    assert_eq!((request.current_index, request.is_renewal), (20, false));
    replica.disconnect(&controller("two"), at(3));
    assert_eq!((replica.poll(at(9)), replica.deadline()), (None, None));
    // On a new channel it subscribes anew.
    replica.connect(controller("two"), at(10));
    assert_eq!(replica.poll(at(10)).unwrap().1.subscription_id, "run-3");
    replica.connect(controller("two"), at(20));
    assert_eq!(replica.poll(at(20)).unwrap().1.subscription_id, "run-4");
}

#[test]
fn files_lead_back_and_damage_is_told() {
    let replica = current();
    let file = replica.to_file().unwrap();
    let back = Replica::from_file("later", &file).unwrap();
    assert_eq!(back.model(), replica.model());
    assert_eq!(back.position(), (20, "timeline"));
    assert!(back.has_model() && !Replica::new("run").has_model());
    let mut damaged = file.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let refused = |file: &[u8]| Replica::from_file("later", file).unwrap_err();
    assert_eq!(refused(&damaged), FileError::Damaged);
    assert_eq!(refused(&file[..20]), FileError::Damaged);
    assert_eq!(refused(b"{}"), FileError::Foreign);
}
