use super::*;
use crate::tables::dispatch::KINDS;
use crate::tables::{ChangeSide, collection_of, disclosed_entity};
use portcullis_domain::authenticator::{Authenticator, Credential, PasswordHash, UpdbCredential};
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{AuthenticatorId, IdentityId, RecordNumber, ServiceId};
use portcullis_domain::managed::Managed;
use portcullis_domain::service::ServiceSpec;
use proptest::prelude::*;
use serde_json::{Map, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn created<E>(entity: E) -> EntityChange<E> {
    EntityChange {
        owner: None,
        number: RecordNumber(1),
        before: None,
        entity: Some(Arc::new(entity)),
    }
}

/// All that is told of an entity.
fn value(told: &DisclosedEntity) -> Value {
    let members = told.names().map(|name| {
        let mut value = Vec::new();
        assert!(told.write(name, &mut value));
        (name.to_owned(), serde_json::from_slice(&value).unwrap())
    });
    Value::Object(members.collect())
}

fn told(change: &Change, side: ChangeSide) -> Option<Value> {
    disclosed_entity(change, side).map(|entity| value(&entity))
}

fn time() -> Timestamp {
    "2026-11-22T23:11:09.5Z".parse().unwrap()
}

#[test]
fn service_has_the_names_of_the_api() {
    let spec: ServiceSpec = serde_json::from_value(json!({
        "name": "svc1", "role_attributes": ["a"], "configs": ["c"], "encryption_required": true,
        "tags": {"Site_A": "snake_case"},
    }))
    .unwrap();
    let service = Managed::new(ServiceId::from_wire("s"), spec, time()).unwrap();
    let change = Change::Service(created(service));
    assert_eq!(collection_of(&change), Some("services"));
    assert_eq!(told(&change, ChangeSide::Before), None);
    assert_eq!(
        told(&change, ChangeSide::After).unwrap(),
        json!({
            "id": "s", "createdAt": "2026-11-22T23:11:09.5Z", "updatedAt": "2026-11-22T23:11:09.5Z",
            "name": "svc1", "roleAttributes": ["a"], "configs": ["c"], "encryptionRequired": true,
            "terminatorStrategy": "smartrouting", "maxIdleTimeMillis": 0,
            "tags": {"Site_A": "snake_case"},
        })
    );
}

#[test]
fn authenticator_names_its_owner_and_no_hash() {
    let hash = PasswordHash {
        memory: 1,
        passes: 1,
        lanes: 1,
        salt: "SECRET".to_owned(),
        hash: "SECRET".to_owned(),
    };
    let authenticator = Authenticator::new(
        AuthenticatorId::from_wire("a"),
        IdentityId::from_wire("i"),
        Credential::Updb(UpdbCredential::new("anna", hash)),
        time(),
    );
    let told = told(
        &Change::Authenticator(created(authenticator)),
        ChangeSide::After,
    );
    let told = told.unwrap();
    assert_eq!(
        (&told["identityId"], &told["username"]),
        (&json!("i"), &json!("anna"))
    );
    assert!(!told.to_string().contains("SECRET"), "{told}");
}

#[derive(Serialize)]
enum Check {
    #[serde(rename = "PROCESS_MULTI")]
    Processes {
        semantic: &'static str,
        processes: Vec<CheckedProcess>,
    },
    #[serde(rename = "OS")]
    Systems(Vec<(&'static str, Option<u8>)>),
    #[serde(rename = "DOMAIN")]
    Pair(&'static str, bool),
    #[serde(rename = "MFA")]
    Factor,
}

#[derive(Serialize)]
struct CheckedProcess {
    os_type: &'static str,
    signers: [&'static str; 1],
}

#[test]
fn enums_and_lists_are_told_with_the_names_of_the_api() {
    let process = CheckedProcess {
        os_type: "Linux",
        signers: ["f"],
    };
    for (check, expected) in [
        (
            Check::Processes {
                semantic: "AllOf",
                processes: vec![process],
            },
            json!({
                "processes": [{"osType": "Linux", "signerFingerprints": ["f"]}],
                "semantic": "AllOf",
            }),
        ),
        (
            Check::Systems(vec![("Linux", Some(1)), ("macOS", None)]),
            json!({"operatingSystems": [["Linux", 1], ["macOS", null]]}),
        ),
        (
            Check::Pair("example.test", true),
            json!({"domains": ["example.test", true]}),
        ),
        (Check::Factor, json!({"check": "MFA"})),
    ] {
        let record = BTreeMap::from([("spec", BTreeMap::from([("check", check)]))]);
        let told = disclose(kind::POSTURE_CHECK, &record);
        // A tree is told as what it is made of.
        let tree = serde_json::to_value(&record).unwrap();
        assert!(told == disclose(kind::POSTURE_CHECK, &tree), "{expected}");
        let mut told = value(&told);
        assert_eq!(
            told.as_object_mut().unwrap().remove("tags"),
            Some(json!({}))
        );
        assert_eq!(told, expected);
    }
}

#[test]
fn times_are_told_as_the_api_has_them() {
    let expiry = json!({"expires_at": 1, "expires_at_millisecond": 25, "created_at": 1500});
    let revocation = json!({"expires_at": 1001, "issued_before": u64::MAX});
    for (kind, record, expected) in [
        (
            kind::ENROLLMENT,
            json!({ "enrollment": expiry.clone() }),
            [
                ("expiresAt", json!("1970-01-01T00:00:01.025Z")),
                ("createdAt", json!("1970-01-01T00:00:01.5Z")),
            ],
        ),
        (
            kind::ENROLLMENT,
            expiry,
            [
                ("expiresAt", json!("1970-01-01T00:00:01.025Z")),
                ("createdAt", json!("1970-01-01T00:00:01.5Z")),
            ],
        ),
        (
            kind::REVOCATION,
            revocation,
            [
                ("expiresAt", json!("1970-01-01T00:00:01.001Z")),
                ("issuedBefore", json!(u64::MAX)),
            ],
        ),
    ] {
        let told = value(&disclose(kind, &record));
        for (name, expected) in expected {
            assert_eq!(told[name], expected, "{name}");
        }
    }
}

/// Sets a value at a path within nested objects.
fn set(object: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            object.insert(path.to_owned(), value);
        },
        Some((first, rest)) => {
            let inner = object.entry(first).or_insert_with(|| json!({}));
            if !inner.is_object() {
                *inner = json!({});
            }
            set(inner.as_object_mut().unwrap(), rest, value);
        },
    }
}

/// A secret, in any of the forms that records have them in.
fn secret() -> impl Strategy<Value = Value> {
    prop_oneof![
        "SECRET[a-z]{1,8}".prop_map(Value::from),
        Just(json!({"hash": "SECRET", "deeper": {"key": "SECRET"}})),
        Just(json!(["SECRET", {"key": "SECRET"}])),
    ]
}

proptest! {
    /// Whatever else a record of any kind has, and whether or not it lies in its wrapper.
    #[test]
    fn no_secret_of_any_kind_is_told(
        kind in 0..KINDS.len(),
        secret in secret(),
        others in proptest::collection::btree_map("[a-z_]{1,12}", "[a-z]{0,8}", 0..8),
        is_wrapped: bool,
    ) {
        let kind = KINDS[kind];
        let schema = audit_schema(kind).unwrap();
        let mut record: Map<String, Value> = Map::new();
        for (name, value) in &others {
            record.insert(name.clone(), value.as_str().into());
        }
        let untold = UNTOLD.iter().filter(|(of, _)| *of == kind).map(|(_, path)| *path);
        for path in schema.secret.iter().copied().chain(untold) {
            set(&mut record, path, secret.clone());
        }
        if is_wrapped {
            let inner = std::mem::take(&mut record);
            record.insert(schema.wrapper.to_owned(), Value::Object(inner));
        }
        let told = value(&disclose(kind, &record));
        prop_assert!(!told.to_string().contains("SECRET"), "{told}");
    }
}

/// The members that hold secrets in records, so that a new kind or member is not forgotten.
#[test]
fn known_secrets_are_untold() {
    let secrets = [
        (kind::AUTHENTICATOR, "credential.updb.password"),
        (kind::ENROLLMENT, "token"),
        (kind::ENROLLMENT, "jwt"),
        (kind::ENROLLMENT, "token_hash"),
        (kind::API_SESSION, "token_hash"),
        (kind::API_SESSION, "token"),
        (kind::API_SESSION, "oidc.refresh_tokens"),
        (kind::SESSION_CERTIFICATE, "session"),
        (kind::SESSION, "api_session_token"),
        (kind::MFA, "secret"),
        (kind::MFA, "recovery_codes"),
        (kind::MFA, "progress.verified.spent"),
        (kind::TERMINATOR, "instance_secret"),
        (kind::TERMINATOR, "host.access_token"),
        (kind::CA, "verification_token"),
    ];
    for (kind, path) in secrets {
        let mut record = Map::new();
        set(&mut record, path, "SECRET".into());
        let told = value(&disclose(kind, &record));
        assert!(!told.to_string().contains("SECRET"), "{path}: {told}");
    }
}
