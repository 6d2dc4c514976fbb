//! Recorded exchanges: what the clients of this network have met so far.

use std::path::PathBuf;

use const_oid::db::rfc5280::ID_KP_CLIENT_AUTH;
use der::Decode as _;
use serde_json::Value;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, SubjectKeyIdentifier,
};

use crate::support::Network;

/// Finds a recording beside the workspace, or says that there is none.
fn recording(name: &str) -> Option<Value> {
    let found = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|folder| folder.join("../shared/golden").join(name))
        .find(|path| path.exists());
    let Some(path) = found else {
        println!("skipped: the recording {name} is not here");
        return None;
    };
    Some(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
}

#[test]
fn identity_certificate_is_as_recorded() {
    let Some(recording) = recording("enroll-ott.json") else {
        return;
    };
    let steps = recording["steps"].as_array().unwrap();
    let leaves: Vec<&Value> = steps
        .iter()
        .map(|step| &step["response"]["decoded"]["/data/cert"]["leaf"])
        .collect();
    let leaf = leaves.into_iter().find(|leaf| leaf.is_object()).unwrap();

    let issued = Network::new(70).identity();
    let seconds = issued.not_after().as_second() - issued.not_before().as_second();
    assert_eq!(leaf["validity_seconds"], seconds);

    let parsed = x509_cert::Certificate::from_der(issued.as_der()).unwrap();
    let body = parsed.tbs_certificate();
    let has_subject_key = body
        .get_extension::<SubjectKeyIdentifier>()
        .unwrap()
        .is_some();
    let has_authority_key = body
        .get_extension::<AuthorityKeyIdentifier>()
        .unwrap()
        .is_some();
    assert_eq!(leaf["subject_key_id"], has_subject_key);
    assert_eq!(leaf["authority_key_id"], has_authority_key);
    let constraints = body.get_extension::<BasicConstraints>().unwrap();
    assert_eq!(leaf["basic_constraints"].is_null(), constraints.is_none());

    let usage = body.get_extension::<KeyUsage>().unwrap().unwrap().1;
    let usages = [
        (usage.digital_signature(), "digital_signature"),
        (usage.key_encipherment(), "key_encipherment"),
        (usage.data_encipherment(), "data_encipherment"),
        (usage.key_agreement(), "key_agreement"),
        (usage.non_repudiation(), "content_commitment"),
    ];
    let usages: Vec<_> = usages
        .into_iter()
        .filter_map(|(set, name)| set.then_some(name))
        .collect();
    assert_eq!(leaf["key_usage"], serde_json::json!(usages));

    assert_eq!(
        leaf["extended_key_usage"],
        serde_json::json!(["clientAuth"])
    );
    let purposes = body.get_extension::<ExtendedKeyUsage>().unwrap().unwrap().1;
    assert_eq!(purposes.0, [ID_KP_CLIENT_AUTH]);
    assert_eq!(
        leaf["san"].as_array().unwrap().len(),
        issued.uri_names().count()
    );
}

#[test]
fn claims_are_as_recorded() {
    use portcullis_pki::EnrollmentClaims;
    for (name, pointer, claims) in [
        (
            "enroll-ott.json",
            "/data/enrollment/ott/jwt",
            EnrollmentClaims::enrollment("i", "s", "ott", "t", crate::support::now(), vec![]),
        ),
        (
            "root-and-version.json",
            "/data/0/token",
            EnrollmentClaims::network("i/", "id"),
        ),
    ] {
        let Some(recording) = recording(name) else {
            return;
        };
        let steps = recording["steps"].as_array().unwrap();
        let recorded: Vec<&Value> = steps
            .iter()
            .map(|step| &step["response"]["decoded"][pointer]["claims"])
            .collect();
        let recorded = recorded
            .into_iter()
            .find(|claims| claims.is_object())
            .unwrap();
        let ours = serde_json::to_value(&claims).unwrap();
        let members = |value: &Value| {
            value
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(members(&ours), members(recorded));
        for member in ["aud", "em"] {
            assert_eq!(ours[member], recorded[member], "{member}");
        }
        assert_eq!(ours["ctrls"].is_null(), recorded["ctrls"].is_null());
    }
}
