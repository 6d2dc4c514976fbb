//! Binds that last: whether their SDKs still know them, and what these change of them.

use super::super::judge::service_token;
use super::super::world::{World, bind, success};
use super::{inspected, unbind, update};
use portcullis_domain::policies::ServiceGrant;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::terminator::{TerminatorToValidate, ValidateTerminators};
use portcullis_wire::edge::{
    Bind, ConnectionId, ConnectionKind, EdgeMessage, HealthEvent, InspectResponse,
};
use std::time::Duration;

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
