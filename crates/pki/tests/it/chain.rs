//! Who is believed, and who is not.

use jiff::{SignedDuration, Timestamp};
use portcullis_pki::{
    Authority, Certificate, ChainError, Fingerprint, KeyType, Purpose, ServerNames, SigningKey,
    TrustAnchors, VerifyAt,
};

use crate::support::{Network, Seeded, csr, domain, identity_id, named, now};

const DAY: SignedDuration = SignedDuration::from_hours(24);

fn anchors(network: &Network) -> TrustAnchors {
    TrustAnchors::new(vec![network.root.certificate().clone()]).unwrap()
}

fn at(days: i32) -> VerifyAt {
    VerifyAt::Now(now() + DAY * days)
}

/// Verifies and names the anchor.
fn verify(
    anchors: &TrustAnchors,
    leaf: &Certificate,
    intermediates: &[Certificate],
    at: VerifyAt,
) -> Result<Fingerprint, ChainError> {
    anchors
        .verify_client_chain(leaf, intermediates, at)
        .map(Certificate::fingerprint)
}

#[test]
fn issued_certificate_is_believed_within_its_validity() {
    let network = Network::new(20);
    let (leaf, anchors) = (network.identity(), anchors(&network));
    let between = network.intermediates();
    let root = network.root.certificate().fingerprint();
    let table = [
        (at(-1), Err(ChainError::NotYetValid)),
        (at(0), Ok(root)),
        (at(364), Ok(root)),
        (at(366), Err(ChainError::Expired)),
        (VerifyAt::AnyCommonTime, Ok(root)),
    ];
    for (at, expected) in table {
        assert_eq!(verify(&anchors, &leaf, &between, at), expected, "{at:?}");
    }
    assert_eq!(
        verify(&anchors, &leaf, &[], at(0)),
        Err(ChainError::UnknownIssuer)
    );
}

#[test]
fn an_intermediate_can_be_the_anchor() {
    let network = Network::new(21);
    let anchors = TrustAnchors::new(network.intermediates()).unwrap();
    let found = verify(&anchors, &network.identity(), &[], at(0));
    assert_eq!(found, Ok(network.signing.certificate().fingerprint()));
}

#[test]
fn only_the_proved_leaf_counts() {
    let (network, attacker) = (Network::new(22), Network::new(23));
    let anchors = anchors(&network);
    let victim = network.identity();
    let evil = attacker.identity();
    let signing = network.signing.certificate().clone();
    let evil_signing = attacker.signing.certificate().clone();
    let evil_root = attacker.root.certificate().clone();
    let fillers: [Vec<Certificate>; 5] = [
        vec![victim.clone()],
        vec![victim.clone(), signing.clone()],
        vec![signing.clone(), victim.clone(), evil_signing.clone()],
        vec![
            evil_signing,
            evil_root,
            victim.clone(),
            victim.clone(),
            signing.clone(),
        ],
        vec![network.root.certificate().clone(), signing.clone()],
    ];
    for filler in &fillers {
        let refused = verify(&anchors, &evil, filler, at(0));
        assert!(refused.is_err(), "{refused:?}");
    }
    // The other way round, what an attacker adds does no harm to the victim's own chain.
    let root = network.root.certificate().fingerprint();
    let order = [evil.clone(), signing.clone(), evil, signing];
    assert_eq!(verify(&anchors, &victim, &order, at(0)), Ok(root));
}

#[test]
fn an_identity_cannot_issue() {
    let network = Network::new(24);
    // An identity's key, put to use as that of an authority under its own certificate's name.
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let request = portcullis_pki::create_csr(&key, &named("device")).unwrap();
    let leaf = network.issue(&portcullis_pki::Csr::from_pem(&request).unwrap());
    let forged = Authority::create_root(key, &named("device"), &domain(), now(), &network.entropy);
    let below = forged
        .unwrap()
        .issue_identity(csr(), &domain(), &identity_id(), now(), &network.entropy)
        .unwrap();
    let between = [leaf, network.signing.certificate().clone()];
    let refused = verify(&anchors(&network), &below, &between, at(0));
    assert!(
        matches!(refused, Err(ChainError::Invalid(_))),
        "{refused:?}"
    );
}

#[test]
fn path_length_is_kept() {
    let network = Network::new(25);
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let third = network
        .signing
        .create_intermediate(key, &named("Third"), now(), &network.entropy)
        .unwrap();
    let leaf = third
        .issue_identity(csr(), &domain(), &identity_id(), now(), &network.entropy)
        .unwrap();
    let between = [
        third.certificate().clone(),
        network.signing.certificate().clone(),
    ];
    let refused = verify(&anchors(&network), &leaf, &between, at(0));
    assert!(
        matches!(refused, Err(ChainError::Invalid(_))),
        "{refused:?}"
    );
}

#[test]
fn certificates_for_servers_are_no_way_in() {
    let network = Network::new(26);
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let names = ServerNames::parse(["localhost"]).unwrap();
    let server = network
        .signing
        .issue_server_leaf(
            key.public_key(),
            &named("s"),
            &names,
            now(),
            &network.entropy,
        )
        .unwrap();
    let anchors = anchors(&network);
    let between = network.intermediates();
    assert_eq!(
        verify(&anchors, &server, &between, at(0)),
        Err(ChainError::WrongPurpose(Purpose::Client))
    );
}

#[test]
fn dates_of_the_anchor_count() {
    let entropy = Seeded::new(27);
    let years_ago: Timestamp = "2010-01-01T00:00:00Z".parse().unwrap();
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let pem = key.to_pkcs8_pem().unwrap();
    let expired =
        Authority::create_root(key, &named("Old"), &domain(), years_ago, &entropy).unwrap();
    let leaf = expired
        .issue_identity(csr(), &domain(), &identity_id(), now(), &entropy)
        .unwrap();
    let anchors = TrustAnchors::new(vec![expired.certificate().clone()]).unwrap();
    assert_eq!(
        verify(&anchors, &leaf, &[], at(0)),
        Err(ChainError::AnchorOutsideValidity)
    );
    assert!(verify(&anchors, &leaf, &[], VerifyAt::AnyCommonTime).is_ok());

    // Its renewal has the same name and key; the valid one of the two is found in either order.
    let key = SigningKey::from_pem(&pem).unwrap();
    let renewed = Authority::create_root(key, &named("Old"), &domain(), now(), &entropy).unwrap();
    let mut both = vec![expired.certificate().clone(), renewed.certificate().clone()];
    for _ in 0..2 {
        let anchors = TrustAnchors::new(both.clone()).unwrap();
        let found = verify(&anchors, &leaf, &[], at(0));
        assert_eq!(found, Ok(renewed.certificate().fingerprint()));
        both.reverse();
    }
}

#[test]
fn ignoring_dates_finds_when_the_chain_was_valid() {
    let entropy = Seeded::new(28);
    let network = Network::new(28);
    let key = SigningKey::generate(KeyType::P256).unwrap();
    // The intermediate became valid a month after the leaf's dates begin: as when an authority is
    // renewed under the same key.
    let pem = key.to_pkcs8_pem().unwrap();
    let later = now() + DAY * 30;
    let renewed = network
        .root
        .create_intermediate(key, &named("S"), later, &entropy)
        .unwrap();
    let key = SigningKey::from_pem(&pem).unwrap();
    let first = network
        .root
        .create_intermediate(key, &named("S"), now(), &entropy)
        .unwrap();
    let leaf = first
        .issue_identity(csr(), &domain(), &identity_id(), now(), &entropy)
        .unwrap();
    let between = [renewed.certificate().clone()];
    let anchors = anchors(&network);
    assert_eq!(
        verify(&anchors, &leaf, &between, at(0)),
        Err(ChainError::NotYetValid)
    );
    assert!(verify(&anchors, &leaf, &between, VerifyAt::AnyCommonTime).is_ok());
}

#[test]
fn long_chains_are_not_looked_at() {
    let network = Network::new(29);
    let many = vec![network.signing.certificate().clone(); 9];
    let refused = verify(&anchors(&network), &network.identity(), &many, at(0));
    assert_eq!(refused, Err(ChainError::TooLong));
}

#[test]
fn damaged_certificate_is_not_believed() {
    let network = Network::new(30);
    let anchors = anchors(&network);
    let (leaf, between) = (network.identity(), network.intermediates());
    for place in 0..leaf.as_der().len() {
        let mut der = leaf.as_der().to_vec();
        der[place] ^= 1;
        let Ok(damaged) = Certificate::from_der(der) else {
            continue;
        };
        assert!(
            verify(&anchors, &damaged, &between, at(0)).is_err(),
            "byte {place}"
        );
    }
}

#[test]
fn server_is_believed_with_a_certificate_for_servers_alone() {
    let network = Network::new(33);
    let (anchors, between) = (anchors(&network), network.intermediates());
    let key = SigningKey::generate(KeyType::P256).unwrap();
    let names = ServerNames::parse(["ctrl.example.test"]).unwrap();
    let (subject, entropy) = (named("ctrl"), &network.entropy);
    let leaf = network
        .signing
        .issue_server_leaf(key.public_key(), &subject, &names, now(), entropy)
        .unwrap();
    let verify = |leaf: &Certificate, between: &[Certificate], at| {
        let path = anchors.verify_server_path(leaf, between, at);
        path.map(|path| path.intermediates)
    };
    assert_eq!(verify(&leaf, &between, at(0)), Ok(between.clone()));
    assert_eq!(
        verify(&leaf, &between, VerifyAt::AnyCommonTime),
        Ok(between.clone())
    );
    assert_eq!(verify(&leaf, &[], at(0)), Err(ChainError::UnknownIssuer));
    assert_eq!(verify(&leaf, &between, at(4000)), Err(ChainError::Expired));
    assert_eq!(
        verify(&network.identity(), &between, at(0)),
        Err(ChainError::WrongPurpose(Purpose::Server))
    );
}
