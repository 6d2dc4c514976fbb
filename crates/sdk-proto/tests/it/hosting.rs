//! Binds, and dials of others.

use crate::support::{SERVICE_JWT, Sdk, bind, data, header, modern, old, pair, token};
use bytes::Bytes;
use portcullis_channel::{Headers, Message};
use portcullis_sdk_proto::{
    AnswerError, BindEnd, BindError, BindId, BindRequest, CloseReason, EdgeEvent, EdgeOptions,
    Offer, Retry,
};
use portcullis_wire::edge::{
    Bind, BindSuccess, ConnectionId, ConnectionInspectRequest, ConnectionKind, Data, Dial,
    DialSuccess, EdgeMessage, HealthEvent, StateClosed, StateConnected, Unbind, UpdateBind,
};
use portcullis_wire::{ErrorCode, Precedence, Secret};
use std::sync::Arc;
use std::time::Duration;

const CHILD: ConnectionId = ConnectionId(1 << 31);

fn bound(sdk: &mut Sdk, request: BindRequest) -> BindId {
    let id = sdk.channel.bind(request, sdk.now).unwrap();
    sdk.says_one();
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection: id.0,
        router_provides_connections: true,
        ..StateConnected::default()
    }));
    let connection = id.0;
    sdk.hears(&EdgeMessage::BindSuccess(BindSuccess { connection }));
    assert_eq!(sdk.event(), EdgeEvent::Bound(id));
    id
}

fn offer_to(bind: BindId) -> Dial {
    Dial {
        connection: bind.0,
        session_token: token(SERVICE_JWT),
        new_connection: Some(CHILD),
        circuit_id: Some("abc".to_owned()),
        caller_id: Some(String::new()),
        app_data: Some(Secret::new(Bytes::from_static(b"{}"))),
        dialer_identity_id: Some("id1".to_owned()),
        dialer_identity_name: Some("alice".to_owned()),
        ..Dial::default()
    }
}

fn declined(sdk: &mut Sdk) -> String {
    match sdk.says_one() {
        EdgeMessage::DialFailed(failed) => failed.reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bind_says_what_is_hosted_and_waits_for_the_controller() {
    let mut sdk = Sdk::new(modern());
    let request = BindRequest {
        instance_id: Some("second".to_owned()),
        cost: Some(7),
        precedence: Some(Precedence::Required),
        keys: Some(Arc::new(pair(2))),
        ..bind()
    };
    let id = sdk.channel.bind(request, sdk.now).unwrap();
    let expected = Bind {
        session_token: token(SERVICE_JWT),
        connection: id.0,
        listener_id: Some(Bytes::from_static(b"listener")),
        router_provides_connections: true,
        supports_inspect: true,
        supports_bind_success: true,
        uses_xgress: true,
        public_key: Some(Bytes::copy_from_slice(pair(2).public_key().as_bytes())),
        crypto_method: Some(Bytes::from_static(&[0])),
        cost: Some(7),
        precedence: Some(Precedence::Required),
        instance_id: Some("second".to_owned()),
        ..Bind::default()
    };
    assert_eq!(sdk.says_one(), EdgeMessage::Bind(expected));
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection: id.0,
        ..StateConnected::default()
    }));
    assert_eq!(sdk.events(), []);
    sdk.passes(Duration::from_secs(25));
    assert!(
        !sdk.events().contains(&EdgeEvent::Bound(id)),
        "it takes its time"
    );
    sdk.says();
    sdk.hears(&EdgeMessage::BindSuccess(BindSuccess { connection: id.0 }));
    sdk.hears(&EdgeMessage::BindSuccess(BindSuccess { connection: id.0 }));
    assert_eq!(sdk.event(), EdgeEvent::Bound(id), "once");
}

#[test]
fn a_router_that_does_not_confirm_is_taken_at_its_answer() {
    let mut sdk = Sdk::new(old());
    let id = sdk.channel.bind(bind(), sdk.now).unwrap();
    let EdgeMessage::Bind(said) = sdk.says_one() else {
        panic!("not a Bind");
    };
    assert!(!said.supports_bind_success && !said.uses_xgress);
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection: id.0,
        ..StateConnected::default()
    }));
    assert_eq!(sdk.event(), EdgeEvent::Bound(id));
}

#[test]
fn binds_end_by_refusal_and_by_time() {
    let mut sdk = Sdk::new(modern());
    let id = bound(&mut sdk, bind());
    sdk.hears(&EdgeMessage::StateClosed(StateClosed {
        connection: Some(id.0),
        reason: "bind access lost".to_owned(),
        code: Some(ErrorCode::AccessDenied),
        structured_error: Some(r#"{"code":14,"retryHint":2}"#.to_owned()),
        ..StateClosed::default()
    }));
    let EdgeEvent::BindEnded {
        bind: ended,
        why: BindEnd::Refused(refusal),
        was_bound: true,
    } = sdk.event()
    else {
        panic!("not refused");
    };
    assert_eq!((ended, refusal.retry), (id, Retry::NewSession));

    let id = sdk.channel.bind(bind(), sdk.now).unwrap();
    sdk.says_one();
    sdk.passes(EdgeOptions::default().bind_timeout);
    let ended = EdgeEvent::BindEnded {
        bind: id,
        why: BindEnd::TimedOut,
        was_bound: false,
    };
    assert_eq!(sdk.event(), ended);
    let unbind = Unbind {
        session_token: token(SERVICE_JWT),
        connection: id.0,
        sequence: None,
    };
    assert_eq!(sdk.says_one(), EdgeMessage::Unbind(unbind));
    assert_eq!(sdk.channel.binds(), 0);
}

#[test]
fn a_bind_is_changed_and_ended() {
    let mut sdk = Sdk::new(modern());
    let id = bound(&mut sdk, bind());
    let precedence = Some(Precedence::Failed);
    sdk.channel.update_bind(id, Some(3), precedence).unwrap();
    assert_eq!(
        sdk.says_one(),
        EdgeMessage::UpdateBind(UpdateBind {
            session_token: token(SERVICE_JWT),
            connection: id.0,
            cost: Some(3),
            precedence,
            sequence: None,
        })
    );
    sdk.channel.report_health(id, true).unwrap();
    assert_eq!(
        sdk.says_one(),
        EdgeMessage::HealthEvent(HealthEvent {
            session_token: token(SERVICE_JWT),
            connection: id.0,
            has_passed: true,
            sequence: None,
        })
    );
    sdk.channel.unbind(id).unwrap();
    assert!(matches!(sdk.says_one(), EdgeMessage::Unbind(_)));
    assert_eq!(sdk.channel.unbind(id), Err(BindError::NotBound));
    assert_eq!(
        sdk.channel.report_health(id, true),
        Err(BindError::NotBound)
    );
    sdk.hears(&EdgeMessage::Dial(offer_to(id)));
    assert_eq!(declined(&mut sdk), "no listener for the connection id");
    assert_eq!(sdk.events(), []);
}

#[test]
fn an_offer_is_taken() {
    for uses_xgress in [false, true] {
        let mut sdk = Sdk::new(modern());
        let id = bound(&mut sdk, bind());
        sdk.hears(&EdgeMessage::Dial(Dial {
            uses_xgress,
            ..offer_to(id)
        }));
        let offer = Offer {
            connection: CHILD,
            bind: id,
            circuit_id: Some("abc".to_owned()),
            caller_id: None,
            identity_id: Some("id1".to_owned()),
            identity_name: Some("alice".to_owned()),
            app_data: Some(Secret::new(Bytes::from_static(b"{}"))),
            marker: None,
            is_encrypted: false,
        };
        assert_eq!(sdk.event(), EdgeEvent::Offered(Box::new(offer)));
        sdk.channel.accept(CHILD, &header(0), sdk.now).unwrap();
        let success = DialSuccess {
            connection: id.0,
            new_connection: CHILD,
            ..DialSuccess::default()
        };
        assert_eq!(sdk.says_one(), EdgeMessage::DialSuccess(success));
        let again = sdk.channel.accept(CHILD, &header(0), sdk.now);
        assert_eq!(again, Err(AnswerError));
        sdk.writes(CHILD, "hello");
        let said = sdk.says();
        if uses_xgress {
            assert_eq!(said, [], "the other end has not begun");
        } else {
            assert!(matches!(said[..], [EdgeMessage::Data(_)]), "{said:?}");
        }
    }
}

#[test]
fn an_offer_is_refused() {
    let mut sdk = Sdk::new(modern());
    let id = bound(&mut sdk, bind());
    sdk.hears(&EdgeMessage::Dial(offer_to(id)));
    sdk.events();
    sdk.channel.refuse(CHILD, "closed on Sundays").unwrap();
    let reason = "rejected by application: closed on Sundays";
    assert_eq!(declined(&mut sdk), reason);
    assert_eq!(sdk.channel.connections(), 0);
}

#[test]
fn an_offer_that_nobody_answers_is_over() {
    let mut sdk = Sdk::new(modern());
    let id = bound(&mut sdk, bind());
    sdk.hears(&EdgeMessage::Dial(offer_to(id)));
    sdk.events();
    sdk.passes(EdgeOptions::default().offer_timeout);
    assert_eq!(sdk.event(), EdgeEvent::OfferEnded(CHILD));
    assert_eq!(declined(&mut sdk), "the host has not answered in time");
    // The owner has forgotten it.
    sdk.hears(&EdgeMessage::Dial(offer_to(id)));
    sdk.channel.close(CHILD, sdk.now);
    assert_eq!(sdk.events(), []);
    assert_eq!(declined(&mut sdk), "rejected by application: given up");
    // The router does not wait any more.
    sdk.hears(&EdgeMessage::Dial(offer_to(id)));
    sdk.events();
    sdk.hears(&EdgeMessage::StateClosed(StateClosed {
        connection: Some(CHILD),
        ..StateClosed::default()
    }));
    assert_eq!(sdk.event(), EdgeEvent::OfferEnded(CHILD));
    // The listener has ended.
    sdk.hears(&EdgeMessage::Dial(offer_to(id)));
    sdk.events();
    sdk.channel.unbind(id).unwrap();
    assert_eq!(sdk.event(), EdgeEvent::OfferEnded(CHILD));
    assert!(matches!(
        sdk.says()[..],
        [EdgeMessage::DialFailed(_), EdgeMessage::Unbind(_)]
    ));
}

#[test]
fn offers_that_cannot_be_right_are_declined() {
    let mut sdk = Sdk::new(modern());
    let id = bound(&mut sdk, bind());
    let of_another_session = Dial {
        session_token: token("another"),
        ..offer_to(id)
    };
    let with_number_of_ours = Dial {
        new_connection: Some(ConnectionId(7)),
        ..offer_to(id)
    };
    for wrong in [of_another_session, with_number_of_ours] {
        sdk.hears(&EdgeMessage::Dial(wrong));
        assert_ne!(declined(&mut sdk), "");
        assert_eq!(sdk.events(), []);
    }
    sdk.hears(&EdgeMessage::Dial(offer_to(id)));
    sdk.events();
    sdk.hears(&EdgeMessage::Dial(offer_to(id)));
    assert_eq!(declined(&mut sdk), "the connection id is already in use");
    let message = EdgeMessage::Dial(offer_to(id)).encode().unwrap();
    let unreadable = Message::new(message.content_type)
        .with_headers(message.headers)
        .with_body(vec![0xff]);
    sdk.hears_raw(unreadable);
    assert_eq!(declined(&mut sdk), "the dial cannot be read");
    sdk.hears_raw(Message::new(message.content_type).with_headers(Headers::empty()));
    assert_eq!((sdk.says(), sdk.events()), (vec![], vec![]));
    assert_eq!(sdk.channel.counters().malformed, 2);
}

#[test]
fn a_host_that_chooses_the_number_waits_until_the_router_knows_it() {
    let mut sdk = Sdk::new(modern());
    let id = bound(&mut sdk, bind());
    sdk.hears(&EdgeMessage::Dial(Dial {
        new_connection: None,
        ..offer_to(id)
    }));
    let EdgeEvent::Offered(offer) = sdk.event() else {
        panic!("no offer");
    };
    let child = offer.connection;
    sdk.channel.accept(child, &header(0), sdk.now).unwrap();
    sdk.writes(child, "hello");
    assert!(matches!(sdk.says_one(), EdgeMessage::DialSuccess(_)));
    sdk.hears(&EdgeMessage::StateConnected(StateConnected {
        connection: child,
        ..StateConnected::default()
    }));
    assert!(matches!(sdk.says_one(), EdgeMessage::Data(_)));
}

#[test]
fn connections_outlive_their_bind() {
    let mut sdk = Sdk::new(modern());
    let id = bound(&mut sdk, bind());
    sdk.hears(&EdgeMessage::Dial(offer_to(id)));
    sdk.events();
    sdk.channel.accept(CHILD, &header(0), sdk.now).unwrap();
    sdk.channel.unbind(id).unwrap();
    sdk.says();
    sdk.hears(&EdgeMessage::Data(Data {
        connection: CHILD,
        data: Secret::new(Bytes::from_static(b"still here")),
        ..Data::default()
    }));
    assert_eq!(sdk.event(), EdgeEvent::Readable(CHILD));
    sdk.hears(&EdgeMessage::StateClosed(StateClosed {
        connection: Some(CHILD),
        reason: "session closed".to_owned(),
        ..StateClosed::default()
    }));
    let EdgeEvent::Closed {
        why: CloseReason::Router(why),
        ..
    } = sdk.event()
    else {
        panic!("not closed");
    };
    assert_eq!(why.reason, "session closed");
    assert_eq!(sdk.reads(CHILD), Some(data("still here")));
    let read = sdk.channel.read(CHILD, sdk.now);
    assert!(read.is_err(), "it was cut off: {read:?}");
}

#[test]
fn the_router_learns_what_a_number_is() {
    let mut sdk = Sdk::new(modern());
    let id = bound(&mut sdk, bind());
    let dialed = sdk.connects(false);
    for (connection, kind) in [
        (id.0, ConnectionKind::Bind),
        (dialed, ConnectionKind::Dial),
        (ConnectionId(99), ConnectionKind::Invalid),
    ] {
        let request = ConnectionInspectRequest { connection };
        sdk.hears(&EdgeMessage::ConnectionInspectRequest(request));
        let EdgeMessage::ConnectionInspectResponse(response) = sdk.says_one() else {
            panic!("not a response");
        };
        assert_eq!((response.connection, response.kind), (connection, kind));
    }
}
