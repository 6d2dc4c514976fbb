use super::*;
use crate::{Authority, Csr, KeyType, SigningKey, Subject, TrustAnchors, TrustDomain, VerifyAt};
use jiff::Timestamp;
use portcullis_domain::entropy::{Entropy, EntropyError};
use portcullis_domain::ids::IdentityId;

struct Fixed;

impl Entropy for Fixed {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        bytes.fill(7);
        Ok(())
    }
}

fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn domain() -> TrustDomain {
    TrustDomain::parse("example.test").unwrap()
}

fn key() -> SigningKey {
    SigningKey::generate(KeyType::P256).unwrap()
}

fn named(name: &str) -> Subject {
    Subject::new().common_name(name)
}

fn root(name: &str) -> Authority {
    Authority::create_root(key(), &named(name), &domain(), now(), &Fixed).unwrap()
}

fn below(issuer: &Authority, name: &str) -> Authority {
    let made = issuer.create_intermediate(key(), &named(name), now(), &Fixed);
    made.unwrap()
}

fn leaf(issuer: &Authority) -> Certificate {
    let request = crate::create_csr(&key(), &named("device")).unwrap();
    let csr = Csr::from_pem(&request).unwrap();
    let id = IdentityId::from_wire("aB3.dE6gH");
    let made = issuer.issue_identity(&csr, &domain(), &id, now(), &Fixed);
    made.unwrap()
}

fn of(authorities: &[Authority]) -> Vec<Certificate> {
    let certificates = authorities.iter().map(Authority::certificate);
    certificates.cloned().collect()
}

/// Selects the candidates, and counts the signature checks.
fn count(
    leaf: &Certificate,
    presented: &[Certificate],
    authority: &Authority,
) -> (Result<Vec<Certificate>, ChainError>, usize) {
    let mut checks = 0;
    let authorities = [authority.certificate().clone()];
    let found = select_candidates(leaf, presented, &authorities, &mut |one, issuer| {
        checks += 1;
        one.is_issued_by(issuer)
    });
    (found, checks)
}

#[test]
fn strangers_cost_no_more_than_a_signature_for_each_certificate_that_names_an_authority() {
    let (trusted, forged) = (root("Root"), root("Root"));
    let unknown = Err(ChainError::UnknownIssuer);
    let of_one_name = |count: usize| -> Vec<Authority> { (0..count).map(|_| root("X")).collect() };
    let stranger = leaf(&root("X"));
    let eight = of(&of_one_name(8));
    assert_eq!(count(&stranger, &eight, &trusted), (unknown.clone(), 0));
    // One of them says that the authority issued it.
    let mut filler = of(&of_one_name(7));
    filler.push(below(&forged, "X").certificate().clone());
    assert_eq!(count(&stranger, &filler, &trusted), (unknown.clone(), 1));
    // All of them and the leaf do.
    let direct: Vec<Authority> = (0..8).map(|_| below(&forged, "Root")).collect();
    let found = count(&leaf(&forged), &of(&direct), &trusted);
    assert_eq!(found, (unknown.clone(), 9));
    // A true link among them leads nowhere else.
    let link = below(&trusted, "X");
    let mut filler = of(&of_one_name(7));
    filler.push(link.certificate().clone());
    let (found, checks) = count(&stranger, &filler, &trusted);
    assert_eq!(found, unknown);
    assert!(checks <= 9, "{checks}");
    // Whoever the link has vouched for may add what he likes.
    let (found, checks) = count(&leaf(&link), &filler, &trusted);
    assert_eq!(found, Ok(vec![link.certificate().clone()]));
    assert!(checks <= 9, "{checks}");
}

#[test]
fn few_of_those_that_are_true_are_followed() {
    let trusted = root("Root");
    let many: Vec<Authority> = (0..8).map(|_| below(&trusted, "X")).collect();
    let certificates = of(&many);
    for place in [0, 1] {
        let (found, _) = count(&leaf(&many[place]), &certificates, &trusted);
        assert_eq!(found, Ok(certificates[..2].to_vec()), "{place}");
    }
    // Each of these names all the others.
    let link = below(&trusted, "X");
    let loops: Vec<Authority> = (0..7).map(|_| below(&link, "X")).collect();
    let mut presented = of(&loops);
    presented.push(link.certificate().clone());
    let (found, checks) = count(&leaf(&loops[0]), &presented, &trusted);
    assert_eq!(found.unwrap().len(), 2);
    assert!(checks <= 27, "{checks}");

    let mut chain = vec![below(&trusted, "1")];
    for (last, name) in ["2", "3", "4", "5"].into_iter().enumerate() {
        chain.push(below(&chain[last], name));
    }
    let presented = of(&chain);
    let (found, _) = count(&leaf(&chain[3]), &presented, &trusted);
    assert_eq!(found, Ok(presented[..4].to_vec()));
    let (found, _) = count(&leaf(&chain[4]), &presented, &trusted);
    assert_eq!(found, Err(ChainError::UnknownIssuer));
}

#[test]
fn an_intermediate_and_its_renewal_are_both_good() {
    let trusted = root("Root");
    let (first, renewed) = (below(&trusted, "S"), below(&trusted, "S"));
    let anchors = TrustAnchors::new(vec![trusted.certificate().clone()]).unwrap();
    let mut presented = of(&[first, root("S")]);
    presented.push(renewed.certificate().clone());
    for _ in 0..3 {
        let chain = anchors
            .verify_client_path(&leaf(&renewed), &presented, VerifyAt::Now(now()))
            .unwrap();
        assert_eq!(chain.intermediates, [renewed.certificate().clone()]);
        presented.rotate_left(1);
    }
}
