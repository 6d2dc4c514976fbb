//! What controllers answer about terminators, or do not, and what of it is tried again.

use super::super::world::{World, bind, success};
use super::{BIND_SUCCESS, failed, inspected, refused, sent, unbind, update};
use portcullis_domain::clock::SignedDuration;
use portcullis_router::circuits::QueueSize;
use portcullis_router::edge::EdgeLimits;
use portcullis_wire::RetryHint;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::{
    CreateTerminatorResult, TerminatorToValidate, ValidateTerminators, ValidateTerminatorsV1,
};
use portcullis_wire::edge::{Bind, ConnectionKind, EdgeMessage};
use std::time::Duration;

#[test]
fn refusal_that_may_be_retried_ends_the_bind_at_the_third() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    world.done.sent.clear();
    for pause in [1, 2] {
        let create = world.created();
        world.terminator_answered(failed(&create.address, RetryHint::Default));
        assert!(world.done.told.is_empty());
        world.wait(Duration::from_secs(pause));
    }
    let create = world.created();
    world.nothing_sent();
    world.terminator_answered(failed(&create.address, RetryHint::Default));
    let (message, reply_to) = world.sent();
    let EdgeMessage::StateClosed(closed) = message else {
        panic!("{message:?}");
    };
    assert_eq!(reply_to, None, "the bind was answered");
    assert_eq!(closed.reason, "because");
    assert_eq!(world.hosting.terminators().count(), 0);
    assert_eq!(world.done.removals.len(), 1, "it may exist");
    assert_eq!(world.channel(bob).connections(), 0);
}

#[test]
fn refusal_for_good_ends_the_bind_at_once() {
    for hint in [RetryHint::StartOver, RetryHint::NotRetriable] {
        let mut world = World::new();
        let bob = world.oidc("bob");
        world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
        world.done.sent.clear();
        let create = world.created();
        world.terminator_answered(failed(&create.address, hint));
        let json = world.closed().structured_error.unwrap();
        let hint = format!(r#""retryHint":{}"#, hint.code());
        assert!(json.contains(&hint), "{json}");
    }
}

#[test]
fn busy_controller_is_asked_again_for_ever_ever_more_slowly() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    world.done.sent.clear();
    for pause in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
        let create = world.created();
        let busy = CreateTerminatorResult::FailedBusy;
        world.terminator_answered(refused(&create.address, busy, RetryHint::Busy));
        world.wait(Duration::from_millis(pause * 1_000 - 1));
        assert!(world.done.told.is_empty(), "not before {pause} s");
        world.wait(Duration::from_millis(1));
    }
    let create = world.created();
    world.terminator_answered(success(&create.address));
    assert_eq!(sent(&mut world), [(bob, BIND_SUCCESS)]);
}

#[test]
fn controller_may_say_that_it_is_busy_by_the_hint_alone() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    for pause in [1, 2, 4, 8] {
        let create = world.created();
        world.terminator_answered(failed(&create.address, RetryHint::Busy));
        world.wait(Duration::from_secs(pause));
    }
    assert_eq!(world.hosting.terminators().count(), 1);
}

#[test]
fn refusals_before_a_success_do_not_count() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    for cost in 1..4 {
        for _ in 0..2 {
            let create = world.created();
            world.terminator_answered(failed(&create.address, RetryHint::Default));
            world.wait(Duration::from_secs(2));
        }
        let create = world.created();
        world.terminator_answered(success(&create.address));
        world.says(bob, update(cost));
    }
    assert_eq!(world.hosting.terminators().count(), 1);
}

#[test]
fn removals_are_tried_again_ever_more_slowly_until_one_succeeds() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    for round in 0..2 {
        world.bound(bob, bind(round, "listener"));
        world.says(bob, unbind(round));
        for pause in [1, 2, 4, 8] {
            let (request, _) = world.done.removals.pop_front().unwrap();
            let now = world.now;
            world.hosting.removal_answered(request, false, now);
            world.settle();
            world.wait(Duration::from_millis(pause * 1_000 - 1));
            assert!(world.done.removals.is_empty(), "not before {pause} s");
            world.wait(Duration::from_millis(1));
        }
        let (request, _) = world.done.removals.pop_front().unwrap();
        let now = world.now;
        world.hosting.removal_answered(request, true, now);
    }
    assert!(world.hosting.is_empty());
}

/// A router that was suspended has not read the answers of SDKs either.
#[test]
fn suspended_router_asks_again_before_a_bind_is_lost() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    world.now += SignedDuration::from_mins(20);
    world.hosting.handle_timeout(world.now);
    world.settle();
    assert_eq!(world.hosting.terminators().count(), 1);
    let (_, ask, _) = world.done.asked.pop_back().unwrap();
    world.answers(bob, ask, inspected(ConnectionKind::Bind));
    world.wait(Duration::from_mins(20));
    assert_eq!(world.hosting.terminators().count(), 1);
}

#[test]
fn creation_without_an_answer_is_repeated() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    let first = world.created();
    world.wait(Duration::from_secs(30));
    assert_eq!(world.created().address, first.address);
    world.hosting.controller_connected(world.now);
    world.settle();
    assert_eq!(world.created().address, first.address, "at once");
    world.terminator_answered(success(&first.address));
    world.terminator_answered(success(&first.address));
    let kinds = sent(&mut world);
    let successes = kinds.iter().filter(|(_, kind)| *kind == BIND_SUCCESS);
    assert_eq!(successes.count(), 1);
}

#[test]
fn creations_on_their_way_are_bounded_and_wait_their_turn() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    for id in 0..100 {
        let listener = format!("listener-{id}");
        world.says(bob, EdgeMessage::Bind(bind(id, &listener)));
    }
    let told: Vec<_> = world.done.told.drain(..).collect();
    assert_eq!(told.len(), 15);
    let ControlMessage::CreateTerminatorV2(first) = &told[0] else {
        panic!("{told:?}");
    };
    world.terminator_answered(success(&first.address));
    assert_eq!(world.done.told.len(), 1);
    // Those that are gone before their turn leave nothing, and those after it do not make room.
    for id in 0..100 {
        world.says(bob, unbind(id));
        world.says(bob, EdgeMessage::Bind(bind(id, "again")));
        world.says(bob, unbind(id));
    }
    assert_eq!(world.hosting.terminators().count(), 0);
    assert_eq!(world.done.told.len(), 1);
    assert_eq!(world.hosting.len(), 16, "the others were never sent");
    // Without answers, they make room when their time is over.
    world.says(bob, EdgeMessage::Bind(bind(7, "last")));
    assert_eq!(world.done.told.len(), 1);
    world.wait(Duration::from_secs(30));
    assert_eq!(world.done.told.len(), 2);
}

#[test]
fn bind_is_refused_while_too_many_creations_wait() {
    let mut world = World::with_limits(EdgeLimits {
        creations: QueueSize {
            waiting: 1,
            workers: 1,
        },
        ..EdgeLimits::default()
    });
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "l1")));
    let first = world.created();
    world.says(bob, EdgeMessage::Bind(bind(2, "l2")));
    world.done.sent.clear();
    world.says(bob, EdgeMessage::Bind(bind(3, "l3")));
    let reason = world.closed().structured_error.unwrap();
    assert!(reason.contains(r#""retryHint":1"#), "{reason}");
    world.terminator_answered(success(&first.address));
    world.created();
    world.says(bob, EdgeMessage::Bind(bind(3, "l3")));
    assert_eq!(world.hosting.terminators().count(), 3);
}

#[test]
fn connected_controller_confirms_terminators_or_gets_them_again() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "l1"));
    world.bound(bob, bind(2, "l2"));
    let ids: Vec<_> = world
        .hosting
        .terminators()
        .map(|one| one.id.to_string())
        .collect();
    world.hosting.controller_connected(world.now);
    world.settle();
    let question = ValidateTerminators {
        terminators: [ids[0].as_str(), "unknown", "tunneled"]
            .iter()
            .map(|id| TerminatorToValidate {
                id: (*id).to_owned(),
                binding: if *id == "tunneled" { "tunnel" } else { "edge" }.to_owned(),
                address: (*id).to_owned(),
                marker: 7,
            })
            .collect(),
        fixes_invalid: true,
        is_after_creation: true,
    };
    let answer = world.hosting.validate(&question, world.now);
    let answer: Vec<_> = answer
        .states
        .iter()
        .map(|(id, state)| (id.as_str(), state.is_valid, state.marker))
        .collect();
    assert_eq!(answer, [(&ids[0][..], true, 7), ("unknown", false, 7)]);
    world.settle();
    world.wait(Duration::from_secs(10));
    assert_eq!(world.created().address, ids[1]);
    assert!(world.done.told.is_empty());
    world.terminator_answered(success(&ids[1]));
    world.nothing_sent();
}

#[test]
fn validation_counts_as_the_answer_to_a_creation() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    let create = world.created();
    world.done.sent.clear();
    let question = ValidateTerminators {
        terminators: vec![TerminatorToValidate {
            id: create.address.clone(),
            binding: "edge".to_owned(),
            address: create.address,
            marker: 1,
        }],
        ..ValidateTerminators::default()
    };
    world.hosting.validate(&question, world.now);
    world.settle();
    assert_eq!(sent(&mut world), [(bob, BIND_SUCCESS)]);
    world.wait(Duration::from_mins(5));
    assert!(world.done.told.is_empty(), "it is not asked again");
}

#[test]
fn controller_of_old_has_removed_what_nobody_hosts() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    let hosted = world.hosting.terminators().next().unwrap().id.to_string();
    let asked = [
        (hosted.as_str(), "edge"),
        ("unknown", "edge"),
        ("tunneled", "tunnel"),
        ("dialed", "transport"),
    ];
    let terminators = asked.map(|(id, binding)| TerminatorToValidate {
        id: id.to_owned(),
        binding: binding.to_owned(),
        address: id.to_owned(),
        marker: 0,
    });
    let question = ValidateTerminatorsV1 {
        terminators: terminators.into(),
    };
    world.hosting.validate_v1(&question, world.now);
    world.settle();
    let (_, ids) = world.done.removals.pop_front().unwrap();
    assert_eq!(ids, ["tunneled", "unknown"]);
    assert!(world.done.removals.is_empty());
}

#[test]
fn lost_channel_has_its_terminators_removed_in_batches_until_confirmed() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    for id in 0..60 {
        world.bound(bob, bind(id, &format!("listener-{id}")));
    }
    world.channel(bob).lost();
    world.settle();
    let (request, ids) = world.done.removals.pop_front().unwrap();
    assert_eq!(ids.len(), 50);
    assert!(world.done.removals.is_empty(), "one at a time");
    let now = world.now;
    world.hosting.removal_answered(request, false, now);
    world.settle();
    world.wait(Duration::from_secs(1));
    let (_, ids) = world.done.removals.pop_front().unwrap();
    assert_eq!(ids.len(), 50, "again after a pause");
    world.wait(Duration::from_secs(5));
    let (request, ids) = world.done.removals.pop_front().unwrap();
    assert_eq!(ids.len(), 50, "again without an answer");
    let now = world.now;
    world.hosting.removal_answered(request, true, now);
    world.settle();
    let (request, ids) = world.done.removals.pop_front().unwrap();
    assert_eq!(ids.len(), 10);
    world.hosting.removal_answered(request, true, now);
    assert!(world.hosting.is_empty());
    assert_eq!(world.hosting.deadline(), None, "nothing is left to be done");
}

#[test]
fn creation_that_succeeds_after_its_removal_is_removed() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    let create = world.created();
    world.says(bob, unbind(1));
    let (request, _) = world.done.removals.pop_front().unwrap();
    let now = world.now;
    world.hosting.removal_answered(request, true, now);
    world.terminator_answered(success(&create.address));
    let (_, ids) = world.done.removals.pop_front().unwrap();
    assert_eq!(ids, [create.address]);
}

#[test]
fn terminators_are_bounded_with_those_that_are_being_removed() {
    let mut world = World::with_limits(EdgeLimits {
        terminators: 2,
        ..EdgeLimits::default()
    });
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "l1"));
    world.bound(bob, bind(2, "l2"));
    world.says(bob, unbind(1));
    world.says(bob, EdgeMessage::Bind(bind(3, "l3")));
    let closed = world.closed();
    assert!(
        closed
            .structured_error
            .unwrap()
            .contains(r#""retryHint":1"#)
    );
    let (request, _) = world.done.removals.pop_front().unwrap();
    let now = world.now;
    world.hosting.removal_answered(request, true, now);
    world.bound(bob, bind(4, "l4"));
}

/// A seed of the simulation found that terminators that replace others were not counted.
#[test]
fn terminators_that_replace_others_are_bounded_too() {
    let mut world = World::with_limits(EdgeLimits {
        terminators: 3,
        ..EdgeLimits::default()
    });
    let bob = world.oidc("bob");
    for id in 0..10 {
        let nameless = Bind {
            listener_id: None,
            ..bind(id, "")
        };
        world.says(bob, EdgeMessage::Bind(nameless));
        assert!(world.hosting.len() <= 3);
    }
    assert_eq!(world.hosting.terminators().count(), 1);
}
