//! Recorded messages between SDK and router.

use crate::support::{one, own_headers, recorded};
use bytes::Bytes;
use portcullis_channel::{ContentType, HeaderKey, Headers, Message, Priority};
use portcullis_wire::ErrorCode;
use portcullis_wire::Precedence;
use portcullis_wire::Timestamp;
use portcullis_wire::Token;
use portcullis_wire::capability::{Capabilities, RouterCapability};
use portcullis_wire::edge::{
    Bind, BindSuccess, CircuitClosed, Connect, ConnectV2, ConnectionId, ConnectionInspectRequest,
    ConnectionInspectResponse, ConnectionKind, Data, DataFlags, Dial, DialSuccess, EdgeMessage,
    InspectRequest, PolicyState, Posture, PostureResponse, PostureResponses, PostureStateChange,
    RouterHello, SdkHello, ServiceIdentifier, ServiceSubscription, StateClosed, StateConnected,
    TotpToken, TraceRoute, Unbind, UpdateBind,
};

const PROTOCOL: &str = "data plane";
/// The first one that a router chooses.
const OF_ROUTER: ConnectionId = ConnectionId(1 << 31);

fn token(text: &str) -> Token {
    Token::new(text.to_owned())
}

#[test]
fn recorded_messages_of_the_edge_are_written_as_they_were_recorded() {
    let mut known = 0;
    for (name, frame) in recorded(PROTOCOL) {
        let recorded = frame.into_message();
        let decoded = EdgeMessage::decode(&recorded).unwrap();
        if matches!(decoded, EdgeMessage::Unknown(_)) {
            assert!(recorded.content_type.0 < 1000, "{name}");
            continue;
        }
        known += 1;
        let written = decoded.encode().unwrap();
        assert_eq!(written.content_type, recorded.content_type, "{name}");
        assert_eq!(written.body, recorded.body, "{name}");
        assert_eq!(
            own_headers(&written.headers),
            own_headers(&recorded.headers),
            "{name}"
        );
    }
    assert_eq!(known, 27);
}

const FIRST: ConnectionId = ConnectionId(1);

#[test]
fn connections() {
    let connect = ConnectV2 {
        connection: ConnectionId(7),
        service: "svc1".to_owned(),
        service_identifier: Some(ServiceIdentifier::Id),
        caller_id: Some("a".to_owned()),
        uses_xgress: true,
        ..ConnectV2::default()
    };
    let dialed = DialSuccess {
        connection: FIRST,
        new_connection: OF_ROUTER,
        ..DialSuccess::default()
    };
    let data = Data {
        connection: OF_ROUTER,
        flags: DataFlags::MULTIPART,
        data: Bytes::from_static(b"hi").into(),
        ..Data::default()
    };
    let fin = Data {
        connection: FIRST,
        flags: DataFlags::FIN,
        ..Data::default()
    };
    let ended = CircuitClosed {
        circuit_id: "1ZZJRJsTH6dXbnLAIJOCdo".to_owned(),
    };
    let trace = TraceRoute {
        connection: OF_ROUTER,
        hops: 1,
        time_millis: 1_795_266_048_736,
        source_request: Some(12),
    };
    check([
        ("ConnectV2", EdgeMessage::ConnectV2(connect)),
        ("DialSuccess", EdgeMessage::DialSuccess(dialed)),
        ("Data hi", EdgeMessage::Data(data)),
        ("Data FIN", EdgeMessage::Data(fin)),
        ("XgClose", EdgeMessage::CircuitClosed(ended)),
        ("TraceRoute", EdgeMessage::TraceRoute(trace)),
    ]);
}

#[test]
fn states_that_are_closed() {
    let by_sdk = StateClosed {
        connection: Some(OF_ROUTER),
        sequence: Some(1),
        ..StateClosed::default()
    };
    let unrouted = StateClosed {
        connection: Some(FIRST),
        reason: "xgress unrouted".to_owned(),
        ..StateClosed::default()
    };
    let denied = StateClosed {
        connection: Some(ConnectionId(5)),
        reason: "no".to_owned(),
        code: Some(ErrorCode::AccessDenied),
        structured_error: Some(r#"{"message":"no","code":14,"retryHint":0}"#.to_owned()),
        ..StateClosed::default()
    };
    check([
        ("StateClosed from Go SDK", EdgeMessage::StateClosed(by_sdk)),
        ("StateClosed \"xgress", EdgeMessage::StateClosed(unrouted)),
        ("denial code 14", EdgeMessage::StateClosed(denied)),
    ]);
}

#[test]
fn hosts() {
    let connected = StateConnected {
        connection: FIRST,
        router_provides_connections: true,
        ..StateConnected::default()
    };
    let inspect = ConnectionInspectRequest { connection: FIRST };
    let bound = BindSuccess { connection: FIRST };
    let unbind = Unbind {
        session_token: token("tok"),
        connection: ConnectionId(3),
        sequence: None,
    };
    let update = UpdateBind {
        session_token: token("tok"),
        connection: ConnectionId(2),
        cost: Some(7),
        precedence: Some(Precedence::Required),
        sequence: None,
    };
    check([
        (
            "StateConnected for Bind",
            EdgeMessage::StateConnected(connected),
        ),
        (
            "ConnInspectRequest",
            EdgeMessage::ConnectionInspectRequest(inspect),
        ),
        ("BindSuccess", EdgeMessage::BindSuccess(bound)),
        ("Unbind", EdgeMessage::Unbind(unbind)),
        ("UpdateBind", EdgeMessage::UpdateBind(update)),
    ]);
}

#[test]
fn sessions() {
    let inspect = InspectRequest {
        connection: None,
        names: vec!["circuits".to_owned(), "context".to_owned()],
    };
    let subscription = ServiceSubscription { index: -1 };
    let posture = PostureStateChange {
        sequence: 1,
        structural_index: 38,
        time: Some(Timestamp {
            seconds: 1_795_266_230,
            nanos: 54_687_262,
        }),
        policies: vec![PolicyState {
            id: "LM5KoDddny4tte5HkmBZq".to_owned(),
            is_passing: true,
        }],
        ..PostureStateChange::default()
    };
    check([
        ("InspectRequest", EdgeMessage::InspectRequest(inspect)),
        (
            "Subscribe index",
            EdgeMessage::ServiceSubscription(subscription),
        ),
        (
            "PostureStateChange",
            EdgeMessage::PostureStateChange(posture),
        ),
        ("UpdateTokenSuccess", EdgeMessage::UpdateTokenSuccess),
    ]);
}

/// Holds recorded messages against what they say.
fn check<const N: usize>(expected: [(&str, EdgeMessage); N]) {
    for (beginning, expected) in expected {
        let recorded = one(PROTOCOL, beginning);
        let decoded = EdgeMessage::decode(&recorded).unwrap();
        assert_eq!(decoded, expected, "{beginning}");
    }
}

#[test]
fn hellos() {
    let recorded = one(PROTOCOL, "hello, legacy token");
    let hello = SdkHello::from_headers(&recorded.headers);
    let uuid = "23a9db0a-9ad1-4290-8952-8fa88f086ce1";
    assert_eq!(hello.api_session_token, Some(token(uuid)));
    assert_eq!(hello.to_headers(), recorded.headers);
    let nothing = SdkHello::from_headers(&Headers::empty());
    assert_eq!(nothing, SdkHello::default());
    assert_eq!(nothing.to_headers(), Headers::empty());

    let recorded = one(PROTOCOL, "hello result, ungrouped");
    let answer = RouterHello::from_headers(&recorded.headers);
    assert_eq!(answer.capabilities.mask(), 0x4000_0000_0000_0076);
    assert_eq!(answer.version.as_ref().unwrap().version, "v0.0.0");
    let written = own_headers(&answer.to_headers());
    let mut recorded = own_headers(&recorded.headers);
    recorded.retain(|key, _| ![0, 2, 8].contains(key));
    assert_eq!(written, recorded);
}

#[test]
fn a_router_without_a_mask_tells_its_capabilities_one_by_one() {
    let headers = Headers::builder()
        .bool(HeaderKey(1024), true)
        .bool(HeaderKey(1032), false)
        .build();
    let answer = RouterHello::from_headers(&headers);
    let expected = RouterHello {
        version: None,
        capabilities: Capabilities::of([RouterCapability::BindSuccess]),
    };
    assert_eq!(answer, expected);
}

#[test]
fn what_was_not_recorded_comes_back() {
    let connect = Connect {
        session_token: token("ey1"),
        connection: ConnectionId(1),
        public_key: Some(Bytes::from_static(&[7; 32])),
        crypto_method: Some(Bytes::from_static(b"libsodium")),
        app_data: Some(Bytes::from_static(b"{}").into()),
        ..Connect::default()
    };
    let bind = Bind {
        session_token: token("ey2"),
        connection: ConnectionId(2),
        instance_id: Some("a".to_owned()),
        instance_secret: Some(Bytes::from_static(b"hush").into()),
        precedence: Some(Precedence::Failed),
        ..Bind::default()
    };
    let dial = Dial {
        connection: ConnectionId(2),
        session_token: token("ey2"),
        new_connection: Some(OF_ROUTER),
        ..Dial::default()
    };
    let inspected = ConnectionInspectResponse {
        connection: ConnectionId(2),
        kind: ConnectionKind::Bind,
        detail: String::new(),
    };
    let totp = TotpToken {
        token: token("ey3"),
        code: token("123456"),
    };
    let posture = PostureResponses {
        responses: vec![PostureResponse {
            posture: Some(Posture::TotpToken(Box::new(totp))),
        }],
    };
    for message in [
        EdgeMessage::Connect(connect),
        EdgeMessage::Bind(bind),
        EdgeMessage::Dial(dial),
        EdgeMessage::ConnectionInspectResponse(inspected),
        EdgeMessage::PostureResponses(posture),
    ] {
        let written = message.encode().unwrap();
        assert_eq!(EdgeMessage::decode(&written).unwrap(), message);
        let shown = format!("{message:?}");
        for secret in ["ey1", "ey2", "ey3", "123456", "hush"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}

#[test]
fn the_id_of_a_new_connection_is_32_bits() {
    let recorded = one(PROTOCOL, "DialSuccess");
    for body in [&b""[..], b"\0\0\0", b"\0\0\0\x80\0"] {
        let refused = EdgeMessage::decode(&recorded.clone().with_body(body)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "DialSuccess: the body (new_connection) is not a 32-bit number"
        );
    }
}

#[test]
fn connections_are_needed_where_there_is_nothing_without_them() {
    for content_type in [60783, 60786, 60790, 60806] {
        let message = Message::new(ContentType(content_type));
        let refused = EdgeMessage::decode(&message).unwrap_err().to_string();
        assert!(
            refused.ends_with(": header 1000 (connection) is missing or unreadable"),
            "{refused}"
        );
    }
    let closed = EdgeMessage::decode(&Message::new(ContentType(60785))).unwrap();
    assert_eq!(closed, EdgeMessage::StateClosed(StateClosed::default()));
}

#[test]
fn what_keeps_its_order_with_data_is_sent_like_data() {
    for (beginning, priority) in [
        ("Data hi", Priority::Default),
        ("StateConnected for Bind", Priority::Default),
        ("StateClosed from Go SDK", Priority::Default),
        ("payload seq 3", Priority::Default),
        ("ConnectV2", Priority::High),
        ("XgClose", Priority::High),
    ] {
        let message = EdgeMessage::decode(&one(PROTOCOL, beginning)).unwrap();
        assert_eq!(message.priority(), priority, "{beginning}");
    }
}
