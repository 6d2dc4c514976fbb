//! Compatibility with records of earlier versions.

use crate::support::{Store, identity, store};
use portcullis_domain::enrollment::{EnrollmentMethod, EnrollmentPurpose};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{CaId, RecordNumber};
use portcullis_storage::engine::{Engine as _, StoreError, submit_with};
use portcullis_storage::frame;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::*;

const IDENTITY_ROW: &str = r#"{"id":"i","created_at":0,"updated_at":0,
    "spec":{"name":"laptop","hosting":{"default_precedence":"required","default_cost":9}},
    "attached":{"authenticators":1,"totp":"none"}}"#;

/// Stores a raw record without secondary rows.
fn put(store: &Store, key: RecordKey, body: &str) {
    let body = body.as_bytes().to_vec();
    submit_with(store, move |tx| {
        tx.put(key.as_bytes(), &frame::encode(key.as_bytes(), &body));
        Ok::<_, StoreError>(())
    })
    .unwrap()
    .wait()
    .unwrap()
    .unwrap();
}

fn get<E: Entity>(store: &Store, key: &RecordKey) -> E {
    let snapshot = store.snapshot().unwrap();
    Rows::new(&*snapshot).get(key).unwrap().unwrap()
}

#[test]
fn identities_that_could_name_no_service_name_none() {
    let store = store();
    let key = identity_key(RecordNumber(1));
    put(&store, key, IDENTITY_ROW);
    let read: Identity = get(&store, &key);
    assert_eq!((read.name(), read.spec.hosting.default_cost), ("laptop", 9));
    assert_eq!(read.references(), []);
}

#[test]
fn enrollments_of_identities_keep_their_purpose() {
    let of = |method: &str| {
        format!(
            r#"{{"enrollment":{{"id":"e","created_at":0,"updated_at":0,"identity":"i",
            "method":{method},"expires_at":100}},"token":"sealed","jwt":"sealed",
            "token_hash":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}}"#
        )
    };
    let ca = CaId::from_wire("ca");
    let username = "me".to_owned();
    let methods = [
        (r#""ott""#, EnrollmentMethod::Ott, vec![]),
        (
            r#"{"ottca":{"ca":"ca"}}"#,
            EnrollmentMethod::OttCa { ca: ca.clone() },
            vec![reference(&ca)],
        ),
        (
            r#"{"updb":{"username":"me"}}"#,
            EnrollmentMethod::Updb { username },
            vec![],
        ),
    ];
    let store = store();
    let key = identity_key(RecordNumber(1)).dependent(ENROLLMENT, 1);
    for (written, method, references) in methods {
        put(&store, key, &of(written));
        let read: StoredEnrollment = get(&store, &key);
        let identity = identity("i", "laptop").id;
        let purpose = EnrollmentPurpose::Identity { identity, method };
        assert_eq!(read.enrollment.purpose, purpose);
        assert_eq!(read.references(), references);
    }
}
