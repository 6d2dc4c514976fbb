//! Connections that are offered to hosts.

use super::world::{World, bind, closings, offer, terminating};
use portcullis_memory_budget::{Account, MemoryBudget};
use portcullis_router::edge::{Action, CircuitEnded, Closing, EdgeLimits, FromSdk, ToSdk};
use portcullis_wire::control::route::{RouteFailure, RouteOutcome};
use portcullis_wire::edge::{
    Bind, CircuitClosed, ConnectionId, Data, Dial, DialFailed, DialSuccess, EdgeMessage,
    StateClosed,
};
use portcullis_wire::{Secret, peer_data};
use std::sync::Arc;
use std::time::Duration;

const FIRST: u32 = 0x8000_0000;

fn failure(world: &mut World) -> (RouteFailure, String) {
    match world.routed() {
        RouteOutcome::Failed { reason, failure } => (failure, reason),
        routed @ RouteOutcome::Routed(_) => panic!("{routed:?}"),
    }
}

fn dial(world: &mut World) -> (portcullis_router::edge::AskId, Dial) {
    let (ask, message) = world.asked();
    let EdgeMessage::Dial(dial) = message else {
        panic!("{message:?}");
    };
    (ask, dial)
}

fn taken(new: u32) -> EdgeMessage {
    EdgeMessage::DialSuccess(DialSuccess {
        connection: ConnectionId(1),
        new_connection: ConnectionId(new),
        ..DialSuccess::default()
    })
}

fn declined(reason: &str) -> EdgeMessage {
    EdgeMessage::DialFailed(DialFailed {
        connection: ConnectionId(1),
        reason: reason.to_owned(),
        sequence: None,
    })
}

#[test]
fn host_learns_everything_about_the_dialer() {
    for uses_xgress in [false, true] {
        let mut world = World::new();
        let bob = world.oidc("bob");
        let message = Bind {
            uses_xgress,
            ..bind(1, "listener")
        };
        let token = message.session_token.clone();
        let bind = world.bound(bob, message);
        let mut offer = offer(bind, "c1");
        let text = |text: &'static str| Secret::new(bytes::Bytes::from_static(text.as_bytes()));
        offer.peer_data = [
            (peer_data::PUBLIC_KEY, text("key")),
            (peer_data::CALLER_ID, text("caller")),
            (peer_data::APP_DATA, text("app data")),
            (peer_data::CONNECTION_MARKER, text("marker")),
            (peer_data::STICKINESS_TOKEN, text("sticky")),
            (peer_data::DIALER_IDENTITY_ID, text("alice")),
            (peer_data::DIALER_IDENTITY_NAME, text("Alice")),
        ]
        .into();
        let now = world.now;
        world.channel(bob).offer(offer, now);
        world.settle();
        let (_, dial) = dial(&mut world);
        assert_eq!(
            dial,
            Dial {
                connection: ConnectionId(1),
                session_token: token,
                new_connection: Some(ConnectionId(FIRST)),
                circuit_id: Some("c1".to_owned()),
                public_key: Some("key".into()),
                caller_id: Some("caller".to_owned()),
                app_data: Some(text("app data")),
                connection_marker: Some("marker".to_owned()),
                dialer_identity_id: Some("alice".to_owned()),
                dialer_identity_name: Some("Alice".to_owned()),
                uses_xgress,
                controller_id: uses_xgress.then(|| "instance-1".to_owned()),
                xgress_address: uses_xgress.then(|| "egress-of-c1".to_owned()),
            }
        );
    }
}

#[test]
fn caller_that_is_unknown_is_empty() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    world.offers(bind, "c1");
    assert_eq!(dial(&mut world).1.caller_id.as_deref(), Some(""));
}

#[test]
fn key_of_the_host_reaches_the_dialer() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    world.offers(bind, "c1");
    let (ask, _) = dial(&mut world);
    let answer = EdgeMessage::DialSuccess(DialSuccess {
        connection: ConnectionId(1),
        new_connection: ConnectionId(FIRST),
        public_key: Some("key of C".into()),
        ..DialSuccess::default()
    });
    world.answers(bob, ask, answer);
    let RouteOutcome::Routed(data) = world.routed() else {
        panic!("a route");
    };
    let key = Secret::new(bytes::Bytes::from_static(b"key of C"));
    assert_eq!(data, [(peer_data::PUBLIC_KEY, key)].into());
}

#[test]
fn end_is_open_before_the_host_is_asked() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    let now = world.now;
    let sdk = world.channel(bob);
    sdk.offer(offer(bind, "c1"), now);
    let Some(Action::Open(end)) = sdk.poll() else {
        panic!("an end");
    };
    assert_eq!(end.id, terminating("c1"));
    assert_eq!(end.service.as_str(), "svc1");
    assert!(matches!(sdk.poll(), Some(Action::Ask { .. })));
}

/// With several connections, data may overtake the answer.
#[test]
fn data_that_overtakes_the_answer_is_not_lost() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    world.offers(bind, "c1");
    let (ask, _) = dial(&mut world);
    let data = EdgeMessage::Data(Data {
        connection: ConnectionId(FIRST),
        data: Secret::new("early".into()),
        ..Data::default()
    });
    world.says(bob, data);
    assert!(matches!(
        world.done.put.pop_front(),
        Some((end, FromSdk::Data(_))) if end == terminating("c1")
    ));
    world.answers(bob, ask, taken(FIRST));
    assert!(matches!(world.routed(), RouteOutcome::Routed(_)));
}

#[test]
fn host_that_chooses_ids_is_told_when_it_may_send() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let message = Bind {
        router_provides_connections: false,
        ..bind(1, "listener")
    };
    let bind = world.bound(bob, message);
    world.offers(bind, "c1");
    assert!(world.done.others.is_empty(), "its id is not known yet");
    let (ask, offered) = dial(&mut world);
    assert_eq!(offered.new_connection, None);
    world.answers(bob, ask, taken(7));
    assert!(matches!(
        world.done.others.pop_front(),
        Some(Action::Open(end)) if end.connection == ConnectionId(7)
    ));
    let (message, reply_to) = world.sent();
    assert!(
        matches!(message, EdgeMessage::StateConnected(own) if own.connection == ConnectionId(7))
    );
    assert!(reply_to.is_some());
    assert!(matches!(world.routed(), RouteOutcome::Routed(_)));

    // An id that is in use, or the router's, is not taken.
    for id in [1, 7, FIRST, u32::MAX] {
        world.offers(bind, "c2");
        let (ask, _) = dial(&mut world);
        world.answers(bob, ask, taken(id));
        assert_eq!(failure(&mut world).0, RouteFailure::Generic);
        world.done.sent.clear();
    }
}

#[test]
fn host_that_answers_with_another_id_has_no_connection() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    world.offers(bind, "c1");
    let (ask, _) = dial(&mut world);
    world.answers(bob, ask, taken(FIRST + 1));
    assert_eq!(failure(&mut world).0, RouteFailure::Generic);
    let closed = world.closed();
    assert_eq!(closed.connection, Some(ConnectionId(FIRST + 1)));
    assert_eq!(closings(&mut world), [("c1".to_owned(), Closing::AtOnce)]);
    assert_eq!(world.channel(bob).connections(), 1, "the bind");
}

#[test]
fn refusals_of_hosts_are_classified_by_their_texts() {
    let table = [
        (
            "rejected by application: no",
            RouteFailure::RejectedByApplication,
        ),
        ("lookup x: no such host", RouteFailure::DnsResolutionFailed),
        ("server misbehaving", RouteFailure::DnsResolutionFailed),
        (
            "port 7 is not in allowed port ranges",
            RouteFailure::PortNotAllowed,
        ),
        ("no listener for conn id", RouteFailure::Generic),
    ];
    for (reason, expected) in table {
        let mut world = World::new();
        let bob = world.oidc("bob");
        let bind = world.bound(bob, bind(1, "listener"));
        world.offers(bind, "c1");
        let (ask, _) = dial(&mut world);
        world.answers(bob, ask, declined(reason));
        assert_eq!(failure(&mut world), (expected, reason.to_owned()));
        assert_eq!(world.channel(bob).connections(), 1);
    }
}

#[test]
fn host_has_five_seconds_or_what_is_left_of_the_route() {
    for (left, expected) in [(10, 5), (2, 2)] {
        let mut world = World::new();
        let bob = world.oidc("bob");
        let bind = world.bound(bob, bind(1, "listener"));
        let mut offer = offer(bind, "c1");
        offer.time_left = Duration::from_secs(left);
        let now = world.now;
        world.channel(bob).offer(offer, now);
        world.settle();
        let (ask, _) = dial(&mut world);
        world.wait(Duration::from_millis(expected * 1_000 - 1));
        assert!(world.done.routed.is_empty());
        world.wait(Duration::from_millis(1));
        assert_eq!(failure(&mut world).0, RouteFailure::DialTimedOut);
        // It takes the connection nevertheless: it is told that there is none.
        world.answers(bob, ask, taken(FIRST));
        assert_eq!(world.closed().connection, Some(ConnectionId(FIRST)));
        // The same without the number of the question.
        world.says(bob, taken(FIRST));
        assert_eq!(world.closed().connection, Some(ConnectionId(FIRST)));
        assert!(world.done.routed.is_empty(), "once");
    }
}

#[test]
fn offer_without_a_bind_has_no_terminator() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    let closed = EdgeMessage::StateClosed(StateClosed {
        connection: Some(ConnectionId(1)),
        ..StateClosed::default()
    });
    world.says(bob, closed);
    world.offers(bind, "c1");
    assert_eq!(failure(&mut world).0, RouteFailure::InvalidTerminator);
    // A later bind with the same id is another one.
    world.bound(bob, super::world::bind(1, "other"));
    world.offers(bind, "c1");
    assert_eq!(failure(&mut world).0, RouteFailure::InvalidTerminator);
    world.channel(bob).lost();
    world.offers(bind, "c1");
    assert_eq!(failure(&mut world).0, RouteFailure::InvalidTerminator);
}

#[test]
fn offers_are_bounded_and_a_circuit_is_offered_once() {
    let mut world = World::with_limits(EdgeLimits {
        pending_offers: 2,
        ..EdgeLimits::default()
    });
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    world.offers(bind, "c1");
    world.offers(bind, "c1");
    assert_eq!(failure(&mut world).0, RouteFailure::Generic);
    world.offers(bind, "c2");
    world.offers(bind, "c3");
    assert_eq!(failure(&mut world).0, RouteFailure::ResourcesNotAvailable);
}

#[test]
fn offers_count_among_the_connections_whoever_chooses_their_ids() {
    for router_provides_connections in [true, false] {
        let mut world = World::with_limits(EdgeLimits {
            connections: 2,
            ..EdgeLimits::default()
        });
        let bob = world.oidc("bob");
        let message = Bind {
            router_provides_connections,
            ..bind(1, "listener")
        };
        let bind = world.bound(bob, message);
        world.offers(bind, "c1");
        world.offers(bind, "c2");
        assert_eq!(failure(&mut world).0, RouteFailure::ResourcesNotAvailable);
        assert_eq!(world.channel(bob).connections(), 2);
    }
}

#[test]
fn ids_of_the_router_count_up() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    for number in 0..5 {
        let id = world.served(bind, &format!("c{number}"));
        assert_eq!(id, ConnectionId(FIRST + number));
    }
}

#[test]
fn offer_ends_with_its_circuit_its_host_or_its_channel() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    let closed = EdgeMessage::StateClosed(StateClosed {
        connection: Some(ConnectionId(FIRST)),
        ..StateClosed::default()
    });
    world.offers(bind, "c1");
    world.says(bob, closed);
    assert_eq!(failure(&mut world).0, RouteFailure::Generic);
    world.offers(bind, "c2");
    world.delivers(
        bob,
        &terminating("c2"),
        ToSdk::Ended(CircuitEnded::Unrouted),
    );
    assert_eq!(failure(&mut world).1, "xgress unrouted");
    assert!(
        closings(&mut world)
            .iter()
            .all(|(circuit, _)| circuit != "c2")
    );
    world.offers(bind, "c3");
    let (_, ask, _) = world.done.asked.pop_back().unwrap();
    world.channel(bob).not_answered(ask);
    world.settle();
    assert_eq!(failure(&mut world).0, RouteFailure::Generic);
    world.offers(bind, "c4");
    world.channel(bob).lost();
    world.settle();
    assert_eq!(failure(&mut world).1, "the host is gone");
    assert_eq!(world.channel(bob).connections(), 0);
}

#[test]
fn host_that_has_used_up_its_memory_is_not_asked() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let bind = world.bound(bob, bind(1, "listener"));
    let whole = Arc::new(MemoryBudget::new(64 << 20));
    let share = Arc::new(whole.share());
    let used_up = Account::reserving(&share, share.limit());
    world.channel(bob).heed_memory(&share);
    world.offers(bind, "c1");
    let reason = "the identity has used up its share of the router's memory".to_owned();
    let declined = (RouteFailure::ResourcesNotAvailable, reason);
    assert_eq!(failure(&mut world), declined);
    drop(used_up);
    world.channel(bob).heed_memory(&share);
    world.offers(bind, "c1");
    dial(&mut world);
}

/// The first attempt of a circuit fails at another router, and the second is offered before the SDK has said
/// that the circuit of the first is closed. That has only the id of the circuit, which is that of both.
#[test]
fn late_end_of_an_attempt_leaves_the_offer_of_the_next_one() {
    let mut world = World::new();
    let bob = world.oidc("bob");
    let message = Bind {
        uses_xgress: true,
        ..bind(1, "listener")
    };
    let bind = world.bound(bob, message);
    world.served(bind, "c1");
    let ended = ToSdk::Ended(CircuitEnded::Unrouted);
    world.delivers(bob, &terminating("c1"), ended);
    assert_eq!(world.closed().connection, Some(ConnectionId(FIRST)));
    world.done.others.clear();

    world.offers(bind, "c1");
    let (ask, _) = dial(&mut world);
    let closed = EdgeMessage::CircuitClosed(CircuitClosed {
        circuit_id: "c1".to_owned(),
    });
    world.says(bob, &closed);
    assert_eq!(closings(&mut world), []);
    world.answers(bob, ask, taken(FIRST + 1));
    assert!(matches!(world.routed(), RouteOutcome::Routed(_)));
    world.nothing_sent();

    // Once it is taken, the two cannot be told apart. The SDK must not wait on it.
    world.says(bob, &closed);
    assert_eq!(closings(&mut world), [("c1".to_owned(), Closing::AtOnce)]);
    assert_eq!(world.closed().connection, Some(ConnectionId(FIRST + 1)));
}
