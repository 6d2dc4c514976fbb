//! Whom clients trust.

use crate::certificates::Authority;
use crate::server::{Say, Server};
use portcullis_client::{BuildError, Client, ClientError, Trust};

const VERSION: Say = Say::Answer(200, r#"{"data":{"version":"v2.1.0"},"meta":{}}"#);

/// Asks a server whose certificate, issued by `authority`, is for `host`.
async fn ask(authority: &Authority, host: &str, trust: Trust) -> Result<String, ClientError> {
    let server = Server::start(&authority.issue(host), authority, VERSION).await;
    let client = Client::builder(&server.url(), trust).build().unwrap();
    client.version().await.map(|version| version.version)
}

fn is_untrusted(result: &Result<String, ClientError>) -> bool {
    matches!(result, Err(ClientError::Untrusted { .. }))
}

#[tokio::test]
async fn authorities_vouch_for_what_they_issued() {
    let [ours, theirs] = [Authority::new(), Authority::new()];
    let trust = || Trust::anchors([ours.certificate.clone()]);
    assert_eq!(ask(&ours, "localhost", trust()).await.unwrap(), "v2.1.0");
    assert!(is_untrusted(&ask(&theirs, "localhost", trust()).await));
    assert!(is_untrusted(
        &ask(&ours, "other.example.test", trust()).await
    ));
}

#[tokio::test]
async fn one_certificate_is_trusted_and_no_other() {
    let authority = Authority::new();
    for (host, is_own, is_trusted) in [
        ("localhost", true, true),
        ("localhost", false, false),
        ("other.example.test", true, false),
    ] {
        let shown = authority.issue(host);
        let pinned = if is_own {
            &shown
        } else {
            &authority.issue(host)
        };
        let trust = Trust::exact_leaf(pinned.certificate.clone());
        let server = Server::start(&shown, &authority, VERSION).await;
        let client = Client::builder(&server.url(), trust).build().unwrap();
        let result = client.version().await.map(|version| version.version);
        assert_eq!(result.is_ok(), is_trusted, "{host} {is_own}: {result:?}");
        assert_eq!(is_untrusted(&result), !is_trusted);
        assert_eq!(server.seen().requests.len(), usize::from(is_trusted));
    }
}

#[test]
fn nobody_is_trusted_without_a_certificate() {
    let url = "https://localhost:1280".parse().unwrap();
    for trust in [
        Trust::anchors([]),
        Trust::anchors([b"no certificate".to_vec().into()]),
    ] {
        let error = Client::builder(&url, trust).build().unwrap_err();
        assert!(matches!(error, BuildError::NoTrustAnchors), "{error}");
    }
}

#[test]
fn only_tls_is_spoken() {
    let authority = Authority::new();
    let trust = Trust::anchors([authority.certificate]);
    let url = "http://localhost:1280".parse().unwrap();
    let error = Client::builder(&url, trust).build().unwrap_err();
    assert!(matches!(error, BuildError::NotHttps), "{error}");
}
