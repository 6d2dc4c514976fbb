//! Secrets are written where they belong and shown nowhere else.

use portcullis_api::authenticate::Authenticate;
use portcullis_api::enroll::{GenericEnroll, OttEnrollmentRequest};
use portcullis_api::envelope::Envelope;
use portcullis_api::identity::PendingEnrollment;
use portcullis_api::network_jwt::NetworkJwt;
use portcullis_api::time::WireTime;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::EnrollmentId;
use serde::Serialize;
use std::fmt::Debug;

const SECRET: &str = "opensesame";

fn check(value: &(impl Serialize + Debug)) {
    let shown = format!("{value:?} {value:#?}");
    assert!(!shown.contains(SECRET), "{shown}");
    let written = portcullis_api::json::to_bytes(value);
    assert!(
        String::from_utf8(written).unwrap().contains(SECRET),
        "{shown}"
    );
}

#[test]
fn secrets_are_written_but_not_shown() {
    check(&Envelope::new(NetworkJwt::default_network(SECRET.into())));
    check(&Authenticate::password("ann", SECRET.into()));
    check(&GenericEnroll {
        password: Some(SECRET.into()),
        ..GenericEnroll::default()
    });
    check(&OttEnrollmentRequest {
        token: Some(SECRET.into()),
        client_csr: None,
    });
    check(&PendingEnrollment {
        ca: None,
        ca_id: None,
        expires_at: WireTime(Timestamp::UNIX_EPOCH),
        id: EnrollmentId::from_wire("e"),
        jwt: Some(SECRET.into()),
        token: Some(SECRET.into()),
    });
}
