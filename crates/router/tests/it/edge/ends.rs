//! Rights that are lost, sessions and channels that end.

use super::judge::{legacy, service_token, session};
use super::world::{World, bind, closings, connect};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_router::edge::{Action, Closing, InspectionId, SessionKind};
use portcullis_wire::control::route::RouteOutcome;
use portcullis_wire::edge::{Bind, ConnectionId, EdgeMessage};
use portcullis_wire::{ErrorCode, Token};
use std::time::Duration;

/// Ids, codes and reasons of the ends that an SDK was told.
fn told(world: &mut World) -> Vec<(u32, Option<u32>, String)> {
    let sent = world.done.sent.drain(..);
    let ends = sent.filter_map(|(_, one)| match one.message {
        EdgeMessage::StateClosed(closed) => Some((
            closed.connection.unwrap().0,
            closed.code.map(ErrorCode::code),
            closed.reason,
        )),
        _ => None,
    });
    ends.collect()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

#[test]
fn lost_right_to_dial_ends_connections_and_dials_of_that_service() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.judge.allow("alice", ServiceGrant::Dial, "svc2");
    world.dialed(alice, 1, "c1", false);
    world.dialed(alice, 2, "c2", true);
    let mut other = connect(3);
    other.session_token = service_token(ServiceGrant::Dial, "svc2");
    world.says(alice, EdgeMessage::Connect(other));
    world.says(alice, EdgeMessage::Connect(connect(4)));
    world.judge.deny("alice", ServiceGrant::Dial, "svc1");
    world.review();
    let lost = "dial access lost".to_owned();
    assert_eq!(
        told(&mut world),
        [
            (1, None, lost.clone()),
            (2, None, lost.clone()),
            (4, None, lost)
        ]
    );
    let closed = ["c1", "c2"].map(|circuit| (circuit.to_owned(), Closing::AtOnce));
    assert_eq!(closings(&mut world), closed);
    assert_eq!(
        world.channel(alice).connections(),
        1,
        "svc2 is still dialed"
    );
}

#[test]
fn lost_right_to_bind_ends_the_bind_and_what_it_serves() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    world.served(bind, "c1");
    world.offers(bind, "c2");
    world.dialed(bob, 2, "c3", false);
    world.judge.deny("bob", ServiceGrant::Bind, "svc1");
    world.review();
    let lost = "bind access lost".to_owned();
    assert_eq!(
        told(&mut world),
        [(1, Some(14), lost.clone()), (0x8000_0000, None, lost)]
    );
    assert!(matches!(world.routed(), RouteOutcome::Failed { .. }));
    assert_eq!(world.done.removals.len(), 1);
    assert_eq!(world.channel(bob).connections(), 1, "what it dials stays");
}

#[test]
fn posture_that_fails_by_time_alone_is_noticed() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    world.judge.failing_checks.replace(vec!["mfa".to_owned()]);
    world.wait(Duration::from_secs(5));
    assert_eq!(told(&mut world).len(), 1);
    world.wait(Duration::from_mins(1));
    assert_eq!(
        world.channel(alice).deadline(),
        None,
        "nothing is left to check"
    );
}

#[test]
fn busy_sdk_does_not_put_the_check_off() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.dialed(alice, 1, "c1", false);
    world.judge.deny("alice", ServiceGrant::Dial, "svc1");
    world.judge.allow("alice", ServiceGrant::Dial, "svc2");
    for id in 2..12 {
        world.wait(Duration::from_millis(500));
        let mut other = connect(id);
        other.session_token = service_token(ServiceGrant::Dial, "svc2");
        world.says(alice, EdgeMessage::Connect(other));
    }
    assert_eq!(told(&mut world), [(1, None, "dial access lost".to_owned())]);
}

/// Defect 7 of the original: a right that was lost meanwhile was noticed a minute later.
#[test]
fn right_that_is_lost_while_the_circuit_is_created_refuses_it() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    world.says(alice, EdgeMessage::Connect(connect(1)));
    let (request, _) = world.request();
    world.judge.deny("alice", ServiceGrant::Dial, "svc1");
    world.controller_answers(alice, request, super::world::created("c1"));
    assert_eq!(world.closed().code, Some(ErrorCode::AccessDenied));
    assert_eq!(world.done.told.len(), 1, "the circuit is given back");
}

#[test]
fn removed_service_session_ends_what_it_was_used_for() {
    let mut world = World::new();
    let alice = world.connect("alice", legacy());
    world.dialed(alice, 1, "c1", false);
    let bound = world.bound(alice, bind(2, "listener"));
    let other = Bind {
        session_token: service_token(ServiceGrant::Bind, "svc2"),
        ..bind(3, "other")
    };
    world.judge.allow("alice", ServiceGrant::Bind, "svc2");
    world.bound(alice, other);
    world.channel(alice).end_service_session(&"s-svc1".into());
    world.settle();
    let invalid = (Some(3), "Invalid Session".to_owned());
    let told: Vec<_> = told(&mut world)
        .into_iter()
        .map(|(id, code, reason)| (id, (code, reason)))
        .collect();
    assert_eq!(told, [(1, invalid.clone()), (2, invalid)]);
    assert_eq!(world.hosting.terminators().count(), 1);
    assert!(world.hosting.terminators().all(|one| one.bind != bound));
}

#[test]
fn session_ends_when_it_expires_without_being_used() {
    let mut world = World::new();
    let mut session = session("alice", SessionKind::Oidc);
    session.expires_at = Some(at(100));
    let alice = world.open(session.clone());
    world.wait(Duration::from_secs(99));
    assert!(!world.channel(alice).is_finished());
    session.expires_at = Some(at(200));
    session.token = Token::new("ey-new".to_owned());
    let now = world.now;
    world.channel(alice).renew(&session, now);
    world.settle();
    world.wait(Duration::from_secs(100));
    assert!(!world.channel(alice).is_finished(), "it was renewed");
    world.wait(Duration::from_secs(1));
    assert!(world.channel(alice).is_finished());
    let last = world.done.others.pop_back();
    assert!(
        matches!(last, Some(Action::CloseChannel { .. })),
        "{last:?}"
    );
}

#[test]
fn end_of_the_session_ends_everything_in_order() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let bind = world.bound(alice, bind(1, "listener"));
    world.served(bind, "served");
    world.dialed(alice, 2, "dialed", true);
    world.says(alice, EdgeMessage::Connect(connect(3)));
    world.offers(bind, "offered");
    let now = world.now;
    world
        .channel(alice)
        .inspect(InspectionId(9), None, vec!["context".to_owned()], now);
    world.settle();
    world.done.asked.clear();
    world
        .judge
        .revoked
        .borrow_mut()
        .insert("session-of-alice".to_owned());
    world.review();

    let told = told(&mut world);
    let ids: Vec<u32> = told.iter().map(|(id, ..)| *id).collect();
    assert_eq!(ids, [3, 2, 0x8000_0000, 1], "dials, connections, binds");
    assert!(
        told.iter()
            .all(|(_, code, reason)| { *code == Some(2) && reason == "session closed" })
    );
    assert!(matches!(world.routed(), RouteOutcome::Failed { .. }));
    assert_eq!(world.done.removals.len(), 1);
    let others: Vec<_> = world.done.others.iter().collect();
    assert!(matches!(others.last(), Some(Action::CloseChannel { .. })));
    assert_eq!(world.channels[&alice].deadline(), None);
    assert!(others.iter().any(|action| matches!(
        action,
        Action::Inspected {
            inspection: InspectionId(9),
            result: Err(_)
        }
    )));
    let mut closed: Vec<String> = closings(&mut world).into_iter().map(|(id, _)| id).collect();
    closed.sort();
    assert_eq!(closed, ["dialed", "offered", "served"]);

    // Nothing happens any more.
    world.says(alice, EdgeMessage::Connect(connect(5)));
    world.says(alice, EdgeMessage::Bind(super::world::bind(6, "listener")));
    world.channel(alice).end("again");
    world.channel(alice).lost();
    world.settle();
    world.wait(Duration::from_mins(10));
    world.nothing_sent();
    assert!(world.done.others.is_empty());
}

#[test]
fn lost_channel_tells_others_but_not_the_sdk() {
    let mut world = World::new();
    let alice = world.oidc("alice");
    let bind = world.bound(alice, bind(1, "listener"));
    world.served(bind, "served");
    world.says(alice, EdgeMessage::Connect(connect(3)));
    let (request, _) = world.request();
    world.offers(bind, "offered");
    world.channel(alice).lost();
    world.settle();
    world.nothing_sent();
    assert!(matches!(world.routed(), RouteOutcome::Failed { .. }));
    assert_eq!(world.done.removals.len(), 1);
    assert!(world.channel(alice).has_ended());
    let closed: Vec<String> = closings(&mut world).into_iter().map(|(id, _)| id).collect();
    assert_eq!(closed, ["offered", "served"]);
    world.controller_answers(alice, request, super::world::created("late"));
    assert_eq!(world.done.told.len(), 1, "the circuit is given back");
    assert!(world.channel(alice).is_finished());
}

#[test]
fn token_is_renewed_for_all_channels_of_the_session() {
    let mut world = World::new();
    let first = world.oidc("alice");
    let second = world.oidc("alice");
    let other = world.oidc("bob");
    let mut renewed = session("alice", SessionKind::Oidc);
    renewed.token = Token::new("ey-new".to_owned());
    world.judge.know(renewed.clone());
    let update = EdgeMessage::UpdateToken(portcullis_wire::edge::UpdateToken {
        access_token: renewed.token.clone(),
    });
    world.says(first, update);
    assert_eq!(world.sent().0, EdgeMessage::UpdateTokenSuccess);
    let Some(Action::Renewed(session)) = world.done.others.pop_front() else {
        panic!("a session");
    };
    let now = world.now;
    for channel in [first, second, other] {
        world.channel(channel).renew(&session, now);
    }
    world.settle();
    let token =
        |world: &mut World, channel| world.channel(channel).session().token.expose().clone();
    assert_eq!(token(&mut world, first), "ey-new");
    assert_eq!(token(&mut world, second), "ey-new");
    assert_eq!(token(&mut world, other), "ey-bob");
}

#[test]
fn offer_is_made_to_the_bind_and_not_to_a_connection_of_its_id() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    world.judge.deny("bob", ServiceGrant::Bind, "svc1");
    world.review();
    world.dialed(bob, 1, "c1", false);
    world.offers(bind, "c2");
    assert!(matches!(world.routed(), RouteOutcome::Failed { .. }));
    assert_eq!(bind.connection, ConnectionId(1));
}
