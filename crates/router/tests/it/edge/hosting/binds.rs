//! Binds of SDKs: what becomes a terminator, what takes one over, what ends one.

use super::super::judge::{legacy, service_token};
use super::super::world::{World, bind, success};
use super::{BIND_SUCCESS, CLOSED, CONNECTED, sent, unbind};
use portcullis_domain::policies::ServiceGrant;
use portcullis_wire::edge::{Bind, ConnectionId, EdgeMessage, StateClosed, Unbind};
use portcullis_wire::{ErrorCode, Precedence, peer_data};

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
