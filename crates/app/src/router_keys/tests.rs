use super::*;
use crate::fixture::{Fixture, authorities, network_settings};

fn key(app: &App, id: &str) -> Option<RouterKey> {
    let keys = router_keys(app).unwrap();
    keys.into_iter().find(|key| key.id == id)
}

#[tokio::test]
async fn keys_of_before_and_now_verify_tokens_and_roots_verify_clients() {
    let fixture = Fixture::start().await;
    let app = &fixture.app;
    let first = app.network().serving_state().controller.certificate.clone();
    let first = first.fingerprint().to_string();
    let before = key(app, &first).unwrap();
    assert!(matches!(before.material, KeyMaterial::Certificate(_)));
    assert_eq!(before.verifies, KeyUse::Both);
    for root in app.network().anchors() {
        let root = key(app, &root.fingerprint().to_string()).unwrap();
        assert_eq!(root.verifies, KeyUse::ClientCertificates);
    }

    let mut changes = app.network().key_changes();
    assert!(!changes.has_changed().unwrap());
    let other = network_settings(app.env());
    let certificate = other.controller.certificate;
    let second = certificate.fingerprint().to_string();
    let served = [certificate.clone()];
    let network = app.network();
    let renewed = network.renew_certificate(certificate, &served, other.jwt_signer, "id");
    renewed.unwrap();
    assert!(changes.has_changed().unwrap());
    changes.mark_unchanged();
    assert_eq!(key(app, &second).unwrap().verifies, KeyUse::Both);
    let retired = key(app, &first).unwrap();
    assert!(matches!(retired.material, KeyMaterial::PublicKey(_)));
    assert_eq!(retired.verifies, KeyUse::Tokens);
}

#[tokio::test]
async fn authorities_count_once_they_are_verified() {
    let fixture = Fixture::start().await;
    let now = fixture.app.env().now();
    let authority = authorities::root("partner", authorities::new_key(), now);
    let fingerprint = authority.certificate().fingerprint().to_string();
    assert_eq!(key(&fixture.app, &fingerprint), None);
    let ca = fixture.add_ca("partner", &authority, None).await;
    let verified = key(&fixture.app, &fingerprint).unwrap();
    assert_eq!(verified.verifies, KeyUse::ClientCertificates);
    let withdraw = |mut ca: Ca| {
        ca.spec.is_verified = false;
        ca
    };
    fixture.change(ca, withdraw).await;
    assert_eq!(key(&fixture.app, &fingerprint), None);
}
