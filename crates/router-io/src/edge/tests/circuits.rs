//! Dialing and hosting through one router.

use std::time::Duration;

use bytes::Bytes;
use portcullis_channel::{ContentType, HeaderKey, Headers, Message, Priority};
use portcullis_seeded_random::Random;
use portcullis_wire::ErrorCode;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::session::SessionsRemoved;
use portcullis_wire::control::terminator::{TerminatorToValidate, ValidateTerminators};
use portcullis_wire::edge::{
    Connect, ConnectV2, ConnectionId, Data, DataFlags, Dial, DialFailed, DialSuccess, EdgeMessage,
    StateClosed, StateConnected,
};
use portcullis_wire::xgress::Payload;
use portcullis_xgress::{Endpoint, Options, Received, Segment, Side};
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

use super::network::{ENCRYPTED, SERVICE};
use super::sdk::{Sdk, bind, data, dial_v2};
use super::world::World;

/// Bytes that circuits carry.
const TOTAL: usize = 3_000_000;

/// Takes the connection that is offered next.
async fn takes(host: &mut Sdk) -> Dial {
    let (dial, request) = host
        .finds(|message, request| match message {
            EdgeMessage::Dial(dial) => Some((dial.clone(), request.clone())),
            _ => None,
        })
        .await;
    let success = EdgeMessage::DialSuccess(DialSuccess {
        connection: dial.connection,
        new_connection: dial.new_connection.unwrap(),
        ..DialSuccess::default()
    });
    host.replies(&request, &success);
    dial
}

/// Dials, while the host takes what is offered.
async fn dialed(
    client: &Sdk,
    host: &mut Sdk,
    dial: EdgeMessage,
) -> (Dial, Result<StateConnected, StateClosed>) {
    tokio::join!(takes(host), client.dials(dial))
}

async fn next_data(sdk: &mut Sdk) -> Data {
    sdk.finds(|message, _| match message {
        EdgeMessage::Data(data) => Some(data.clone()),
        _ => None,
    })
    .await
}

/// Sends data of many sizes, and finishes with its digest.
async fn sends(sdk: &Sdk, connection: ConnectionId, seed: u64, total: usize) -> Vec<u8> {
    let mut random = Random::from_seed(seed);
    let mut digest = Sha256::new();
    let mut sent = 0;
    while sent < total {
        let length = usize::try_from(random.below(100_000)).unwrap();
        let mut bytes = vec![0; length];
        bytes.fill_with(|| u8::try_from(random.below(256)).unwrap());
        digest.update(&bytes);
        sent += length;
        sdk.says(data(connection, bytes, DataFlags::default()))
            .await;
    }
    sdk.says(data(connection, Bytes::new(), DataFlags::FIN))
        .await;
    digest.finalize().to_vec()
}

/// The digest of all data until its end.
async fn receives(sdk: &mut Sdk) -> Vec<u8> {
    let mut digest = Sha256::new();
    loop {
        let data = next_data(sdk).await;
        digest.update(data.data.expose());
        if data.flags.contains(DataFlags::FIN) {
            return digest.finalize().to_vec();
        }
    }
}

#[tokio::test]
async fn circuits_that_end_in_the_router_carry_everything_both_ways() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", false).await;
    assert_eq!(controller.terminators().len(), 1);
    let mut client = world.sdk("alice").await;
    let dial = dial_v2(1, SERVICE, false);
    let (dial, connected) = dialed(&client, &mut host, dial).await;
    let connected = connected.unwrap();
    assert_eq!(connected.circuit_id, dial.circuit_id);
    assert_eq!(dial.dialer_identity_id.as_deref(), Some("alice"));
    assert_eq!(dial.dialer_identity_name.as_deref(), Some("alice's name"));
    let served = dial.new_connection.unwrap();

    let (client_id, forth) = (ConnectionId(1), sends(&client, ConnectionId(1), 1, TOTAL));
    let (forth, received) = tokio::join!(forth, receives(&mut host));
    assert_eq!(forth, received);
    // The other direction goes on after the end of this one.
    let (back, received) = tokio::join!(sends(&host, served, 2, TOTAL), receives(&mut client));
    assert_eq!(back, received);

    client
        .says(EdgeMessage::StateClosed(StateClosed {
            connection: Some(client_id),
            ..StateClosed::default()
        }))
        .await;
    let closed = host.finds(|message, _| match message {
        EdgeMessage::StateClosed(closed) => Some(closed.clone()),
        _ => None,
    });
    let closed = closed.await;
    assert_eq!(closed.connection, Some(served));
    let fault = controller.heard(|message| match message {
        ControlMessage::Fault(fault) => Some(fault.id.clone()),
        _ => None,
    });
    assert_eq!(Some(fault.await), connected.circuit_id);
}

/// C SDKs have a session for each service.
#[tokio::test]
async fn session_for_a_service_dials_as_well() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", false).await;
    let client = world.sdk("alice").await;
    let connect = |grant| {
        EdgeMessage::Connect(Connect {
            connection: ConnectionId(0),
            session_token: world.network.service_token("alice", SERVICE, grant).into(),
            ..Connect::default()
        })
    };
    let refused = client.dials(connect("Bind")).await.unwrap_err();
    assert_eq!(refused.code, Some(ErrorCode::WrongSessionType));
    let (dial, connected) = dialed(&client, &mut host, connect("Dial")).await;
    connected.unwrap();
    client
        .says(data(ConnectionId(0), "hi", DataFlags::default()))
        .await;
    let received = next_data(&mut host).await;
    assert_eq!(received.data.expose(), "hi");
    assert_eq!(Some(received.connection), dial.new_connection);

    // Its controller ends the session that the circuit was dialed with.
    controller.tell(&ControlMessage::SessionsRemoved(SessionsRemoved {
        ids: vec![format!("alice Dial {SERVICE}")],
        ..SessionsRemoved::default()
    }));
    let closed = host.finds(|message, _| match message {
        EdgeMessage::StateClosed(closed) => Some(closed.clone()),
        _ => None,
    });
    assert_eq!(closed.await.connection, dial.new_connection);
    let refused = client.dials(connect("Dial")).await.unwrap_err();
    assert_eq!(refused.reason, "Invalid Session", "C SDKs look for that");
}

/// An SDK that is an end of a circuit, between its endpoint and the router.
async fn carries(
    sdk: &mut Sdk,
    endpoint: &mut Endpoint,
    clock: &portcullis_transport::Clock,
    mut done: impl FnMut(&mut Endpoint, portcullis_channel::Now) -> bool,
) {
    loop {
        let now = clock.now();
        let is_done = done(endpoint, now);
        while let Some(acknowledgement) = endpoint.poll_acknowledgement() {
            sdk.says(EdgeMessage::Acknowledgement(acknowledgement))
                .await;
        }
        while let Some(payload) = endpoint.poll_payload(now) {
            sdk.says(EdgeMessage::Payload(payload)).await;
        }
        if is_done {
            return;
        }
        let wait = endpoint
            .poll_timeout()
            .map_or(Duration::from_secs(20), |(at, _)| {
                at.since(clock.now().mono)
            });
        match timeout(wait, sdk.hears()).await {
            Ok(message) => match message.expect("the channel is open").0 {
                EdgeMessage::Payload(payload) => {
                    assert!(payload.connection.is_some(), "SDKs find it by that");
                    endpoint.handle_payload(payload, clock.now());
                },
                EdgeMessage::Acknowledgement(acknowledgement) => {
                    endpoint.handle_acknowledgement(&acknowledgement, clock.now());
                },
                other => panic!("{other:?}"),
            },
            Err(_elapsed) => endpoint.handle_timeout(clock.now()),
        }
    }
}

/// Writes segments and their digest.
fn writer(total: usize) -> impl FnMut(&mut Endpoint, portcullis_channel::Now) -> bool {
    let mut written = 0;
    let mut is_finished = false;
    move |endpoint, now| {
        while written < total && endpoint.is_writable() {
            let byte = u8::try_from(written / 1000 % 251).unwrap();
            endpoint
                .write(Segment::from(vec![byte; 1000]), now)
                .unwrap();
            written += 1000;
        }
        if written >= total && !is_finished {
            endpoint.finish(now);
            is_finished = true;
        }
        is_finished && endpoint.poll_timeout().is_none()
    }
}

fn reader(total: usize) -> impl FnMut(&mut Endpoint, portcullis_channel::Now) -> bool {
    let mut read = 0;
    move |endpoint, now| {
        while let Some(received) = endpoint.read(now) {
            let Received::Segment(segment) = received else {
                assert_eq!(read, total);
                return true;
            };
            let bytes = segment.data.expose();
            if bytes.is_empty() {
                continue;
            }
            let byte = u8::try_from(read / 1000 % 251).unwrap();
            assert_eq!(bytes, &vec![byte; 1000]);
            read += bytes.len();
        }
        false
    }
}

#[tokio::test]
async fn circuits_that_end_in_sdks_pass_through() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", true).await;
    let mut client = world.sdk("alice").await;
    let (dial, connected) = dialed(&client, &mut host, dial_v2(1, SERVICE, true)).await;
    let connected = connected.unwrap();
    assert!(connected.uses_xgress && dial.uses_xgress);
    assert_eq!(connected.controller_id.as_deref(), Some("instance-1"));
    assert!(connected.xgress_address.is_some());

    let clock = world.clock.of_channels();
    let circuit = connected.circuit_id.unwrap();
    let options = std::sync::Arc::new(Options::default());
    let end = |side| Endpoint::new(side, circuit.clone(), options.clone(), clock.now());
    let (mut near, mut far) = (end(Side::Initiator), end(Side::Terminator));
    let sending = carries(&mut client, &mut near, &clock, writer(TOTAL));
    let reading = carries(&mut host, &mut far, &clock, reader(TOTAL));
    tokio::pin!(sending);
    // The sender waits for acknowledgements longer than the reader reads.
    tokio::select! {
        () = reading => {},
        () = &mut sending => {},
    }

    let closed = EdgeMessage::CircuitClosed(portcullis_wire::edge::CircuitClosed {
        circuit_id: circuit.clone(),
    });
    host.says(closed).await;
    controller
        .heard(|message| {
            matches!(message, ControlMessage::Fault(fault) if fault.id == circuit).then_some(())
        })
        .await;
}

#[tokio::test]
async fn frames_of_the_recorded_behaviour_have_their_answers() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let mut sdk = world.sdk("alice").await;
    let id = |builder: portcullis_channel::headers::HeadersBuilder| {
        builder.u32(HeaderKey(1000), 9).build()
    };
    let message = |number, headers, body: &'static str| {
        Message::new(ContentType(number))
            .with_headers(headers)
            .with_body(body)
    };
    let closed = |answer| match answer {
        EdgeMessage::StateClosed(closed) => (closed.code.map(ErrorCode::code), closed.reason),
        other => panic!("{other:?}"),
    };
    let connect = |headers, body| message(60783, headers, body);
    let numbered = || id(Headers::builder());
    for (sent, code, text) in [
        (
            connect(Headers::empty(), "xxx"),
            None,
            "connId not set, required",
        ),
        (connect(numbered(), "xxx"), Some(6), ""),
        (connect(numbered(), "eyJ.e30.x"), Some(3), "Invalid Session"),
        (
            message(60806, numbered(), ""),
            None,
            "service header not set, required",
        ),
        (message(60790, numbered(), "garbage"), None, ""),
        (message(60791, numbered(), "garbage"), None, ""),
    ] {
        let answer = sdk.asks_raw(Priority::High, sent).await;
        let (found, reason) = closed(answer);
        assert_eq!(found, code, "{reason}");
        assert!(reason.contains(text), "{reason}");
    }
    for (service, by_name, code) in [("unknown", false, 14), ("unknown", true, 6)] {
        let dial = ConnectV2 {
            service_identifier: by_name.then_some(portcullis_wire::edge::ServiceIdentifier::Name),
            ..match dial_v2(1, service, true) {
                EdgeMessage::ConnectV2(dial) => dial,
                other => panic!("{other:?}"),
            }
        };
        let refused = sdk.dials(EdgeMessage::ConnectV2(dial)).await.unwrap_err();
        assert_eq!(refused.code.map(ErrorCode::code), Some(code));
    }
    let refused = sdk.dials(dial_v2(1, ENCRYPTED, true)).await.unwrap_err();
    assert_eq!(refused.code, Some(ErrorCode::EncryptionDataMissing));

    // Nothing answers what leads nowhere.
    sdk.says(data(ConnectionId(99), "x", DataFlags::default()))
        .await;
    let payload = Payload {
        circuit_id: "unknown".to_owned(),
        ..Payload::default()
    };
    sdk.says(EdgeMessage::Payload(payload)).await;
    for number in [12_345, 1, 5] {
        let unknown = message(number, Headers::empty(), "");
        sdk.channel.send(Priority::Default, unknown).unwrap();
    }
    assert!(sdk.hears_nothing().await);
    let nameless = message(1101, Headers::empty(), "");
    sdk.channel.send(Priority::Default, nameless).unwrap();
    let (answer, _) = sdk.hears().await.unwrap();
    assert_eq!(closed(answer).1, "xgress closed");
}

#[tokio::test]
async fn host_may_decline_and_be_gone() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    let client = world.sdk("alice").await;
    let refused = client.dials(dial_v2(1, SERVICE, true)).await.unwrap_err();
    assert_eq!(refused.code, Some(ErrorCode::Internal));
    assert!(
        refused.reason.contains("no terminators"),
        "{}",
        refused.reason
    );

    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", true).await;
    let declines = async {
        let (dial, request) = host
            .finds(|message, request| match message {
                EdgeMessage::Dial(dial) => Some((dial.clone(), request.clone())),
                _ => None,
            })
            .await;
        let failed = EdgeMessage::DialFailed(DialFailed {
            connection: dial.connection,
            reason: "rejected by application".to_owned(),
            ..DialFailed::default()
        });
        host.replies(&request, &failed);
    };
    let (refused, ()) = tokio::join!(client.dials(dial_v2(1, SERVICE, true)), declines);
    let refused = refused.unwrap_err();
    assert!(
        refused.reason.contains("rejected by application"),
        "{}",
        refused.reason
    );

    // With its channel, its terminators go.
    drop(host);
    controller
        .until(|controller| controller.terminators().is_empty())
        .await;
    let refused = client.dials(dial_v2(1, SERVICE, true)).await.unwrap_err();
    assert!(
        refused.reason.contains("no terminators"),
        "{}",
        refused.reason
    );
}

#[tokio::test]
async fn terminators_are_validated_by_their_binding() {
    let (world, controller) = World::connected(&["bob"]).await;
    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", true).await;
    let own = controller.terminators().remove(0);
    let asked = |id: &str, binding: &str| TerminatorToValidate {
        id: id.to_owned(),
        binding: binding.to_owned(),
        marker: 4,
        ..TerminatorToValidate::default()
    };
    let question = ControlMessage::ValidateTerminators(ValidateTerminators {
        terminators: vec![
            asked(&own, "edge"),
            asked("gone", "edge"),
            asked("dialed", "transport"),
            asked("tunnel", "tunnel"),
        ],
        ..ValidateTerminators::default()
    });
    let answer = controller.ask(&question).await.into_message();
    let ControlMessage::ValidatedTerminators(answer) = ControlMessage::decode(&answer).unwrap()
    else {
        panic!("{answer:?}");
    };
    let valid: Vec<_> = answer
        .states
        .iter()
        .filter(|(_, state)| state.is_valid && state.marker == 4)
        .map(|(id, _)| id.as_str())
        .collect();
    let mut expected = ["dialed", own.as_str()];
    expected.sort_unstable();
    assert_eq!(valid, expected);
    assert_eq!(answer.states.len(), 4);
}

#[tokio::test]
async fn sdk_that_reads_nothing_holds_up_no_other() {
    let (world, _controller) = World::connected(&["alice", "carol", "bob"]).await;
    let mut host = world.sdk("bob").await;
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", false).await;
    let stalled = world.sdk("alice").await;
    let (dial, connected) = dialed(&stalled, &mut host, dial_v2(1, SERVICE, false)).await;
    connected.unwrap();
    // As much as the network and the router take for a client that reads nothing.
    let flooded = dial.new_connection.unwrap();
    let mut sent = 0;
    loop {
        let chunk = data(flooded, vec![1; 50_000], DataFlags::default());
        if timeout(Duration::from_millis(500), host.says(chunk))
            .await
            .is_err()
        {
            break;
        }
        sent += 50_000;
        assert!(sent < 100_000_000, "nothing holds the host back");
    }
    // The host itself is held up by what it has sent; others are not.
    let mut other = world.sdk("carol").await;
    let mut second_host = world.sdk("bob").await;
    let bind = bind(&token, "another listener", false);
    second_host.asks(EdgeMessage::Bind(bind)).await;
    second_host
        .finds(|message, _| matches!(message, EdgeMessage::BindSuccess(_)).then_some(()))
        .await;
    drop(host);
    let (dial, connected) = dialed(&other, &mut second_host, dial_v2(1, SERVICE, false)).await;
    connected.unwrap();
    let served = dial.new_connection.unwrap();
    let (back, received) = tokio::join!(
        sends(&second_host, served, 3, 1_000_000),
        receives(&mut other)
    );
    assert_eq!(back, received);
    drop(stalled);
}
