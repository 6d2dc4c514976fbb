//! Dials, by the router's answers.

use crate::support::{JWT, SERVICE_JWT, Sdk, data, dial, modern, oidc, old, token};
use bytes::Bytes;
use portcullis_channel::hello::{GroupHello, Grouping};
use portcullis_channel::{HeaderKey, Headers, Role};
use portcullis_sdk_proto::{
    ApiSession, DialError, DialFailure, DialRequest, EdgeEvent, EdgeOptions, Read, Retry,
    ServiceReference,
};
use portcullis_wire::edge::{
    Connect, ConnectV2, ConnectionId, Data, DataFlags, EdgeMessage, ServiceIdentifier, StateClosed,
    StateConnected,
};
use portcullis_wire::xgress::PayloadFlags;
use portcullis_wire::{ErrorCode, Secret};
use std::time::Duration;

fn refused(sdk: &mut Sdk, closed: StateClosed) -> DialFailure {
    let connection = sdk.dials(dial());
    sdk.says_one();
    sdk.hears(&EdgeMessage::StateClosed(StateClosed {
        connection: Some(connection),
        ..closed
    }));
    match sdk.event() {
        EdgeEvent::DialFailed { why, .. } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_service_is_dialed_by_its_name() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.dials(DialRequest {
        service: ServiceReference::Name("printers".to_owned()),
        instance_id: Some("second".to_owned()),
        caller_id: Some("alice".to_owned()),
        app_data: Some(Secret::new(Bytes::from_static(b"{}"))),
        marker: Some("abcdefgh".to_owned()),
        stickiness_token: Some(Bytes::from_static(b"same")),
        ..dial()
    });
    assert_eq!(
        sdk.says_one(),
        EdgeMessage::ConnectV2(ConnectV2 {
            connection,
            service: "printers".to_owned(),
            service_identifier: Some(ServiceIdentifier::Name),
            instance_id: Some("second".to_owned()),
            caller_id: Some("alice".to_owned()),
            app_data: Some(Secret::new(Bytes::from_static(b"{}"))),
            connection_marker: Some("abcdefgh".to_owned()),
            stickiness_token: Some(Bytes::from_static(b"same")),
            uses_xgress: true,
            ..ConnectV2::default()
        })
    );
}

#[test]
fn an_old_router_needs_a_session_and_ends_the_circuit() {
    let mut sdk = Sdk::new(old());
    let without = sdk.channel.dial(dial(), sdk.now);
    assert_eq!(without, Err(DialError::SessionNeeded));
    let connection = sdk.dials(DialRequest {
        session: Some(token(SERVICE_JWT)),
        ..dial()
    });
    assert_eq!(
        sdk.says_one(),
        EdgeMessage::Connect(Connect {
            session_token: token(SERVICE_JWT),
            connection,
            ..Connect::default()
        })
    );
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection,
        circuit_id: Some("abc".to_owned()),
        ..StateConnected::default()
    }));
    assert!(matches!(sdk.event(), EdgeEvent::Connected(_)));
    sdk.writes(connection, "hello");
    let message = EdgeMessage::Data(Data {
        connection,
        data: Secret::new(Bytes::from_static(b"hello")),
        ..Data::default()
    });
    assert_eq!(sdk.says_one(), message);
    sdk.hears(&message);
    assert_eq!(sdk.event(), EdgeEvent::Readable(connection));
    assert_eq!(sdk.reads(connection), Some(data("hello")));
    assert_eq!(sdk.reads(connection), None);
}

#[test]
fn a_legacy_session_dials_by_sessions_for_services_at_every_router() {
    let session = ApiSession {
        token: token("f0f0f0f0-0000-4000-8000-000000000000"),
        expires_at: None,
    };
    let mut sdk = Sdk::with(&session, modern(), EdgeOptions::default());
    assert!(!sdk.channel.dials_services());
    sdk.dials(DialRequest {
        session: Some(token(SERVICE_JWT)),
        ..dial()
    });
    let EdgeMessage::Connect(connect) = sdk.says_one() else {
        panic!("not a Connect");
    };
    assert!(connect.uses_xgress);
}

#[test]
fn a_circuit_that_ends_here_begins_with_its_start() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.connects(true);
    let EdgeMessage::Payload(payload) = sdk.says_one() else {
        panic!("not a payload");
    };
    assert_eq!(payload.connection, Some(connection));
    assert_eq!(payload.circuit_id, "abc");
    assert_eq!(payload.flags, PayloadFlags::CIRCUIT_START);
}

#[test]
fn refusals_say_whether_to_try_again() {
    let mut sdk = Sdk::new(modern());
    let denied = StateClosed {
        reason: "no".to_owned(),
        code: Some(ErrorCode::AccessDenied),
        structured_error: Some(r#"{"message":"no","code":14,"retryHint":0}"#.to_owned()),
        ..StateClosed::default()
    };
    let failure = refused(&mut sdk, denied);
    assert!(!failure.is_retryable());
    let none = StateClosed {
        reason: "service has no terminators".to_owned(),
        code: Some(ErrorCode::Internal),
        circuit_id: Some("abc".to_owned()),
        ..StateClosed::default()
    };
    let DialFailure::Refused(refusal) = refused(&mut sdk, none) else {
        panic!("not refused");
    };
    assert_eq!(refusal.retry, Retry::AsUsual);
    assert_eq!(refusal.circuit_id.as_deref(), Some("abc"));
    let session = StateClosed {
        reason: "Invalid Session".to_owned(),
        ..StateClosed::default()
    };
    let DialFailure::Refused(refusal) = refused(&mut sdk, session) else {
        panic!("not refused");
    };
    assert_eq!(refusal.retry, Retry::NewSession);
    assert_eq!(sdk.channel.connections(), 0);
}

#[test]
fn a_dial_that_takes_too_long_is_taken_back_and_a_late_connection_closed() {
    for uses_xgress in [false, true] {
        let mut sdk = Sdk::new(modern());
        let connection = sdk.dials(DialRequest {
            timeout: Duration::from_secs(3),
            ..dial()
        });
        sdk.says_one();
        sdk.passes(Duration::from_millis(2_999));
        assert_eq!(sdk.events(), []);
        sdk.passes(Duration::from_millis(1));
        let failed = EdgeEvent::DialFailed {
            connection,
            why: DialFailure::TimedOut,
        };
        assert_eq!(sdk.event(), failed);
        assert!(matches!(sdk.says_one(), EdgeMessage::StateClosed(_)));
        sdk.hears(&EdgeMessage::StateConnected(StateConnected {
            connection,
            circuit_id: Some("abc".to_owned()),
            uses_xgress,
            ..StateConnected::default()
        }));
        assert_eq!(sdk.events(), []);
        match sdk.says_one() {
            EdgeMessage::CircuitClosed(closed) if uses_xgress => {
                assert_eq!(closed.circuit_id, "abc");
            },
            EdgeMessage::StateClosed(closed) if !uses_xgress => {
                assert_eq!(closed.connection, Some(connection));
            },
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_may_overtake_itself_needs_circuits_that_end_here() {
    let options = EdgeOptions {
        is_ordered: false,
        ..EdgeOptions::default()
    };
    let mut sdk = Sdk::with(&oidc(), modern(), options);
    let connection = sdk.dials(DialRequest {
        prefers_xgress: false,
        ..dial()
    });
    let EdgeMessage::ConnectV2(connect) = sdk.says_one() else {
        panic!("not a ConnectV2");
    };
    assert!(connect.uses_xgress, "whatever was preferred");
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection,
        ..StateConnected::default()
    }));
    let why = DialFailure::NotOrdered;
    assert_eq!(sdk.event(), EdgeEvent::DialFailed { connection, why });
    assert!(matches!(sdk.says_one(), EdgeMessage::StateClosed(_)));
}

#[test]
fn connections_are_limited_and_numbers_not_used_again_at_once() {
    let options = EdgeOptions {
        max_connections: 2,
        ..EdgeOptions::default()
    };
    let mut sdk = Sdk::with(&oidc(), modern(), options);
    let first = sdk.dials(dial());
    let second = sdk.dials(dial());
    assert_eq!((first, second), (ConnectionId(1), ConnectionId(2)));
    let third = sdk.channel.dial(dial(), sdk.now);
    assert_eq!(third, Err(DialError::TooMany { limit: 2 }));
    sdk.says();
    sdk.hears(&EdgeMessage::StateClosed(StateClosed {
        connection: Some(first),
        ..StateClosed::default()
    }));
    assert_eq!(sdk.dials(dial()), ConnectionId(3));
}

#[test]
fn a_dial_that_no_frame_can_hold_is_refused_here() {
    let mut sdk = Sdk::new(modern());
    let request = DialRequest {
        app_data: Some(Secret::new(vec![0; 70_000].into())),
        ..dial()
    };
    let error = sdk.channel.dial(request, sdk.now).unwrap_err();
    assert!(matches!(error, DialError::TooLong(_)), "{error}");
    assert_eq!(sdk.channel.connections(), 0);
}

#[test]
fn an_answer_that_cannot_be_read_ends_its_dial_alone() {
    let mut sdk = Sdk::new(modern());
    let other = sdk.dials(dial());
    let connection = sdk.dials(dial());
    sdk.says();
    let connected = StateConnected {
        connection: other,
        ..StateConnected::default()
    };
    let mut message = EdgeMessage::StateConnected(connected).encode().unwrap();
    message.headers = Headers::empty();
    sdk.hears_raw(message);
    assert_eq!(sdk.events(), [], "it is not known which");
    assert_eq!(sdk.channel.counters().malformed, 1);
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection,
        ..StateConnected::default()
    }));
    assert!(matches!(sdk.event(), EdgeEvent::Connected(_)));
}

#[test]
fn data_of_unknown_connections_is_passed_over() {
    let mut sdk = Sdk::new(modern());
    sdk.hears(&EdgeMessage::Data(Data {
        connection: ConnectionId(9),
        flags: DataFlags::FIN,
        ..Data::default()
    }));
    assert_eq!(sdk.channel.counters().unfounded, 1);
    assert_eq!((sdk.says(), sdk.events()), (vec![], vec![]));
}

#[test]
fn half_close_of_a_circuit_in_the_router_is_a_flag() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.connects(false);
    sdk.writes(connection, "bye");
    sdk.channel.finish(connection, sdk.now);
    let said = sdk.says();
    let flags = |message: &EdgeMessage| match message {
        EdgeMessage::Data(data) => data.flags,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        said.iter().map(flags).collect::<Vec<_>>(),
        [DataFlags::default(), DataFlags::FIN]
    );
    sdk.hears(&EdgeMessage::Data(Data {
        connection,
        flags: DataFlags::FIN,
        data: Secret::new(Bytes::from_static(b"last")),
        ..Data::default()
    }));
    assert_eq!(sdk.reads(connection), Some(data("last")));
    assert_eq!(sdk.reads(connection), Some(Read::Finished));
    sdk.channel.close(connection, sdk.now);
    assert!(matches!(sdk.says_one(), EdgeMessage::StateClosed(_)));
    assert_eq!(sdk.channel.connections(), 0);
}

#[test]
fn the_hello_shows_the_token() {
    let first = GroupHello {
        is_first: true,
        ..GroupHello::default()
    };
    let hello = oidc().hello("alice".to_owned(), Role::High, Grouping::Grouped(first));
    let token = hello.headers.string(HeaderKey(1002));
    assert_eq!(token, Some(JWT));
    assert_eq!(hello.underlay_type.as_deref(), Some("edge.control"));
}

#[test]
fn a_dial_that_is_given_up_is_taken_back_without_a_word() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.dials(dial());
    sdk.says_one();
    sdk.channel.close(connection, sdk.now);
    assert!(matches!(sdk.says_one(), EdgeMessage::StateClosed(_)));
    assert_eq!(sdk.channel.connections(), 0);
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection,
        ..StateConnected::default()
    }));
    assert!(matches!(sdk.says_one(), EdgeMessage::StateClosed(_)));
    sdk.passes(Duration::from_secs(10));
    assert_eq!(sdk.events(), []);
}

#[test]
fn a_circuit_here_needs_a_name() {
    let mut sdk = Sdk::new(modern());
    let connection = sdk.dials(dial());
    sdk.says_one();
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection,
        uses_xgress: true,
        ..StateConnected::default()
    }));
    let why = DialFailure::NoCircuit;
    assert_eq!(sdk.event(), EdgeEvent::DialFailed { connection, why });
}
