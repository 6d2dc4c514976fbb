//! How refusals look on the wire.

use portcullis_channel::Message;
use portcullis_router::edge::Refusal;
use portcullis_wire::control::refusal::Refusal as ControllerRefusal;
use portcullis_wire::edge::{ConnectionId, EdgeMessage};
use portcullis_wire::{ErrorCode, RetryHint};

fn closed(refusal: Refusal) -> portcullis_wire::edge::StateClosed {
    refusal.into_state_closed(ConnectionId(5))
}

/// Each code, with the hint that it has and the text of the message.
#[test]
fn every_code_has_its_hint_and_its_json() {
    let table = [
        (ErrorCode::Internal, 0),
        (ErrorCode::InvalidApiSession, 2),
        (ErrorCode::InvalidSession, 2),
        (ErrorCode::WrongSessionType, 2),
        (ErrorCode::InvalidEdgeRouterForSession, 2),
        (ErrorCode::InvalidService, 3),
        (ErrorCode::TunnelingNotEnabled, 3),
        (ErrorCode::InvalidTerminator, 3),
        (ErrorCode::InvalidPrecedence, 3),
        (ErrorCode::InvalidCost, 3),
        (ErrorCode::EncryptionDataMissing, 2),
        (ErrorCode::InvalidApiSessionType, 0),
        (ErrorCode::InvalidInstanceId, 3),
        (ErrorCode::AccessDenied, 0),
        (ErrorCode::PostureCheckFailed, 0),
    ];
    for (number, (code, hint)) in (1..).zip(table) {
        assert_eq!(code.code(), number);
        let message = closed(Refusal::new(code, "why"));
        assert_eq!(message.code, Some(code));
        let json = format!(r#"{{"message":"why","code":{number},"retryHint":{hint}}}"#);
        assert_eq!(message.structured_error, Some(json));
        let body = if code == ErrorCode::InvalidSession {
            "Invalid Session"
        } else {
            "why"
        };
        assert_eq!(message.reason, body, "the C SDK looks for this text only");
    }
}

#[test]
fn denial_is_the_recorded_one() {
    let refusal = Refusal::new(ErrorCode::AccessDenied, "no");
    let message = EdgeMessage::StateClosed(closed(refusal)).encode().unwrap();
    let Message { headers, body, .. } = message;
    let all: Vec<_> = headers.iter().map(|(key, value)| (key.0, value)).collect();
    assert_eq!(
        all,
        [
            (1000, &[5, 0, 0, 0][..]),
            (1014, &[14, 0, 0, 0][..]),
            (1033, br#"{"message":"no","code":14,"retryHint":0}"#),
        ]
    );
    assert_eq!(&body[..], b"no");
}

#[test]
fn failing_posture_checks_are_named() {
    let checks = vec!["check-1".to_owned(), "check-2".to_owned()];
    let json = closed(Refusal::posture(checks)).structured_error;
    assert_eq!(
        json.as_deref(),
        Some(
            r#"{"message":"posture checks failed","code":15,"retryHint":0,"failingPostureCheckIds":["check-1","check-2"]}"#
        )
    );
}

#[test]
fn text_alone_has_neither_code_nor_json() {
    let message = closed(Refusal::text("service not found"));
    assert_eq!(message.code, None);
    assert_eq!(message.structured_error, None);
    assert_eq!(message.reason, "service not found");
}

#[test]
fn refusals_of_controllers_are_passed_on() {
    let refusal = ControllerRefusal {
        reason: "encryption required".to_owned(),
        code: Some(ErrorCode::EncryptionDataMissing),
        retry_hint: Some(RetryHint::StartOver),
        circuit_id: None,
    };
    assert_eq!(
        Refusal::from(refusal),
        Refusal::new(ErrorCode::EncryptionDataMissing, "encryption required")
    );
    let unnamed = Refusal::from(ControllerRefusal::default());
    assert_eq!(unnamed.code(), Some(ErrorCode::Internal));
}
