use super::*;
use crate::fixture::{Fixture, network_settings};
use crate::tokens;
use portcullis_domain::clock::SignedDuration;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

/// Serves another certificate with another key.
fn renew(fixture: &Fixture) {
    let other = network_settings(fixture.app.env());
    let certificate = other.controller.certificate;
    let served = [certificate.clone()];
    let network = fixture.app.network();
    let renewed = network.renew_certificate(certificate, &served, other.jwt_signer, "id");
    renewed.unwrap();
}

fn counts(fixture: &Fixture, token: &str) -> bool {
    tokens::verify::<Value>(&fixture.app, token).is_ok()
}

fn stored(fixture: &Fixture) -> usize {
    fixture.read(|rows| rows.signing_keys().unwrap().len())
}

#[tokio::test]
async fn tokens_outlive_the_key_that_signed_them() {
    let fixture = Fixture::start().await;
    let first = tokens::sign(&fixture.app, &json!({"a": 1})).unwrap();
    let first = first.expose_secret();
    renew(&fixture);
    assert!(counts(&fixture, first), "before the key is recorded");
    update(&fixture.app).await.unwrap();
    let second = tokens::sign(&fixture.app, &json!({"a": 2})).unwrap();
    let second = second.expose_secret();
    // A restart forgets what is only in memory.
    fixture.app.network().set_retired_keys(Vec::new());
    assert!(!counts(&fixture, first));
    update(&fixture.app).await.unwrap();
    assert!(counts(&fixture, first) && counts(&fixture, second));
    assert_eq!(stored(&fixture), 2);

    // By then the last token of a session that it signed has expired.
    fixture.clock.advance(SignedDuration::from_hours(24));
    assert!(!counts(&fixture, first) && counts(&fixture, second));
}

/// The ids of the keys that are published.
fn published(fixture: &Fixture) -> Vec<String> {
    let keys = fixture
        .app
        .network()
        .verification_keys(fixture.app.env().now());
    keys.into_iter().map(|key| key.kid).collect()
}

#[tokio::test]
async fn key_is_published_until_the_last_token_of_any_type_has_expired() {
    let fixture = Fixture::start().await;
    update(&fixture.app).await.unwrap();
    let first = published(&fixture);
    renew(&fixture);
    let at_once = published(&fixture);
    assert!(at_once.len() == 2 && at_once.contains(&first[0]));
    update(&fixture.app).await.unwrap();
    assert_eq!(published(&fixture), at_once);
    let last = ServiceSessionClaims::LIFETIME - SignedDuration::from_secs(1);
    fixture.clock.advance(last);
    update(&fixture.app).await.unwrap();
    assert_eq!(published(&fixture), at_once);
    fixture.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(published(&fixture), at_once[..1]);
    update(&fixture.app).await.unwrap();
    assert_eq!(stored(&fixture), 1);
}

#[tokio::test]
async fn keys_are_bounded_and_the_oldest_go() {
    let fixture = Fixture::start().await;
    let first = published(&fixture);
    for _renewal in 0..MAX_KEYS {
        update(&fixture.app).await.unwrap();
        renew(&fixture);
    }
    let last = published(&fixture);
    update(&fixture.app).await.unwrap();
    let kept = published(&fixture);
    assert_eq!((stored(&fixture), kept.len()), (MAX_KEYS, MAX_KEYS));
    assert!(kept.contains(&last[0]) && !kept.contains(&first[0]));
}

#[tokio::test]
async fn nothing_is_written_without_a_change() {
    let fixture = Fixture::start().await;
    let before = fixture.read(|rows| rows.signing_keys().unwrap());
    let revision = || fixture.app.engine.snapshot().unwrap().revision().unwrap();
    let at = revision();
    update(&fixture.app).await.unwrap();
    assert_eq!(revision(), at);
    assert_eq!(fixture.read(|rows| rows.signing_keys().unwrap()), before);
}
