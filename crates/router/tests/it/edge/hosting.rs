//! Binds and their terminators, at the router and at the controllers.

use super::judge::{legacy, service_token};
use super::world::{World, bind, success};
use portcullis_domain::clock::SignedDuration;
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{ChannelId, EdgeLimits};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::{
    CreateTerminatorAnswerV2, CreateTerminatorResult, TerminatorToValidate, ValidateTerminators,
};
use portcullis_wire::edge::{
    Bind, ConnectionId, ConnectionInspectResponse, ConnectionKind, EdgeMessage, HealthEvent,
    InspectResponse, StateClosed, Unbind, UpdateBind,
};
use portcullis_wire::{ErrorCode, Precedence, RetryHint, peer_data};
use std::time::Duration;

fn refused(
    terminator: &str,
    result: CreateTerminatorResult,
    hint: RetryHint,
) -> CreateTerminatorAnswerV2 {
    CreateTerminatorAnswerV2 {
        terminator_id: terminator.to_owned(),
        result,
        reason: "because".to_owned(),
        code: ErrorCode::Internal,
        retry_hint: hint,
    }
}

fn failed(terminator: &str, hint: RetryHint) -> CreateTerminatorAnswerV2 {
    refused(terminator, CreateTerminatorResult::Failed, hint)
}

/// Kinds of the messages that were sent, with their channels.
fn sent(world: &mut World) -> Vec<(ChannelId, i32)> {
    let sent = world.done.sent.drain(..);
    sent.map(|(channel, one)| (channel, one.message.content_type().0))
        .collect()
}

const CONNECTED: i32 = 60784;
const CLOSED: i32 = 60785;
const BIND_SUCCESS: i32 = 60800;

fn unbind(id: u32) -> EdgeMessage {
    EdgeMessage::Unbind(Unbind {
        session_token: service_token(ServiceGrant::Bind, "svc1"),
        connection: ConnectionId(id),
        sequence: None,
    })
}

#[test]
fn controller_is_told_everything_about_the_terminator() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let message = Bind {
        public_key: Some(vec![7; 32].into()),
        cost: Some(10),
        precedence: Some(Precedence::Required),
        instance_id: Some("one".to_owned()),
        instance_secret: Some(portcullis_wire::Secret::new(vec![1, 2].into())),
        ..bind(1, "listener")
    };
    let token = message.session_token.clone();
    world.says(bob, EdgeMessage::Bind(message));
    let create = world.created();
    assert_eq!(create.session_token, token);
    assert_eq!(create.api_session_token.expose(), "ey-bob");
    assert_eq!(create.fingerprints, ["bob"]);
    assert_eq!((create.cost, create.precedence), (10, Precedence::Required));
    assert_eq!(create.instance_id, "one");
    assert_eq!(&create.instance_secret.expose()[..], [1, 2]);
    let key = &create.peer_data[&peer_data::PUBLIC_KEY];
    assert_eq!(key.expose().len(), 32);
    let views: Vec<_> = world.hosting.terminators().collect();
    assert_eq!(views.len(), 1);
    assert!(!views[0].is_established);
    assert_eq!((views[0].cost, views[0].instance), (10, "one"));
}

#[test]
fn c_sdk_binds_without_bind_success() {
    let mut world = World::new();
    let bob = world.connect("bob", legacy());
    let message = Bind {
        supports_bind_success: false,
        ..bind(1, "printable")
    };
    world.says(bob, EdgeMessage::Bind(message));
    let create = world.created();
    world.terminator_answered(success(&create.address));
    assert_eq!(sent(&mut world), [(bob, CONNECTED)]);
}

#[test]
fn repeated_bind_is_answered_again() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    assert_eq!(sent(&mut world), [(bob, CONNECTED), (bob, BIND_SUCCESS)]);
    assert!(world.done.told.is_empty(), "nothing new for a controller");
    assert_eq!(world.hosting.len(), 1);
}

#[test]
fn later_bind_of_a_listener_takes_its_terminator_over() {
    let mut world = World::new();
    let first = world.oidc("bob");
    let earlier = world.bound(first, bind(1, "listener"));
    let second = world.oidc("bob");
    world.says(second, EdgeMessage::Bind(bind(1, "listener")));
    assert_eq!(
        sent(&mut world),
        [(first, CLOSED), (second, CONNECTED), (second, BIND_SUCCESS)]
    );
    assert!(world.done.told.is_empty(), "the terminator is the same");
    assert_eq!(world.hosting.len(), 1);
    let id = world.hosting.terminators().next().unwrap().id.clone();
    let now = world.hosting.find(id.as_str()).unwrap();
    assert_eq!(now.channel, second);
    assert_ne!(now, earlier);
    assert_eq!(world.hosting.find(&format!("hosted:{id}")), Some(now));
    // The end of the first channel takes nothing from the second.
    world.channel(first).lost();
    world.settle();
    assert!(world.done.removals.is_empty());
    assert_eq!(world.hosting.find(id.as_str()), Some(now));
}

#[test]
fn bind_that_was_taken_over_hears_why() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    world.says(bob, EdgeMessage::Bind(bind(2, "listener")));
    let (_, first) = world.done.sent.pop_front().unwrap();
    let EdgeMessage::StateClosed(closed) = first.message else {
        panic!("{first:?}");
    };
    assert_eq!(closed.connection, Some(ConnectionId(1)));
    assert_eq!(closed.reason, "newer terminator found for listener id");
    assert_eq!(closed.code, Some(ErrorCode::Internal));
    assert!(first.reply_to.is_none());
}

#[test]
fn stale_bind_of_a_listener_is_refused() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let newer = world.bound(bob, bind(2, "listener"));
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    assert!(world.closed().reason.contains("newer"));
    let id = world.hosting.terminators().next().unwrap().id.clone();
    assert_eq!(world.hosting.find(id.as_str()), Some(newer));
}

#[test]
fn take_over_with_another_key_is_another_terminator() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    let message = Bind {
        public_key: Some(vec![7; 32].into()),
        ..bind(2, "listener")
    };
    world.says(bob, EdgeMessage::Bind(message));
    assert_eq!(
        world.done.removals.len(),
        1,
        "dialers would use the old key"
    );
    world.created();
    assert_eq!(world.hosting.terminators().count(), 1);
}

#[test]
fn take_over_with_another_cost_tells_the_controller() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    let message = Bind {
        cost: Some(5),
        ..bind(2, "listener")
    };
    world.says(bob, EdgeMessage::Bind(message));
    let create = world.created();
    assert_eq!(create.cost, 5);
    assert_eq!(sent(&mut world), [(bob, CLOSED), (bob, CONNECTED)]);
    world.terminator_answered(success(&create.address));
    assert_eq!(sent(&mut world), [(bob, BIND_SUCCESS)]);
}

#[test]
fn listeners_of_other_identities_and_services_are_others() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let carol = world.oidc("carol");
    world.bound(bob, bind(1, "listener"));
    world.bound(carol, bind(1, "listener"));
    world.judge.allow("bob", ServiceGrant::Bind, "svc2");
    let other = Bind {
        session_token: service_token(ServiceGrant::Bind, "svc2"),
        ..bind(2, "listener")
    };
    world.bound(bob, other);
    let instance = Bind {
        instance_id: Some("one".to_owned()),
        ..bind(3, "listener")
    };
    world.bound(bob, instance);
    assert_eq!(world.hosting.terminators().count(), 4);
    assert!(world.done.removals.is_empty());
}

#[test]
fn bind_without_listener_replaces_that_of_the_same_session() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let nameless = |id| Bind {
        listener_id: None,
        ..bind(id, "")
    };
    world.bound(bob, nameless(1));
    world.says(bob, EdgeMessage::Bind(nameless(2)));
    assert_eq!(sent(&mut world), [(bob, CLOSED), (bob, CONNECTED)]);
    assert_eq!(world.done.removals.len(), 1);
}

#[test]
fn unbind_and_close_remove_the_terminator_without_an_answer() {
    for closes in [
        unbind(1),
        EdgeMessage::StateClosed(StateClosed {
            connection: Some(ConnectionId(1)),
            ..StateClosed::default()
        }),
    ] {
        let mut world = World::new();
        let bob = world.oidc("bob");
        world.bound(bob, bind(1, "listener"));
        let id = world.hosting.terminators().next().unwrap().id.clone();
        world.says(bob, closes);
        world.nothing_sent();
        let (_, ids) = world.done.removals.pop_front().unwrap();
        assert_eq!(ids, [id.as_str()]);
        // Go SDKs say both.
        world.says(bob, unbind(1));
        world.nothing_sent();
        assert!(world.done.removals.is_empty());
    }
}

#[test]
fn unbind_of_another_session_changes_nothing() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    let foreign = EdgeMessage::Unbind(Unbind {
        session_token: service_token(ServiceGrant::Bind, "svc2"),
        connection: ConnectionId(1),
        sequence: None,
    });
    world.says(bob, foreign);
    world.nothing_sent();
    assert_eq!(world.hosting.terminators().count(), 1);
}

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
fn routine_checks_do_not_have_sdks_asked() {
    for (fixes_invalid, is_after_creation) in [(true, true), (false, false)] {
        let mut world = World::new();
        let bob = world.oidc("bob");
        world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
        let (ask, _) = world.asked();
        world.answers(bob, ask, inspected(ConnectionKind::Bind));
        let create = world.created();
        let question = ValidateTerminators {
            terminators: vec![TerminatorToValidate {
                id: create.address,
                binding: "edge".to_owned(),
                ..TerminatorToValidate::default()
            }],
            fixes_invalid,
            is_after_creation,
        };
        world.hosting.validate(&question, world.now);
        world.settle();
        assert!(world.done.asked.is_empty());
    }
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
    assert_eq!(told.len(), 64);
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
    assert_eq!(world.hosting.len(), 65, "the others were never sent");
    // Without answers, they make room when their time is over.
    world.says(bob, EdgeMessage::Bind(bind(7, "last")));
    assert_eq!(world.done.told.len(), 1);
    world.wait(Duration::from_secs(30));
    assert_eq!(world.done.told.len(), 2);
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

fn inspected(kind: ConnectionKind) -> EdgeMessage {
    EdgeMessage::ConnectionInspectResponse(ConnectionInspectResponse {
        connection: ConnectionId(1),
        kind,
        detail: String::new(),
    })
}

#[test]
fn sdk_that_confirms_the_bind_is_not_asked_again() {
    // Go SDKs from 1.1 to 1.5.3 answer with another kind of message.
    let wrong_kind = EdgeMessage::InspectResponse(InspectResponse {
        connection: Some(ConnectionId(1)),
        kind: Some(ConnectionKind::Bind),
        ..InspectResponse::default()
    });
    for answer in [inspected(ConnectionKind::Bind), wrong_kind] {
        let mut world = World::new();
        let bob = world.oidc("bob");
        world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
        let (ask, _) = world.asked();
        world.answers(bob, ask, answer);
        world.wait(Duration::from_mins(15));
        assert!(world.done.asked.is_empty());
        assert_eq!(world.hosting.terminators().count(), 1);
    }
}

#[test]
fn sdk_that_does_not_know_the_bind_loses_it() {
    for kind in [
        ConnectionKind::Invalid,
        ConnectionKind::Dial,
        ConnectionKind::Unknown,
    ] {
        let mut world = World::new();
        let bob = world.oidc("bob");
        world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
        let (ask, _) = world.asked();
        world.answers(bob, ask, inspected(kind));
        assert_eq!(world.hosting.terminators().count(), 0);
        assert_eq!(world.channel(bob).connections(), 0);
    }
}

#[test]
fn sdk_that_does_not_answer_for_ten_minutes_loses_the_bind() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    let create = world.created();
    world.terminator_answered(success(&create.address));
    world.wait(Duration::from_secs(599));
    assert_eq!(world.done.asked.len(), 60, "every ten seconds");
    assert_eq!(world.hosting.terminators().count(), 1);
    world.wait(Duration::from_secs(1));
    assert_eq!(world.hosting.terminators().count(), 0);
}

#[test]
fn sdk_that_cannot_be_asked_is_not() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let message = Bind {
        supports_inspect: false,
        ..bind(1, "listener")
    };
    world.says(bob, EdgeMessage::Bind(message));
    assert!(world.done.asked.is_empty());
}

#[test]
fn administrator_who_checks_has_the_sdk_asked() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    let (ask, _) = world.asked();
    world.answers(bob, ask, inspected(ConnectionKind::Bind));
    let create = world.created();
    let question = ValidateTerminators {
        terminators: vec![TerminatorToValidate {
            id: create.address.clone(),
            binding: "edge".to_owned(),
            ..TerminatorToValidate::default()
        }],
        fixes_invalid: true,
        is_after_creation: false,
    };
    world.hosting.validate(&question, world.now);
    world.settle();
    let (ask, _) = world.asked();
    world.answers(bob, ask, inspected(ConnectionKind::Invalid));
    assert_eq!(world.hosting.terminators().count(), 0);
}

#[test]
fn change_of_a_bind_while_it_is_created_is_not_lost() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.says(bob, EdgeMessage::Bind(bind(1, "listener")));
    let create = world.created();
    world.says(bob, update(9));
    assert!(world.done.told.is_empty());
    world.terminator_answered(success(&create.address));
    assert_eq!(world.created().cost, 9);
}

fn update(cost: u16) -> EdgeMessage {
    EdgeMessage::UpdateBind(UpdateBind {
        session_token: service_token(ServiceGrant::Bind, "svc1"),
        connection: ConnectionId(1),
        cost: Some(cost),
        ..UpdateBind::default()
    })
}

#[test]
fn changes_of_a_bind_do_not_flood_controllers() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    world.says(bob, update(0));
    assert!(world.done.told.is_empty(), "nothing has changed");
    for cost in 1..100 {
        world.says(bob, update(cost));
    }
    let first = world.created();
    assert_eq!(first.cost, 1);
    assert!(world.done.told.is_empty(), "one at a time");
    world.terminator_answered(success(&first.address));
    assert_eq!(world.created().cost, 99);
    world.terminator_answered(success(&first.address));
    assert!(world.done.told.is_empty());
    world.nothing_sent();
}

fn health(has_passed: bool) -> EdgeMessage {
    EdgeMessage::HealthEvent(HealthEvent {
        session_token: service_token(ServiceGrant::Bind, "svc1"),
        connection: ConnectionId(1),
        has_passed,
        sequence: None,
    })
}

#[test]
fn health_is_told_once_a_second_and_the_latest_counts() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    let told = |world: &mut World| -> Vec<bool> {
        let told = world.done.told.drain(..);
        told.map(|message| match message {
            ControlMessage::HealthEvent(event) => event.has_passed,
            other => panic!("{other:?}"),
        })
        .collect()
    };
    for has_passed in [true, false, true, false] {
        world.says(bob, health(has_passed));
    }
    assert_eq!(told(&mut world), [true]);
    world.wait(Duration::from_secs(1));
    assert_eq!(told(&mut world), [false]);
    world.wait(Duration::from_secs(5));
    assert!(told(&mut world).is_empty());
    world.says(bob, health(true));
    assert_eq!(told(&mut world), [true]);
    // Nothing is told of one that has ended.
    world.says(bob, health(false));
    world.says(bob, unbind(1));
    world.wait(Duration::from_secs(1));
    assert!(told(&mut world).is_empty());
}

#[test]
fn renewed_token_is_shown_to_controllers() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    world.bound(bob, bind(1, "listener"));
    let mut renewed = world.channel(bob).session().clone();
    renewed.token = portcullis_wire::Token::new("ey-new".to_owned());
    let now = world.now;
    world.channel(bob).renew(&renewed, now);
    world.settle();
    world.says(bob, health(true));
    let Some(ControlMessage::HealthEvent(event)) = world.done.told.pop_front() else {
        panic!("a health event");
    };
    assert_eq!(event.api_session_token.expose(), "ey-new");
}
