//! Who is let in, and how others are told.

use std::time::Duration;

use portcullis_channel::group::GroupSecret;
use portcullis_channel::hello::{Grouping, RejectClass};
use portcullis_channel::{ContentType, Message, Priority};
use portcullis_memory_budget::Account;
use portcullis_router::edge::EdgeLimits;
use portcullis_simulated_sdk::{Sdk, first_of_group, further, greet};
use portcullis_transport::DialError;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::session::{ApiSession, ApiSessions, ApiSessionsAdded};
use tokio::io::AsyncReadExt as _;
use tokio::time::{sleep, timeout};

use super::sdk::{connect, enter};
use super::world::{ROUTER, World};

fn reason(refused: Result<Sdk, DialError>) -> (RejectClass, String) {
    match refused {
        Err(DialError::Rejected(rejection)) => (rejection.class, rejection.reason),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it is let in"),
    }
}

#[tokio::test]
async fn sdk_with_token_and_certificate_is_let_in() {
    let (world, controller) = World::connected(&["alice"]).await;
    let pair = world.network.identity("alice");
    let token = world.network.access_token("alice", &pair, 1000);
    let mut sdks = Vec::new();
    for protocols in [&[][..], &["ziti-edge"]] {
        let stream = connect(world.address, &world.network, Some(&pair), protocols)
            .await
            .unwrap();
        let dialed = greet(stream, Some(&token), Grouping::Ungrouped).await;
        let sdk = Sdk::open(dialed.unwrap());
        assert_eq!(sdk.answer.responder.as_deref(), Some(ROUTER));
        let latency = Message::new(ContentType::LATENCY);
        let result = sdk
            .channel
            .request(Priority::Default, latency, Duration::from_secs(5))
            .unwrap();
        assert_eq!(result.await.unwrap().content_type(), ContentType::RESULT);
        sdks.push(sdk);
    }
    let events = controller.heard(|message| match message {
        ControlMessage::ConnectEvents(events) => {
            let event = events.events.iter().find(|event| event.is_connected)?;
            Some(event.clone())
        },
        _ => None,
    });
    assert_eq!(events.await.identity_id, "alice");
    assert_eq!(world.edge.clients(), 2);
    drop(sdks);
    timeout(Duration::from_secs(5), async {
        while world.edge.clients() > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .unwrap();
}

/// Defect 4 of the original: such a client was let in, and then closed without a word.
#[tokio::test]
async fn whoever_may_not_connect_is_told_why() {
    let (world, _controller) = World::connected(&["alice", "mallory"]).await;
    let alice = world.network.identity("alice");
    let mallory = world.network.identity("mallory");
    let token = world.network.access_token("alice", &alice, 1000);
    let expired = world.network.access_token("alice", &alice, -1);
    let tries = [
        (&alice, None, "no session token"),
        (&mallory, Some(token.as_str()), "another certificate"),
        (&alice, Some(expired.as_str()), "expired"),
        (&alice, Some("eyJhbGciOiJub25lIn0.e30."), "not valid"),
    ];
    for (pair, token, expected) in tries {
        let refused = enter(world.address, &world.network, pair, token).await;
        let (class, reason) = reason(refused);
        assert_eq!(class, RejectClass::NotPermitted);
        assert!(reason.contains(expected), "{reason}");
    }
    let stream = connect(world.address, &world.network, None, &[])
        .await
        .unwrap();
    let refused = greet(stream, Some(&token), Grouping::Ungrouped).await;
    let refused = reason(refused.map(Sdk::open)).1;
    assert!(refused.contains("no client certificate"), "{refused}");
    // Of another network.
    let stranger = super::network::Network::new(world.network.now).identity("alice");
    let refused = enter(world.address, &world.network, &stranger, Some(&token)).await;
    let refused = reason(refused).1;
    assert!(refused.contains("not trusted"), "{refused}");
    // What is trusted, but not its own, does not help it.
    for trusted in [
        alice.chain[0].clone(),
        world.network.root.certificate().as_rustls().clone(),
    ] {
        let mut impostor = super::network::Network::new(world.network.now).identity("alice");
        impostor.chain.push(trusted);
        let refused = enter(world.address, &world.network, &impostor, Some(&token)).await;
        let refused = reason(refused).1;
        assert!(refused.contains("not trusted"), "{refused}");
    }
    for protocol in ["h2", "ziti-link"] {
        let refused = connect(world.address, &world.network, Some(&alice), &[protocol]).await;
        refused.unwrap_err();
    }
}

#[tokio::test]
async fn refusals_of_one_client_have_a_few_lines_only() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let alice = world.network.identity("alice");
    for _ in 0..5 {
        reason(enter(world.address, &world.network, &alice, None).await);
    }
    let refusals = &world.edge.shared.refusals;
    assert!(!refusals.admits([127, 0, 0, 1].into()));
    assert!(refusals.admits([127, 0, 0, 2].into()));
}

#[tokio::test]
async fn nobody_is_let_in_while_memory_is_short() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let alice = world.network.identity("alice");
    let token = world.network.access_token("alice", &alice, 1000);
    let mut others = Account::new(&world.memory);
    others.set(world.memory.limit());
    let refused = enter(world.address, &world.network, &alice, Some(&token)).await;
    let (class, reason) = reason(refused);
    assert_eq!(class, RejectClass::Busy, "it comes again");
    assert_eq!(reason, "the router is short of memory");
    drop(others);
    let entered = enter(world.address, &world.network, &alice, Some(&token)).await;
    assert!(entered.is_ok());
}

/// However many channels and circuits it has.
#[tokio::test]
async fn an_identity_that_takes_its_share_of_the_memory_leaves_the_rest_to_others() {
    let (world, _controller) = World::connected(&["alice", "bob"]).await;
    let alice = world.network.identity("alice");
    let alices = world.network.access_token("alice", &alice, 1000);
    let _sdk = enter(world.address, &world.network, &alice, Some(&alices)).await;
    let share = world.ends.memory_of(&"alice".into());
    let mut stalled = Account::new(&share);
    stalled.set(world.memory.limit() / 5);
    assert_eq!(world.memory.check_room(), Ok(()));
    let refused = enter(world.address, &world.network, &alice, Some(&alices)).await;
    let reason = "the identity has used up its share of the router's memory".to_owned();
    assert_eq!(self::reason(refused), (RejectClass::Busy, reason));

    let bob = world.network.identity("bob");
    let bobs = world.network.access_token("bob", &bob, 1000);
    let entered = enter(world.address, &world.network, &bob, Some(&bobs)).await;
    assert!(entered.is_ok());
    drop(stalled);
    let entered = enter(world.address, &world.network, &alice, Some(&alices)).await;
    assert!(entered.is_ok());
}

#[tokio::test]
async fn certificate_of_the_identity_need_not_be_the_one_of_the_token() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let (first, renewed) = (
        world.network.identity("alice"),
        world.network.identity("alice"),
    );
    let token = world.network.access_token("alice", &first, 1000);
    enter(world.address, &world.network, &renewed, Some(&token))
        .await
        .unwrap();
}

/// Defect 4 of the original, too: nobody else waits meanwhile.
#[tokio::test]
async fn sessions_and_keys_may_come_after_their_sdk() {
    let world = World::start();
    let alice = world.network.identity("alice");
    let token = world.network.access_token("alice", &alice, 1000);
    let early = enter(world.address, &world.network, &alice, Some(&token));
    let model = async {
        sleep(Duration::from_millis(200)).await;
        world.connect(&["alice", "bob"]).await
    };
    let (early, controller) = tokio::join!(early, model);
    early.unwrap();
    let bob = world.network.identity("bob");
    let uuid = "23a9db0a-9ad1-4290-8952-8fa88f086ce1";
    let early = enter(world.address, &world.network, &bob, Some(uuid));
    let session = async {
        sleep(Duration::from_millis(200)).await;
        // Whoever waits does not hold up others.
        world.sdk("alice").await;
        controller.tell(&ControlMessage::ApiSessionsAdded(ApiSessionsAdded {
            sessions: ApiSessions {
                sessions: vec![ApiSession {
                    token: uuid.to_owned().into(),
                    fingerprints: vec![bob.fingerprint.clone()],
                    id: "legacy".to_owned(),
                    identity_id: "bob".to_owned(),
                }],
                ..ApiSessions::default()
            },
            ..ApiSessionsAdded::default()
        }));
    };
    let (early, ()) = tokio::join!(early, session);
    early.unwrap();
}

#[tokio::test]
async fn session_that_nobody_knows_is_refused_when_the_time_is_over() {
    let limits = EdgeLimits {
        login_time: Duration::from_millis(200),
        ..EdgeLimits::default()
    };
    let world = World::with(limits);
    let alice = world.network.identity("alice");
    let refused = enter(world.address, &world.network, &alice, Some("eyJ")).await;
    assert!(reason(refused).1.contains("no authority"));
    world.connect(&["alice"]).await;
    world.model_has_arrived().await;
    let refused = enter(world.address, &world.network, &alice, Some("unknown")).await;
    assert!(reason(refused).1.contains("not known"));
}

#[tokio::test]
async fn hello_that_never_comes_ends_the_connection() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let alice = world.network.identity("alice");
    let mut stream = connect(world.address, &world.network, Some(&alice), &[])
        .await
        .unwrap();
    let reading = timeout(Duration::from_secs(10), stream.read_u8());
    reading.await.unwrap().unwrap_err();
}

#[tokio::test]
async fn number_of_channels_is_limited() {
    let limits = EdgeLimits {
        channels_per_identity: 1,
        ..EdgeLimits::default()
    };
    let world = World::with(limits);
    world.connect(&["alice", "bob"]).await;
    let alice = world.network.identity("alice");
    let token = world.network.access_token("alice", &alice, 1000);
    let first = enter(world.address, &world.network, &alice, Some(&token)).await;
    let _first = first.unwrap();
    let refused = enter(world.address, &world.network, &alice, Some(&token)).await;
    assert_eq!(reason(refused).0, RejectClass::Busy);
    world.sdk("bob").await;
}

/// Defect 2 of the original, over sockets.
#[tokio::test]
async fn connections_of_a_channel_are_of_one_certificate_and_session() {
    let (world, _controller) = World::connected(&["alice", "mallory"]).await;
    let alice = world.network.identity("alice");
    let token = world.network.access_token("alice", &alice, 1000);
    let dial = async |pair, token: &str, grouping| {
        let stream = connect(world.address, &world.network, Some(pair), &[])
            .await
            .unwrap();
        greet(stream, Some(token), grouping).await
    };
    let first = dial(&alice, &token, first_of_group()).await.unwrap();
    let (id, secret) = (
        first.answer.group.clone().unwrap(),
        first.answer.secret.clone().unwrap(),
    );
    let _first = Sdk::open(first);
    let second = dial(&alice, &token, further(id.clone(), secret.clone())).await;
    let _second = second.unwrap();
    assert_eq!(world.edge.clients(), 1, "both are one channel");
    let mut more = Vec::new();
    // The channel takes so many.
    for _ in 2..16 {
        more.push(
            dial(&alice, &token, further(id.clone(), secret.clone()))
                .await
                .unwrap(),
        );
    }
    let refused = dial(&alice, &token, further(id.clone(), secret.clone())).await;
    let Err(DialError::Rejected(refused)) = refused else {
        panic!("it is let in, and has no place: {refused:?}");
    };
    assert_eq!(refused.class, RejectClass::Busy);

    let wrong = GroupSecret::new([7; 16]);
    let refused = dial(&alice, &token, further(id.clone(), wrong)).await;
    assert!(
        matches!(refused, Err(DialError::Rejected(_))),
        "{refused:?}"
    );
    // Known to somebody else, id and secret are worth nothing.
    let mallory = world.network.identity("mallory");
    let own = world.network.access_token("mallory", &mallory, 1000);
    for (pair, token) in [(&mallory, &token), (&mallory, &own)] {
        let refused = dial(pair, token, further(id.clone(), secret.clone())).await;
        assert!(
            matches!(refused, Err(DialError::Rejected(_) | DialError::Closed)),
            "{refused:?}"
        );
    }
    assert_eq!(world.edge.clients(), 1);
}

#[tokio::test]
async fn router_that_starts_without_controllers_knows_whom_to_let_in() {
    let (world, _controller) = World::connected(&["alice"]).await;
    world.sdk("alice").await;
    let world = world.restart().await;
    world.sdk("alice").await;
}
