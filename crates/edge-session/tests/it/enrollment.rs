//! Enrollment, and identity files.

use crate::network::{Network, within};
use portcullis_edge_session::{
    EdgeIdentity, EdgeSession, EnrollError, IdentityFile, KeyType, LoginProtocol, enroll,
};
use serde_json::{Value, json};
use std::fs;

#[tokio::test]
async fn enrolled_identity_logs_in_by_its_file() {
    let network = Network::start().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("laptop.json");
    network.enroll("laptop").await.write(&path).unwrap();
    let identity = EdgeIdentity::read(&path).unwrap();
    assert_eq!(identity.controllers.len(), 1);
    let options = network.options(LoginProtocol::default());
    let session = EdgeSession::start(identity, options).unwrap();
    within(session.opened()).await.unwrap();

    // The same file as `ziti edge enroll` would leave it with `--cert-out` and the like, and with several controllers.
    let mut file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        file["ztAPI"],
        json!(format!("{}/edge/client/v1", network.controller.url))
    );
    for (member, prefix) in [("key", "file://"), ("cert", ""), ("ca", "file://")] {
        let pem = file["id"][member]
            .as_str()
            .unwrap()
            .strip_prefix("pem:")
            .unwrap()
            .to_owned();
        let part = folder.path().join(format!("{member}.pem"));
        fs::write(&part, pem).unwrap();
        file["id"][member] = format!("{prefix}{}", part.display()).into();
    }
    file["ztAPIs"] = json!([file["ztAPI"]]);
    fs::write(&path, file.to_string()).unwrap();
    let options = network.options(LoginProtocol::Legacy);
    let session = EdgeSession::start(EdgeIdentity::read(&path).unwrap(), options).unwrap();
    within(session.opened()).await.unwrap();
}

#[tokio::test]
async fn token_is_good_for_one_enrollment_of_its_method() {
    let network = Network::start().await;
    let enroll = |token: String| {
        let env = network.env();
        async move { within(enroll(&token, KeyType::P256, &env)).await }
    };
    let token = network.token("laptop").await;
    enroll(token.clone()).await.unwrap();
    let again = enroll(token).await.unwrap_err();
    assert!(matches!(again, EnrollError::Request(_)), "{again}");
    let nonsense = enroll("nonsense".to_owned()).await.unwrap_err();
    assert_eq!(nonsense.to_string(), "this is not an enrollment token");

    let body = json!({"name": "anne", "isAdmin": false, "enrollment": {"updb": "anne"}});
    let id = network.create("identities", &body).await;
    let anne = network.get(&format!("identities/{id}")).await;
    let token = anne["enrollment"]["updb"]["jwt"]
        .as_str()
        .unwrap()
        .to_owned();
    let other = enroll(token).await.unwrap_err();
    assert!(
        matches!(&other, EnrollError::Method(method) if method == "updb"),
        "{other}"
    );
}

#[test]
fn wrong_files_are_named_with_the_member() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("laptop.json");
    for (text, member) in [
        (r#"{"ztAPI": "ctrl test"}"#, "`id`"),
        (r#"{"id": {"key": 7}}"#, "`id.key`"),
        (r#"{"id": {"ca": "pem:x", "cert": "pem:x"}}"#, "`id.key`"),
    ] {
        fs::write(&path, text).unwrap();
        let error = EdgeIdentity::read(&path).unwrap_err().to_string();
        assert!(
            error.starts_with(member) && error.contains("laptop.json"),
            "{error}"
        );
    }
    let missing = folder.path().join("other.json");
    let error = IdentityFile::read(&missing).unwrap_err().to_string();
    assert!(error.ends_with("other.json cannot be read"), "{error}");
}
