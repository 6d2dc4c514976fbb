//! What several tests need.

use crate::{KnownTerminator, Router};
use portcullis_channel::Message;
use portcullis_domain::ids::{IdentityId, RouterId, ServiceId, TerminatorId};
use portcullis_wire::control::inspection::{InspectResponse, InspectedValue};
use portcullis_wire::management::ManagementMessage;

pub(crate) fn router(id: &str, name: &str) -> Router {
    Router {
        id: RouterId::from_wire(id),
        name: name.to_owned(),
        tells_circuits: true,
    }
}

pub(crate) fn r1() -> Router {
    router("06xiZ.HqH", "r1")
}

pub(crate) fn r2() -> Router {
    router("Pomig.x1H", "r2")
}

pub(crate) fn answer<const N: usize>(values: [(&str, impl Into<String>); N]) -> InspectResponse {
    let values = values.map(|(name, value)| InspectedValue {
        name: name.to_owned(),
        value: value.into().into(),
    });
    InspectResponse {
        is_success: true,
        errors: Vec::new(),
        values: values.into(),
    }
}

pub(crate) fn refusal(errors: &[&str]) -> InspectResponse {
    InspectResponse {
        is_success: false,
        errors: errors.iter().map(|&error| error.to_owned()).collect(),
        values: Vec::new(),
    }
}

/// A terminator of router r2.
pub(crate) fn terminator(id: &str, binding: &str) -> KnownTerminator {
    KnownTerminator {
        id: TerminatorId::from_wire(id),
        service: ServiceId::from_wire("5KvbpQ6bEoPNWp20a6CRpt"),
        service_name: "svc2".to_owned(),
        router: r2().id,
        router_name: r2().name,
        binding: binding.to_owned(),
        address: id.to_owned(),
        host: Some(IdentityId::from_wire("Pomig.x1H")),
        created_at: "2026-11-22T23:01:32.75Z".parse().unwrap(),
    }
}

/// Content type and body of the recorded frames whose name begins like this, with the frames of clients.
pub(crate) fn recorded(beginning: &str) -> Vec<(i32, Vec<u8>)> {
    let text = include_str!("../../channel/tests/corpus/frames.txt");
    let mut is_meant = false;
    let mut frames = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("# ") {
            let name = name.strip_prefix("management: ");
            is_meant = name.is_some_and(|name| name.starts_with(beginning));
        } else if is_meant {
            frames.push(content_type_and_body(&bytes(line)));
        }
    }
    frames
}

/// Asserts that a message is written as it was recorded.
#[track_caller]
pub(crate) fn assert_recorded(message: &ManagementMessage, beginning: &str) {
    let written = content_type_and_body_of(message);
    let frames = recorded(beginning);
    assert!(
        frames.contains(&written),
        "{message:?}\nis written as {written:02x?}\ninstead of {frames:02x?}"
    );
}

pub(crate) fn content_type_and_body_of(message: &ManagementMessage) -> (i32, Vec<u8>) {
    let Message {
        content_type, body, ..
    } = message.encode().unwrap();
    (content_type.0, body.to_vec())
}

fn content_type_and_body(frame: &[u8]) -> (i32, Vec<u8>) {
    let number = |at: usize| i32::from_le_bytes(frame[at..at + 4].try_into().unwrap());
    let headers = usize::try_from(number(12)).unwrap();
    (number(4), frame[20 + headers..].to_vec())
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<_> = hex
        .chars()
        .map(|digit| digit.to_digit(16).unwrap())
        .collect();
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap())
        .collect()
}
