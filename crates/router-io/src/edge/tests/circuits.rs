//! Dialing and hosting through one router.

use std::time::Duration;

use portcullis_channel::{ContentType, HeaderKey, Headers, Message, Priority};
use portcullis_simulated_sdk::{
    bind, carry, data, dial_through, dial_v2, next_data, reader, receive_all, send_all, writer,
};
use portcullis_wire::ErrorCode;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::session::SessionsRemoved;
use portcullis_wire::control::terminator::{TerminatorToValidate, ValidateTerminators};
use portcullis_wire::edge::{
    Connect, ConnectV2, ConnectionId, DataFlags, DialFailed, EdgeMessage, StateClosed,
};
use portcullis_wire::xgress::Payload;
use portcullis_xgress::{Endpoint, Options, Side};
use tokio::time::timeout;

use super::network::{ENCRYPTED, SERVICE};
use super::world::World;

/// Bytes that circuits carry.
const TOTAL: usize = 3_000_000;

#[tokio::test]
async fn circuits_that_end_in_the_router_carry_everything_both_ways() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    let mut host = world.host("bob", false).await;
    assert_eq!(controller.terminators().len(), 1);
    let mut client = world.sdk("alice").await;
    let dial = dial_v2(1, SERVICE, false);
    let (dial, connected) = dial_through(&client, &mut host, dial).await;
    let connected = connected.unwrap();
    assert_eq!(connected.circuit_id, dial.circuit_id);
    assert_eq!(dial.dialer_identity_id.as_deref(), Some("alice"));
    assert_eq!(dial.dialer_identity_name.as_deref(), Some("alice's name"));
    let served = dial.new_connection.unwrap();

    let (client_id, forth) = (
        ConnectionId(1),
        send_all(&client, ConnectionId(1), 1, TOTAL),
    );
    let (forth, received) = tokio::join!(forth, receive_all(&mut host));
    assert_eq!(forth, received);
    // The other direction goes on after the end of this one.
    let (back, received) =
        tokio::join!(send_all(&host, served, 2, TOTAL), receive_all(&mut client));
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
    let mut host = world.host("bob", false).await;
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
    let (dial, connected) = dial_through(&client, &mut host, connect("Dial")).await;
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

#[tokio::test]
async fn circuits_that_end_in_sdks_pass_through() {
    let (world, controller) = World::connected(&["alice", "bob"]).await;
    let mut host = world.host("bob", true).await;
    let mut client = world.sdk("alice").await;
    let (dial, connected) = dial_through(&client, &mut host, dial_v2(1, SERVICE, true)).await;
    let connected = connected.unwrap();
    assert!(connected.uses_xgress && dial.uses_xgress);
    assert_eq!(connected.controller_id.as_deref(), Some("instance-1"));
    assert!(connected.xgress_address.is_some());

    let clock = world.clock.of_channels();
    let circuit = connected.circuit_id.unwrap();
    let options = std::sync::Arc::new(Options::default());
    let end = |side| Endpoint::new(side, circuit.clone(), options.clone(), clock.now());
    let (mut near, mut far) = (end(Side::Initiator), end(Side::Terminator));
    let sending = carry(&mut client, &mut near, &clock, writer(TOTAL));
    let reading = carry(&mut host, &mut far, &clock, reader(TOTAL));
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

    let mut host = world.host("bob", true).await;
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
    let _host = world.host("bob", true).await;
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
    let mut host = world.host("bob", false).await;
    let stalled = world.sdk("alice").await;
    let (dial, connected) = dial_through(&stalled, &mut host, dial_v2(1, SERVICE, false)).await;
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
    let token = world.network.service_token("bob", SERVICE, "Bind");
    let bind = bind(&token, "another listener", false);
    second_host.asks(EdgeMessage::Bind(bind)).await;
    second_host
        .finds(|message, _| matches!(message, EdgeMessage::BindSuccess(_)).then_some(()))
        .await;
    drop(host);
    let (dial, connected) =
        dial_through(&other, &mut second_host, dial_v2(1, SERVICE, false)).await;
    connected.unwrap();
    let served = dial.new_connection.unwrap();
    let (back, received) = tokio::join!(
        send_all(&second_host, served, 3, 1_000_000),
        receive_all(&mut other)
    );
    assert_eq!(back, received);
    drop(stalled);
}
