use super::*;
use crate::fixture::Fixture;
use portcullis_domain::signer::{KeySource, SignerSettings, SignerSpec};

async fn add_signer(fixture: &Fixture, number: usize, is_enabled: bool) {
    let issuer = format!("https://issuer-{number}.test");
    let keys = KeySource::KeySet(format!("{issuer}/keys"));
    let settings = SignerSettings::new(
        format!("signer-{number}"),
        &issuer,
        "portcullis",
        is_enabled,
    );
    let id = SignerId::from_wire(format!("signer-{number}"));
    let signer = Signer::new(id, SignerSpec::new(keys, settings), fixture.app.env().now()).unwrap();
    let key = RecordKey::root(SIGNER, fixture.app.next_number(SIGNER).0);
    fixture.insert(key, signer).await;
}

fn issuers(fixture: &Fixture) -> Vec<String> {
    let challenge =
        fixture.read(|rows| TokenChallenge::for_all_signers(rows, BearerTokenError::Missing));
    let signers = challenge.unwrap().signers.into_iter();
    signers.map(|signer| signer.issuer).collect()
}

#[tokio::test]
async fn challenge_names_the_oldest_enabled_signers_and_no_more_than_fit() {
    let fixture = Fixture::start().await;
    add_signer(&fixture, 0, false).await;
    assert!(issuers(&fixture).is_empty());
    for number in 1..=MAX_SIGNERS + 2 {
        add_signer(&fixture, number, true).await;
    }
    let oldest: Vec<_> = (1..=MAX_SIGNERS)
        .map(|number| format!("https://issuer-{number}.test"))
        .collect();
    assert_eq!(issuers(&fixture), oldest);
}

#[test]
fn tokens_beyond_the_third_are_ignored() {
    let tokens = BearerTokens::new(["a", "b", "c", "d"]);
    assert_eq!(tokens.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
}
